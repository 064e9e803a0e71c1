import path from "path";

const SHELF = "/srv/parcels/shelf";

export function manualPath(title: string) {
  return path.join(SHELF, title);
}

export function leafletPath(title: string) {
  const plain = path.basename(title);
  return path.join(SHELF, plain);
}
