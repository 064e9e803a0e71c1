import { Router } from "express";

import { CarrierBook } from "../lib/carrierBook";
import { fetchQuote, fetchListedQuote } from "../lib/quotes";

export const carriers = Router();
const book = new CarrierBook();

carriers.get("/search", async (req, res) => {
  const name = String(req.query.name);
  res.json(await book.search(name));
});

carriers.get("/in-country", async (req, res) => {
  const country = String(req.query.country);
  res.json(await book.inCountry(country));
});

carriers.post("/quote", async (req, res) => {
  const endpoint = req.body.endpoint;
  res.json(await fetchQuote(endpoint));
});

carriers.post("/listed-quote", async (req, res) => {
  const listed = req.body.endpoint;
  res.json(await fetchListedQuote(listed));
});
