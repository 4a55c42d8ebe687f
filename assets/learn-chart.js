// The chart of a lesson: lines, bars side by side or on top of one another, as the engine's `Chart` says.

import { areaKey, scaleFor } from "./categories.js";
import { setText } from "./dom.js";
import { inUnit, named } from "./learn-numbers.js";
import { PartChart, key } from "./part-chart.js";
import { CONFIG, mixed, paper, plain, sizes, token } from "./plot.js";
import { language, say } from "./words.js";

const BUTTONS = { ...CONFIG, modeBarButtons: [["toImage"]] };
const LYING_EMS = 3.2; // of height for each name beside its bars: two lines of it
const SPOKEN = 6; // points of a line that are said in words
// What has a colour of its own elsewhere on the page keeps it here; any other takes its turn.
const OWN = { exact: "way-ours", birikim: "way-ours", means: "way-means", trainer: "way-stock", weights: "weights", gradients: "gradients", optimizer: "optimizer", activations: "activations", other: "other" };
const TURNS = ["training", "evaluation", "targets", "examples", "way-means", "way-stock"];
const DASHES = ["solid", "dash", "dot", "dashdot", "longdash", "longdashdot"];
const SYMBOLS = ["circle", "diamond", "square", "triangle-up", "x", "cross"];
const WIDEST = 9; // of lines that may lie on one another the first is the widest, so that each shows
const THINNEST = 2;

