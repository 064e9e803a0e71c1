"use strict";
// What is drawn is either files (dots joined by bundles of edges) or the neighbourhood of one
// symbol in layers: what leads to it on the left, what it leads to on the right.
const data = JSON.parse(document.getElementById("data").textContent);
const get = (id) => document.getElementById(id);
const canvas = get("view"), pen = canvas.getContext("2d");
const TIERS = ["exact", "resolved", "flowed", "named", "ambiguous", "external"];
const MOST = 120, ROW = 30, COLUMN = 330;
const nodes = data.nodes.map(([name, kind, repo, path, line, test], id) =>
  ({ id, name, kind, repo, path, line, test: !!test, out: [], into: [] }));
for (const [src, dst, type, tier, line, sites, candidates] of data.links) {
  const link = { src, dst, type, tier, line, sites, candidates };
  nodes[src].out.push(link);
  nodes[dst].into.push(link);
}
const files = new Map();
for (const node of nodes) {
  const key = node.path ? node.repo + "\0" + node.path : "\0outside";
  if (!files.has(key)) files.set(key, { key, path: node.path || "(outside)", test: node.test, nodes: [], links: new Map() });
  files.get(key).nodes.push(node);
  node.file = files.get(key);
}
for (const node of nodes) for (const link of node.out) {
  const other = nodes[link.dst].file;
  if (other === node.file) continue;
  const bundle = node.file.links.get(other) || { count: 0, tier: link.tier };
  bundle.count += link.sites;
  if (TIERS.indexOf(link.tier) < TIERS.indexOf(bundle.tier)) bundle.tier = link.tier;
  node.file.links.set(other, bundle);
}
let boxes = [], arrows = [], focus = null, over = null, at = { x: 0, y: 0, scale: 1 };

function colour(name) { return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim(); }
function short(text, most) { return text.length <= most ? text : "…" + text.slice(text.length - most + 1); }
function shown(item) { return get("tests").checked || !item.test; }

function layFiles() {
  focus = null;
  const all = [...files.values()].filter(shown);
  const degree = new Map(all.map((file) => [file, 0]));
  for (const file of all) for (const [other, bundle] of file.links) {
    degree.set(file, degree.get(file) + bundle.count);
    if (degree.has(other)) degree.set(other, degree.get(other) + bundle.count);
  }
  all.sort((a, b) => degree.get(b) - degree.get(a) || (a.path < b.path ? -1 : 1));
  const kept = all.slice(0, MOST * 2);
  const place = spread(kept);
  boxes = kept.map((file, index) => ({ item: file, label: short(file.path, 34), x: place[index].x, y: place[index].y,
    r: 6 + 2.2 * Math.sqrt(file.nodes.length), file: true }));
  const box = new Map(boxes.map((each) => [each.item, each]));
  arrows = [];
  for (const each of boxes) for (const [other, bundle] of each.item.links)
    if (box.has(other)) arrows.push({ from: each, to: box.get(other), tier: bundle.tier, width: Math.min(5, 0.6 + Math.log2(1 + bundle.count) / 2) });
  side(null, all.length - kept.length);
  fit();
}

// Springs along edges, pushes between all: positions depend on the data alone, never on chance.
function spread(kept) {
  const number = new Map(kept.map((file, index) => [file, index]));
  const points = kept.map((_, index) => { const turn = index * 2.399963, far = 40 * Math.sqrt(index); return { x: far * Math.cos(turn), y: far * Math.sin(turn) }; });
  const edges = [];
  kept.forEach((file, index) => { for (const other of file.links.keys()) if (number.has(other)) edges.push([index, number.get(other)]); });
  const degree = kept.map(() => 0);
  for (const [i, j] of edges) { degree[i]++; degree[j]++; }
  for (let round = 0; round < 300; round++) {
    const heat = 40 * (1 - round / 300), push = points.map(() => ({ x: 0, y: 0 }));
    for (let i = 0; i < points.length; i++) for (let j = i + 1; j < points.length; j++) {
      const dx = points[i].x - points[j].x, dy = points[i].y - points[j].y, square = Math.max(dx * dx + dy * dy, 25);
      const force = 22000 / square;
      push[i].x += dx * force; push[i].y += dy * force; push[j].x -= dx * force; push[j].y -= dy * force;
    }
    for (const [i, j] of edges) {
      const dx = points[j].x - points[i].x, dy = points[j].y - points[i].y, far = Math.max(Math.hypot(dx, dy), 1), pull = far / 60 / Math.sqrt(Math.max(degree[i], degree[j]));
      push[i].x += dx * pull / 4; push[i].y += dy * pull / 4; push[j].x -= dx * pull / 4; push[j].y -= dy * pull / 4;
    }
    points.forEach((point, index) => {
      const move = push[index]; move.x -= point.x * 0.12; move.y -= point.y * 0.2;
      const size = Math.max(Math.hypot(move.x, move.y), 0.01), step = Math.min(size, heat);
      point.x += move.x / size * step; point.y += move.y / size * step;
    });
  }
  return points;
}

