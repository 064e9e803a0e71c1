import { exec, execFile } from "child_process";

export function shrink(picture: string) {
  const line = `convert uploads/${picture} -resize 50% thumbs/out.png`;
  launch(line);
}

export function rotate(picture: string) {
  const words = ["-rotate", "90", `uploads/${picture}`, "thumbs/out.png"];
  execFile("convert", words);
}

function launch(line: string) {
  exec(line);
}
