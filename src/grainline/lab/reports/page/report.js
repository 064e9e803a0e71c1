"use strict";
// Everything that is shown comes from the JSON in the page and is set as text, never as HTML.
const sets = JSON.parse(document.getElementById("data").textContent).sets;
const dark = window.matchMedia("(prefers-color-scheme: dark)");
// Okabe and Ito's colours, told apart by readers who do not see red and green apart.
const COLOURS = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#b8a000", "#7f7f7f"];
const LOSSES = { "shown": "#009e73", "shown in part": "#8fd0b5", "cut by budget": "#e69f00", "ranked low": "#56b4e9", "not recalled": "#d55e00", "not indexed": "#7f7f7f" };
const byId = (id) => document.getElementById(id);
const names = [...new Set(sets.flatMap((set) => set.runs.map((run) => run.strategy)))].sort();
const colour = (strategy) => COLOURS[names.indexOf(strategy) % COLOURS.length];
const shape = (strategy) => ["circle", "square", "diamond", "triangle-up", "cross"][Math.floor(names.indexOf(strategy) / COLOURS.length) % 5];

function fill(select, values, chosen) {
  const before = chosen ?? select.value;
  select.replaceChildren(...values.map((value) => new Option(value, value)));
  select.value = values.includes(before) ? before : values[0] ?? "";
}

function layout(more) {
  const style = getComputedStyle(document.documentElement);
  const ink = style.getPropertyValue("--ink").trim(), line = style.getPropertyValue("--line").trim();
  const named = (more) => (more.title ? { ...more, title: { standoff: 14, ...more.title } } : more);
  const axis = { gridcolor: line, zerolinecolor: line, linecolor: line, automargin: true };
  const { xaxis = {}, yaxis = {}, ...rest } = more;
  return {
    paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", font: { color: ink, size: 13 },
    margin: { l: 20, r: 20, t: 10, b: 50 }, legend: { orientation: "h", y: -0.2 }, hovermode: "closest",
    modebar: { bgcolor: "rgba(0,0,0,0)", color: line, activecolor: ink },
    xaxis: { ...axis, ...named(xaxis) }, yaxis: { ...axis, ...named(yaxis) }, ...rest,
  };
}

const draw = (id, traces, more) => Plotly.react(id, traces, layout(more), { displaylogo: false, responsive: true });
const current = () => sets.find((set) => set.name === byId("set").value);

function scoreOf(set, run, measure, slice) {
  if (slice === "all") return run.scores[measure];
  const mean = set.slices[slice][run.label]?.[measure];
  return mean === undefined ? undefined : [mean, mean, mean];
}

// With hundreds of ablations only runs with a strategy's own defaults are told apart at first.
const MANY = 40;
const wanted = (run) => byId("runs").value !== "defaults" || run.plain;

function quality(set, measure, slice) {
  const rows = set.runs.filter(wanted).map((run) => ({ run, score: scoreOf(set, run, measure, slice) })).filter((row) => row.score);
  rows.sort((a, b) => a.score[0] - b.score[0] || (a.run.label < b.run.label ? 1 : -1));
  const order = rows.map((row) => row.run.label);
  const traces = names.map((name) => {
    const own = rows.filter((row) => row.run.strategy === name);
    return {
      type: "scatter", mode: "markers", name, showlegend: false,
      x: own.map((row) => row.score[0]), y: own.map((row) => row.run.label),
      error_x: { type: "data", symmetric: false, array: own.map((row) => row.score[2] - row.score[0]), arrayminus: own.map((row) => row.score[0] - row.score[1]), thickness: 1.2, width: 3 },
      marker: { color: colour(name), size: 9, symbol: name === "oracle" ? "star" : "circle" },
      hovertemplate: "%{y}: %{x:.3f}<extra></extra>",
    };
  });
  draw("quality", traces, { height: 90 + 22 * rows.length, xaxis: { title: { text: measure } }, yaxis: { categoryorder: "array", categoryarray: order } });
}

function front(set, measure, cost) {
  const traces = names.map((name) => {
    const own = set.runs.filter((run) => wanted(run) && run.strategy === name && run.scores[measure]);
    return {
      type: "scatter", mode: "markers", name, x: own.map((run) => run.costs[cost]), y: own.map((run) => run.scores[measure][0]),
      text: own.map((run) => run.label), hovertemplate: "%{text}<br>%{x:.4~g}, %{y:.3f}<extra></extra>",
      marker: { color: colour(name), size: 10, symbol: name === "oracle" ? "star" : shape(name) },
    };
  }).filter((trace) => trace.x.length);
  const best = set.fronts[measure][cost].map((place) => set.runs[place]);
  traces.push({ type: "scatter", mode: "lines", name: "Pareto front", x: best.map((run) => run.costs[cost]), y: best.map((run) => run.scores[measure][0]), line: { color: "#7f7f7f", dash: "dot", shape: "hv" }, hoverinfo: "skip" });
  const values = set.runs.map((run) => run.costs[cost]).filter((value) => value > 0);
  const wide = values.length && Math.max(...values) / Math.min(...values) > 50;
  draw("front", traces, { height: 480, xaxis: { title: { text: cost }, type: wide ? "log" : "linear" }, yaxis: { title: { text: measure } } });
}