function layNode(node) {
  focus = node;
  const layer = new Map([[node, 0]]), steps = Number(get("steps").value);
  let left = 0;
  const go = (side, pick, other) => {
    let front = [node];
    for (let depth = 1; depth <= steps; depth++) {
      const next = [];
      for (const each of front) for (const link of pick(each)) {
        const far = nodes[other(link)];
        if (layer.has(far) || !shown(far)) continue;
        if (layer.size >= MOST) { left++; continue; }
        layer.set(far, side * depth); next.push(far);
      }
      front = next;
    }
  };
  go(1, (each) => each.out, (link) => link.dst);
  go(-1, (each) => each.into, (link) => link.src);
  const columns = new Map();
  for (const [each, depth] of layer) columns.set(depth, [...(columns.get(depth) || []), each]);
  boxes = [];
  for (const [depth, column] of columns) {
    column.sort((a, b) => (a.path + a.name < b.path + b.name ? -1 : 1));
    column.forEach((each, row) => boxes.push({ item: each, label: short(each.name, 36), x: depth * COLUMN, y: (row - (column.length - 1) / 2) * ROW, w: 250, h: 22 }));
  }
  const box = new Map(boxes.map((each) => [each.item, each]));
  arrows = [];
  for (const each of boxes) for (const link of each.item.out)
    if (box.has(nodes[link.dst])) arrows.push({ from: each, to: box.get(nodes[link.dst]), tier: link.tier, width: 1.3, link });
  side(node, left);
  fit();
}

function element(tag, text, parent) { const made = document.createElement(tag); made.textContent = text; parent.append(made); return made; }

function list(panel, title, links, end) {
  const found = links.filter((link) => shown(nodes[link[end]]));
  if (!found.length) return;
  element("h3", `${title} (${found.length})`, panel);
  const rows = element("ul", "", panel);
  for (const link of found.slice(0, 200)) {
    const row = element("li", "", rows), dot = element("span", "", row);
    dot.className = "dot"; dot.style.background = `var(--${link.tier})`; dot.title = link.tier;
    const to = element("a", nodes[link[end]].name, row);
    to.onclick = () => layNode(nodes[link[end]]);
    element("span", (data.types.length > 1 ? ` ${link.type}` : "") + ` line ${link.line}` + (link.sites > 1 ? ` ×${link.sites}` : "") + (link.candidates > 1 ? `, 1 of ${link.candidates}` : ""), row).style.color = "var(--dim)";
  }
}

function side(node, left) {
  const panel = get("side");
  panel.textContent = "";
  if (!node) {
    element("h2", `${files.size} files, ${nodes.length} symbols`, panel);
    element("p", `${data.links.length} edges: ${data.types.join(", ")}; ${data.state}`, panel);
    const reasons = Object.entries(data.unresolved).map(([why, count]) => `${count} ${why}`).join(", ");
    if (reasons) element("p", `calls without a known target: ${reasons}`, panel);
    if (left > 0) element("p", `${left} files with fewer edges are not drawn; search finds them`, panel);
    element("p", "Click a file or search a symbol. Drag to move, wheel to zoom.", panel);
    return;
  }
  element("h2", node.name, panel);
  element("p", node.path ? `${node.kind}, ${node.path}:${node.line}` : "outside of what is indexed", panel);
  if (left) element("p", `${left} more neighbours are not drawn`, panel);
  list(panel, "reached from", node.into, "src");
  list(panel, "leads to", node.out, "dst");
}

function sideFile(file) {
  const panel = get("side");
  panel.textContent = "";
  element("h2", file.path, panel);
  element("p", `${file.nodes.length} symbols`, panel);
  const rows = element("ul", "", panel);
  for (const node of file.nodes) { const to = element("a", `${node.name} ${node.into.length}→ →${node.out.length}`, element("li", "", rows)); to.onclick = () => layNode(node); }
}

