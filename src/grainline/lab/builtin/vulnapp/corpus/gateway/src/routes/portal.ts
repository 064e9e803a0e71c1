import { Router } from "express";

import { noteCard, remarkCard } from "../lib/cards";
import { localOnly } from "../lib/urls";

export const portal = Router();

portal.get("/note", (req, res) => {
  const note = String(req.query.note);
  const card = noteCard(note);
  res.send(card);
});

portal.get("/remark", (req, res) => {
  const remark = String(req.query.remark);
  const slip = remarkCard(remark);
  res.send(slip);
});

portal.get("/leave", (req, res) => {
  const target = String(req.query.to);
  res.redirect(target);
});

portal.get("/back", (req, res) => {
  const place = localOnly(String(req.query.to));
  res.redirect(place);
});