function losses(set) {
  const runs = set.runs.filter((run) => wanted(run) && Object.values(run.losses).some(Boolean));
  const share = (run, kind) => run.losses[kind] / Object.values(run.losses).reduce((a, b) => a + b, 0);
  runs.sort((a, b) => share(a, "shown") - share(b, "shown") || (a.label < b.label ? 1 : -1));
  const traces = Object.entries(LOSSES).map(([kind, paint]) => ({
    type: "bar", orientation: "h", name: kind, x: runs.map((run) => share(run, kind)), y: runs.map((run) => run.label),
    customdata: runs.map((run) => run.losses[kind]), marker: { color: paint }, hovertemplate: `%{y}<br>${kind}: %{customdata} (%{x:.1%})<extra></extra>`,
  }));
  draw("losses", traces, { height: 110 + 22 * runs.length, barmode: "stack", bargap: 0.25, xaxis: { tickformat: ".0%", range: [0, 1] }, margin: { l: 20, r: 20, t: 50, b: 40 }, legend: { orientation: "h", y: 1, yanchor: "bottom", x: 0, traceorder: "normal" } });
}

function curves(set, measure, cost, setting) {
  byId("curves-section").hidden = !setting;
  if (!setting) return;
  const groups = Object.entries(set.curves[setting]);
  const paint = (name, at) => (names.includes(name) ? colour(name) : COLOURS[at % COLOURS.length]);
  const line = (name, places, at, value) => {
    const runs = places.map((place) => set.runs[place]).filter((run) => run.scores[measure]);
    return { type: "scatter", mode: "lines+markers", name, x: runs.map((run) => run.settings[setting]), y: runs.map(value), line: { color: paint(name, at) }, marker: { symbol: names.includes(name) ? shape(name) : "circle", size: 8 }, hovertemplate: `${name}: %{y:.4~g} at %{x}<extra></extra>` };
  };
  draw("curves", groups.map(([name, places], at) => line(name, places, at, (run) => run.scores[measure][0])), { height: 380, xaxis: { title: { text: setting } }, yaxis: { title: { text: measure } } });
  draw("prices", groups.map(([name, places], at) => line(name, places, at, (run) => run.costs[cost])), { height: 380, xaxis: { title: { text: setting } }, yaxis: { title: { text: cost } } });
}

function table(id, head, rows) {
  const cell = (tag, value) => {
    const made = document.createElement(tag);
    made.textContent = typeof value === "number" && !Number.isInteger(value) ? value.toFixed(3) : value;
    if (typeof value === "number") made.className = "number";
    return made;
  };
  const row = (tag, values) => {
    const made = document.createElement("tr");
    made.append(...values.map((value) => cell(tag, value)));
    return made;
  };
  const top = document.createElement("thead"), body = document.createElement("tbody");
  top.append(row("th", head));
  body.append(...(rows.length ? rows.map((values) => row("td", values)) : [row("td", ["none"])]));
  byId(id).replaceChildren(top, body);
}

function show() {
  const set = current();
  const measure = byId("measure").value, slice = byId("slice").value, cost = byId("cost").value;
  const codes = [...new Set(set.runs.map((run) => run.code))].join(", "), machines = [...new Set(set.runs.map((run) => run.machine))].join("; ");
  const versions = Object.entries(set.runs[0].versions).map(([name, version]) => `${name} ${version}`).join(", ");
  const left = Math.max(...set.runs.map((run) => run.left_out));
  byId("run").textContent = `${set.name}: ${set.questions} questions${left ? ` (${left} left out, their clones were not there)` : ""}, ${set.runs.length} runs; code ${codes}; ${machines}; ${versions}`;
  quality(set, measure, slice);
  front(set, measure, cost);
  losses(set);
  curves(set, measure, cost, byId("setting").value);
  table("gaps", ["measure", "run", "score", "oracle", "lost", "95 % interval", "look at"], set.gaps.filter((gap) => wanted(set.runs.find((run) => run.label === gap.label))).map((gap) => [gap.measure, gap.label, gap.score, gap.bound, gap.lost[0], `${gap.lost[1].toFixed(3)}..${gap.lost[2].toFixed(3)}`, gap.reading]));
  table("rides", ["run", "question", "gold", "rank of the chunk", "rank alone"], set.rides.filter((ride) => wanted(set.runs.find((run) => run.label === ride.label))).map((ride) => [ride.label, ride.question, `${ride.path}:${ride.start}-${ride.end}`, ride.rank, ride.alone || "not found"]));
}

function choose() {
  const set = current();
  fill(byId("measure"), set.measures, set.headlines.includes(byId("measure").value) ? undefined : set.headlines[0]);
  fill(byId("slice"), ["all", ...Object.keys(set.slices)]);
  fill(byId("cost"), set.costs);
  fill(byId("setting"), Object.keys(set.curves));
  const few = set.runs.length <= MANY || set.runs.every((run) => run.plain);
  fill(byId("runs"), few ? ["all"] : ["defaults", "all"], few ? "all" : "defaults");
  show();
}

fill(byId("set"), sets.map((set) => set.name));
byId("set").addEventListener("change", choose);
for (const id of ["measure", "slice", "cost", "runs", "setting"]) byId(id).addEventListener("change", show);
dark.addEventListener("change", show);
choose();