function fit() {
  if (!boxes.length) { draw(); return; }
  const margin = 60, xs = boxes.flatMap((b) => [b.x - (b.r || b.w / 2), b.x + (b.r || b.w / 2)]), ys = boxes.flatMap((b) => [b.y - 30, b.y + 30]);
  const low = Math.min(...xs), high = Math.max(...xs), top = Math.min(...ys), bottom = Math.max(...ys);
  const width = canvas.clientWidth - margin, height = canvas.clientHeight - margin;
  at.scale = Math.min(1.4, width / Math.max(high - low, 1), height / Math.max(bottom - top, 1));
  at.x = canvas.clientWidth / 2 - at.scale * (low + high) / 2;
  at.y = canvas.clientHeight / 2 - at.scale * (top + bottom) / 2;
  draw();
}

function draw() {
  const ratio = window.devicePixelRatio || 1;
  canvas.width = canvas.clientWidth * ratio; canvas.height = canvas.clientHeight * ratio;
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, canvas.clientWidth, canvas.clientHeight);
  pen.translate(at.x, at.y); pen.scale(at.scale, at.scale);
  const near = over && new Set(arrows.filter((a) => a.from === over || a.to === over).flatMap((a) => [a.from, a.to]));
  const tone = Object.fromEntries(TIERS.map((tier) => [tier, colour(tier)])), ink = colour("ink"), dim = colour("dim");
  for (const arrow of arrows) {
    const lit = !over || arrow.from === over || arrow.to === over;
    pen.globalAlpha = lit ? (over ? 0.95 : 0.5) : 0.07;
    pen.strokeStyle = pen.fillStyle = tone[arrow.tier]; pen.lineWidth = arrow.width;
    pen.setLineDash(arrow.tier === "resolved" || arrow.tier === "exact" ? [] : [5, 4]);
    edge(arrow);
  }
  pen.setLineDash([]);
  const taken = [];
  for (const box of over ? [over, ...boxes] : boxes) {
    pen.globalAlpha = !near || near.has(box) || box === over ? 1 : 0.25;
    pen.beginPath();
    if (box.file) pen.arc(box.x, box.y, box.r, 0, 7); else pen.roundRect(box.x - box.w / 2, box.y - box.h / 2, box.w, box.h, 6);
    pen.fillStyle = box.file ? (box.item.test ? colour("file") : colour("source")) : colour("node"); pen.fill();
    pen.lineWidth = box.item === focus ? 2.5 : 1.2; pen.strokeStyle = box.item === focus ? colour("focus") : box.item.test ? tone.external : dim; pen.stroke();
    const size = box.file ? Math.max(11, 11 / at.scale) : 12;
    pen.font = `${size}px system-ui, sans-serif`; pen.textAlign = "center"; pen.textBaseline = "middle"; pen.fillStyle = ink;
    const y = box.file ? box.y + box.r + size * 0.8 : box.y;
    if (box.file) {
      const half = pen.measureText(box.label).width / 2 + 4, room = [box.x - half, y - size * 0.6, box.x + half, y + size * 0.6];
      if (taken.some((each) => room[0] < each[2] && each[0] < room[2] && room[1] < each[3] && each[1] < room[3])) continue;
      taken.push(room);
      pen.lineWidth = size / 3; pen.strokeStyle = colour("bg"); pen.lineJoin = "round"; pen.strokeText(box.label, box.x, y);
    }
    pen.fillText(box.label, box.x, y, box.file ? undefined : box.w - 12);
  }
  pen.globalAlpha = 1;
}

