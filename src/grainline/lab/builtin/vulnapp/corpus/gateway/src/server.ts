import express from "express";

import { carriers } from "./routes/carriers";
import { media } from "./routes/media";
import { portal } from "./routes/portal";

export const app = express();

app.use(express.json());
app.use("/carriers", carriers);
app.use("/media", media);
app.use("/portal", portal);