export class LessonChart {
  constructor() {
    this.chart = new PartChart({ name: "lesson", title: say("learn.chart"), empty: say("learn.chart.empty"), draw: (graph) => this.#draw(graph) });
    this.element = this.chart.element;
    this.revision = 0;
  }

  // `found` is the chart as the program sends it, or null.
  render(found) {
    const mark = JSON.stringify(found);
    if (mark === this.shown) return;
    this.shown = mark;
    this.found = found;
    this.chart.draw();
  }

  #draw(graph) {
    const { chart, found } = this;
    const series = found?.series.filter(({ x }) => x.length) ?? [];
    setText(chart.title, found ? capital(named(found.y.name)) : say("learn.chart"));
    const places = found && placesOf(found, series);
    const scale = found?.y.unit === "bytes" ? scaleFor(highest(series, found.kind)) : null;
    const looks = series.map((one, place) => lookOf(one, place, series, found.kind));
    chart.plot.style.height = lies(found) && places.length ? `${(LYING_EMS * places.length + 4) * sizes().tickSize}px` : "";
    chart.keys.replaceChildren(...(series.length > 1 ? series.map((one, place) => keyOf(one, looks[place], found.kind)) : []));
    setText(chart.read, series.length ? series.map((one) => spoken(one, found)).join(" ") : say("read.empty"));
    const traces = series.map((one, place) => trace(one, looks[place], { found, places, scale }));
    window.Plotly.react(graph, traces, this.#layout(found, series, places, scale), BUTTONS);
    return series.length > 0;
  }

  #layout(found, series, places, scale) {
    const { tickSize } = sizes();
    const lying = lies(found);
    const labels = places?.map((place) => label(place, lying, this.chart.graph.offsetWidth / tickSize, places.length)) ?? [];
    const lines = Math.max(1, ...labels.map((text) => text.split("<br>").length));
    const along = {
      ...axisOf(series.length > 0, found ? named(found.x.name) : ""),
      ...(places
        ? { tickvals: places.map((_, place) => place), ticktext: labels, range: [-0.6, Math.max(places.length, 1) - 0.4], tickangle: 0, showgrid: false, zeroline: false }
        : { type: found?.x.log ? "log" : "linear", nticks: 8 }),
    };
    const up = { ...axisOf(series.length > 0, found ? yTitle(found.y, scale) : ""), type: found?.y.log ? "log" : "linear", rangemode: found?.kind === "lines" ? "normal" : "tozero", nticks: 6, ...ticks(found?.y) };
    const lain = { xaxis: up, yaxis: { ...along, title: { text: "" }, range: [...(along.range ?? [])].reverse(), automargin: true } };
    return {
      ...paper(this.element),
      barmode: found?.kind === "stacked" ? "stack" : "group",
      bargap: 0.3,
      margin: { l: lying ? 8 : 5.6 * tickSize, r: 14, t: 10, b: 24 + (lying ? 2 : 0.6 + 1.4 * lines) * tickSize },
      dragmode: false,
      hovermode: "closest",
      datarevision: ++this.revision,
      ...(lying ? lain : { xaxis: along, yaxis: up }),
    };
  }
}

function axisOf(drawn, words) {
  const [grid, ink] = [token("grid"), token("ink-soft")];
  return {
    gridcolor: grid,
    linecolor: grid,
    zerolinecolor: grid,
    tickfont: { color: ink },
    fixedrange: true,
    showticklabels: drawn,
    title: { text: plain(words), font: { size: sizes().unitSize, color: ink }, standoff: 6 },
  };
}

// Bars that have words for names lie, so that these can be read.
const lies = (found) => found !== null && found !== undefined && found.kind !== "lines" && found.x.unit === "text";

// The label of a place, on as many lines as it needs; `ems` is the width of the chart.
function label(text, lying, ems, places) {
  const most = lying ? Math.max(20, 0.6 * ems) : Math.max(4, (1.6 * ems) / places - 2);
  const lines = [];
  for (const word of text.split(" ")) {
    const longer = `${lines.at(-1) ?? ""} ${word}`.trim();
    if (lines.length && longer.length <= most) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines.map(plain).join("<br>");
}

// The labels along x where it has no numbers, each once; null where it has.
function placesOf({ kind, x }, series) {
  const numbers = series.every((one) => one.x.every((value) => typeof value === "number"));
  if (kind === "lines" && numbers && x.unit !== "plan" && x.unit !== "text") return null;
  return [...new Set(series.flatMap((one) => one.x))].map((value) => (typeof value === "number" ? inUnit(value, x.unit) : named(value)));
}

function lookOf({ name }, place, series, kind) {
  const plans = series.filter((one) => !one.name.startsWith("lesson."));
  const share = plans.length > 1 ? place / (plans.length - 1) : 1;
  const width = kind === "lines" && series.length > 1 ? WIDEST - ((WIDEST - THINNEST) * place) / (series.length - 1) : 2.5;
  const symbol = SYMBOLS[place % SYMBOLS.length];
  // plans of one window take the ramp of its cells, from pale and wide to full and thin
  if (plans.length === series.length) return { colour: mixed("cell-from", "cell-to", share), width, dash: "solid", symbol };
  const own = OWN[name.split(".").at(-1)];
  const colour = own ?? TURNS[place % TURNS.length];
  return { colour: token(colour), token: colour, width: 2.5, dash: DASHES[place % DASHES.length], symbol };
}

function keyOf({ name }, look, kind) {
  const words = named(name);
  const element = kind === "lines" ? key(look.token, words, look.dash !== "solid") : areaKey(look.token, words);
  element.style.setProperty("--key", look.colour);
  return element;
}

function trace({ name, x, y }, look, { found, places, scale }) {
  const labels = x.map((value) => (typeof value === "number" ? inUnit(value, found.x.unit) : named(value)));
  const values = y.map((value) => (value === null || (found.y.log && value <= 0) ? null : scale ? value / scale.size : value));
  const at = places ? labels.map((one) => places.indexOf(one)) : x;
  const lying = lies(found);
  const common = {
    name: plain(named(name)),
    x: lying ? values : at,
    y: lying ? at : values,
    ...(lying ? { orientation: "h" } : {}),
    customdata: y.map((value, place) => plain(`${named(name)}, ${labels[place]}: ${inUnit(value, found.y.unit)}`)),
    hovertemplate: "%{customdata}<extra></extra>",
  };
  if (found.kind !== "lines") return { ...common, type: "bar", marker: { color: look.colour, line: { width: 0 } } };
  return {
    ...common,
    type: "scatter",
    mode: x.length <= 12 ? "lines+markers" : "lines",
    line: { color: look.colour, width: look.width, dash: look.dash },
    marker: { color: look.colour, size: Math.max(6, look.width + 2), symbol: look.symbol },
  };
}

const highest = (series, kind) =>
  kind === "stacked"
    ? Math.max(0, ...(series[0]?.x ?? []).map((_, place) => series.reduce((sum, { y }) => sum + (y[place] ?? 0), 0)))
    : Math.max(0, ...series.flatMap(({ y }) => y.filter((value) => value !== null)));

const yTitle = ({ name, unit }, scale) => (scale ? scale.unit : unit === "seconds" ? say("axis.seconds") : named(name));

function ticks(quantity) {
  if (!quantity) return {};
  if (quantity.unit === "share") return { tickformat: ".0%" };
  if (quantity.unit === "error" || quantity.unit === "rate") return { tickformat: ".0~e", exponentformat: "e" };
  return quantity.log ? { tickformat: ".3~g" } : {};
}

function spoken({ name, x, y }, { x: across, y: up }) {
  const every = Math.max(1, Math.ceil(x.length / SPOKEN));
  const shown = x.map((_, place) => place).filter((place) => place % every === 0 || place === x.length - 1);
  const points = shown.map((place) => say("learn.chart.point", { x: inUnit(x[place], across.unit), y: inUnit(y[place], up.unit) }));
  return say("learn.chart.read", { name: named(name), points: points.join(", ") });
}

const capital = (text) => text.charAt(0).toLocaleUpperCase(language) + text.slice(1);
