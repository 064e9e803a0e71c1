import { Router } from "express";

import { shrink, rotate } from "../lib/pictures";
import { manualPath, leafletPath } from "../lib/shelf";

export const media = Router();

media.post("/shrink", (req, res) => {
  const picture = req.body.picture;
  shrink(picture);
  res.sendStatus(202);
});

media.post("/rotate", (req, res) => {
  const photo = req.body.photo;
  rotate(photo);
  res.sendStatus(202);
});

media.get("/manual", (req, res) => {
  const title = String(req.query.title);
  const file = manualPath(title);
  res.sendFile(file);
});

media.get("/leaflet", (req, res) => {
  const heading = String(req.query.heading);
  const leaflet = leafletPath(heading);
  res.sendFile(leaflet);
});