function edge({ from, to }) {
  let x1 = from.x, y1 = from.y, x2 = to.x, y2 = to.y;
  if (from === to) { pen.beginPath(); pen.arc(x1, y1 - (from.r || 14), 9, 0, 7); pen.stroke(); return; }
  const side = x2 >= x1 ? 1 : -1, dx = x2 - x1, dy = y2 - y1, far = Math.hypot(dx, dy) || 1;
  if (from.file) { x1 += dx / far * from.r; y1 += dy / far * from.r; x2 -= dx / far * (to.r + 3); y2 -= dy / far * (to.r + 3); }
  else { x1 += side * from.w / 2; x2 -= side * (to.w / 2 + 3); }
  const bend = from.file ? 0 : side * Math.max(30, Math.abs(x2 - x1) / 2);
  const same = !from.file && from.x === to.x;
  pen.beginPath(); pen.moveTo(x1, y1);
  if (from.file) pen.quadraticCurveTo((x1 + x2) / 2 - dy * 0.09, (y1 + y2) / 2 + dx * 0.09, x2, y2);
  else if (same) { x2 = to.x + to.w / 2 + 3; pen.bezierCurveTo(x1 + 45, y1, x2 + 45, y2, x2, y2); }
  else pen.bezierCurveTo(x1 + bend, y1, x2 - bend, y2, x2, y2);
  pen.stroke();
  const turn = from.file ? Math.atan2(y2 - (y1 + y2) / 2 - dx * 0.09, x2 - (x1 + x2) / 2 + dy * 0.09) : same ? Math.PI : side > 0 ? 0 : Math.PI;
  pen.beginPath(); pen.moveTo(x2, y2);
  pen.lineTo(x2 - 7 * Math.cos(turn - 0.4), y2 - 7 * Math.sin(turn - 0.4)); pen.lineTo(x2 - 7 * Math.cos(turn + 0.4), y2 - 7 * Math.sin(turn + 0.4)); pen.fill();
}

function hit(event) {
  const x = (event.offsetX - at.x) / at.scale, y = (event.offsetY - at.y) / at.scale;
  return boxes.find((b) => (b.file ? Math.hypot(b.x - x, b.y - y) <= b.r + 3 : Math.abs(b.x - x) <= b.w / 2 && Math.abs(b.y - y) <= b.h / 2)) || null;
}
let held = null;
canvas.onpointerdown = (event) => { held = { x: event.offsetX, y: event.offsetY, moved: false }; canvas.setPointerCapture(event.pointerId); };
canvas.onpointermove = (event) => {
  if (held) {
    const dx = event.offsetX - held.x, dy = event.offsetY - held.y;
    if (Math.abs(dx) + Math.abs(dy) > 3) held.moved = true;
    if (held.moved) { at.x += dx; at.y += dy; held.x = event.offsetX; held.y = event.offsetY; draw(); }
    return;
  }
  const found = hit(event);
  if (found !== over) { over = found; canvas.style.cursor = found ? "pointer" : "grab"; draw(); }
};
canvas.onpointerup = (event) => {
  const found = held && !held.moved ? hit(event) : null;
  held = null;
  if (found) { over = null; if (found.file) sideFile(found.item); else layNode(found.item); }
};
canvas.onwheel = (event) => {
  event.preventDefault();
  const factor = Math.exp(-event.deltaY * 0.0015), scale = Math.min(6, Math.max(0.05, at.scale * factor));
  at.x = event.offsetX - (event.offsetX - at.x) * scale / at.scale; at.y = event.offsetY - (event.offsetY - at.y) * scale / at.scale; at.scale = scale;
  draw();
};
get("find").onchange = () => {
  const wanted = get("find").value.trim().toLowerCase();
  if (!wanted) return;
  const rank = (name) => (name === wanted ? 0 : name.endsWith("." + wanted) ? 1 : name.includes(wanted) ? 2 : 9);
  const best = nodes.map((node) => [rank(node.name.toLowerCase()), node]).filter(([r]) => r < 9).sort((a, b) => a[0] - b[0] || a[1].name.length - b[1].name.length)[0];
  if (best) { layNode(best[1]); return; }
  const file = [...files.values()].find((each) => each.path.toLowerCase().includes(wanted));
  if (file) sideFile(file); else { const panel = get("side"); panel.textContent = ""; element("p", `nothing is called like ${wanted}`, panel); }
};
const again = () => (focus ? layNode(focus) : layFiles());
get("files").onclick = layFiles; get("fit").onclick = fit; get("tests").onchange = again; get("steps").onchange = again;
window.onresize = draw;
window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
get("title").textContent = data.scope.join(", ");
for (const node of nodes.slice(0, 5000)) { const option = document.createElement("option"); option.value = node.name; get("names").append(option); }
const used = new Set(data.links.map((link) => link[3]));
for (const tier of TIERS) if (used.has(tier)) { const row = element("span", "", get("legend")), dot = element("span", "", row); dot.className = "dot"; dot.style.background = `var(--${tier})`; row.append(tier); }
// a small graph is shown whole, as the neighbourhood of the symbol with the most edges
if (nodes.length && nodes.length <= 40) { get("steps").value = "3"; layNode([...nodes].sort((a, b) => b.out.length + b.into.length - a.out.length - a.into.length)[0]); } else layFiles();
