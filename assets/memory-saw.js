// The saw-tooth: the memory of one window at each allocation, a plan beside the other on one scale.

import { setText } from "./dom.js";
import { CATEGORIES, areaKey, pale, phaseText, scaleFor } from "./categories.js";
import { PartChart, key } from "./part-chart.js";
import { CONFIG, paper, plain, sizes, token } from "./plot.js";
import { planText } from "./plans.js";
import { bytes, say } from "./words.js";

const PHASES = ["forward", "backward", "update"];
const BESIDE_FROM_PX = 700; // narrower, the plans stand under one another
const HEIGHT_PX = { beside: 400, under: 300 };
const STRIP = 0.035; // of the height of a panel: the phases, under the axis
const MOST_NUMBERED = 16; // micro-batches whose numbers find room
const BUTTONS = { ...CONFIG, modeBarButtons: [["toImage"]] };

export class Saw {
  // `above` stands between the title and the graph.
  constructor(...above) {
    this.chart = new PartChart({ name: "xray", title: say("memory.xray.title"), empty: say("memory.xray.empty"), draw: (graph) => this.#draw(graph) });
    setText(this.chart.about, say("memory.xray.about"));
    this.chart.plot.before(...above, this.chart.keys);
    this.element = this.chart.element;
    this.revision = 0;
  }

  // `accounts` have a trace each; `predicted` are the peaks that were foretold, in their order.
  render(accounts, predicted) {
    const mark = JSON.stringify([accounts.map((account) => [account.measured, account.micro_batch, account.steps, account.peak_bytes, account.seconds]), predicted]);
    if (mark === this.shown) return;
    this.shown = mark;
    Object.assign(this, { accounts, predicted });
    this.chart.draw();
  }

  #draw(graph) {
    const { chart, accounts = [], predicted = [] } = this;
    const beside = graph.offsetWidth >= BESIDE_FROM_PX;
    const count = Math.max(1, accounts.length);
    chart.plot.style.height = `${beside ? HEIGHT_PX.beside : HEIGHT_PX.under * count}px`;
    chart.keys.replaceChildren(...(accounts.length ? keys(predicted) : []));
    setText(chart.read, accounts.length ? accounts.map(spoken).join(" ") : say("read.empty"));
    const highest = Math.max(0, ...accounts.map((account) => account.peak_bytes), ...predicted.filter(Number.isFinite));
    const scale = scaleFor(highest);
    const top = (1.08 * highest) / scale.size || 1;
    const panels = Array.from({ length: count }, (_, place) => panel(place, count, beside));
    const traces = accounts.flatMap((account, place) => [...areas(account, panels[place], scale), peakMark(account, panels[place], scale)]);
    const room = { beside, scale, top, width: graph.offsetWidth / (beside ? count : 1) };
    window.Plotly.react(graph, traces, this.#layout(panels, accounts, predicted, room), BUTTONS);
    return accounts.length > 0;
  }

  #layout(panels, accounts, predicted, room) {
    const { beside, scale, top } = room;
    const grid = token("grid");
    const ink = token("ink-soft");
    const { tickSize, unitSize } = sizes();
    const title = (text) => ({ text: plain(text), font: { size: unitSize, color: ink }, standoff: 6 });
    const axis = { gridcolor: grid, linecolor: grid, zeroline: false, tickfont: { color: ink }, fixedrange: true };
    const layout = {
      ...paper(this.element),
      margin: { l: 5.6 * tickSize, r: 14, t: 34, b: 2 * unitSize + 18 },
      dragmode: false,
      hovermode: "x unified",
      datarevision: ++this.revision,
      shapes: accounts.flatMap((account, place) => [...strip(account, panels[place]), ...foretold(predicted[place], panels[place], scale)]),
      annotations: [
        ...accounts.flatMap((account, place) => [heading(account, panels[place]), ...numbers(account, panels[place], room.width)]),
        { text: plain(say("memory.xray.axis")), xref: "paper", x: 0.5, yref: "paper", y: 0, yanchor: "top", yshift: -unitSize - 8, showarrow: false, font: { size: unitSize, color: ink } },
      ],
    };
    panels.forEach((place, index) => {
      layout[place.xaxis] = {
        ...axis,
        domain: place.x,
        anchor: place.y,
        showgrid: false,
        showticklabels: false,
        range: [0, Math.max(1, (accounts[index]?.trace.bytes.weights.length ?? 2) - 1)],
        unifiedhovertitle: { text: "" },
      };
      layout[place.yaxis] = {
        ...axis,
        domain: place.height,
        anchor: place.xname,
        range: [0, top],
        nticks: 6,
        showticklabels: accounts.length > 0 && (!beside || index === 0),
        title: !beside || index === 0 ? title(scale.unit) : undefined,
      };
    });
    return layout;
  }
}

// Where the panel of a plan lies, and the names of its axes.
function panel(place, count, beside) {
  const number = place ? place + 1 : "";
  const gap = beside ? 0.025 : 0.2 / count;
  const size = (1 - gap * (count - 1)) / count;
  const from = place * (size + gap);
  const low = beside ? 0 : 1 - from - size;
  const high = beside ? 1 : 1 - from;
  const strip = STRIP * (high - low);
  return { xname: `x${number}`, y: `y${number}`, xaxis: `xaxis${number}`, yaxis: `yaxis${number}`, x: beside ? [from, from + size] : [0, 1], height: [low + 1.4 * strip, high], strip: [low, low + strip] };
}

const areas = ({ trace, measured }, { xname, y }, scale) =>
  CATEGORIES.map((category) => ({
    type: "scatter",
    mode: "lines",
    name: plain(say(`memory.category.${category}`)),
    x: trace.bytes[category].map((_, place) => place),
    y: trace.bytes[category].map((size) => size / scale.size),
    xaxis: xname,
    yaxis: y,
    stackgroup: y,
    line: { width: measured ? 0 : 1, color: token(category), shape: "hv", dash: measured ? "solid" : "dot" },
    fillcolor: measured ? token(category) : pale(category),
    hovertemplate: `%{y:.2f} ${scale.unit}`,
  }));

const totalAt = ({ bytes: each }, place) => CATEGORIES.reduce((sum, category) => sum + each[category][place], 0);

function peakAt({ trace }) {
  let [at, most] = [0, -1];
  trace.bytes.weights.forEach((_, place) => {
    const total = totalAt(trace, place);
    if (total > most) [at, most] = [place, total];
  });
  return at;
}

function peakMark(account, { xname, y }, scale) {
  return {
    type: "scatter",
    mode: "markers",
    x: [peakAt(account)],
    y: [account.peak_bytes / scale.size],
    xaxis: xname,
    yaxis: y,
    marker: { symbol: "circle", size: 11, color: token("paper"), line: { color: token("ink"), width: 2.5 } },
    cliponaxis: false,
    hoverinfo: "skip",
  };
}

// Forward, backward and update of each micro-batch, under the axis; thin lines where a micro-batch begins.
const strip = ({ trace, steps }, { xname, y, strip: [low, high] }) =>
  trace.spans.flatMap(({ phase, micro_batch: number, start, end }) => [
    { type: "rect", xref: xname, x0: start, x1: end, yref: "paper", y0: low, y1: high, fillcolor: token(`phase-${phase}`), line: { width: 1, color: token("paper") } },
    ...(phase === "update" || (phase === "forward" && number > 1 && steps <= MOST_NUMBERED)
      ? [{ type: "line", xref: xname, x0: start, x1: start, yref: `${y} domain`, y0: 0, y1: 1, line: { color: token("ink"), width: 1, dash: "dot" }, opacity: 0.55 }]
      : []),
  ]);

const foretold = (predicted, { xname, y }, scale) =>
  Number.isFinite(predicted)
    ? [{ type: "line", xref: `${xname} domain`, x0: 0, x1: 1, yref: y, y0: predicted / scale.size, y1: predicted / scale.size, line: { color: token("ink"), width: 1.5, dash: "dash" } }]
    : [];

function heading(account, { xname, y }) {
  const text = say("memory.xray.peak", { plan: planOf(account), peak: bytes(account.peak_bytes) });
  return { text: `<b>${plain(text)}</b>`, xref: `${xname} domain`, x: 0, xanchor: "left", yref: `${y} domain`, y: 1, yanchor: "bottom", yshift: 4, showarrow: false, font: { size: sizes().tickSize + 3, color: token("ink") } };
}

// The number of each micro-batch under its place in the strip.
function numbers({ trace, steps }, { xname, strip: [low] }, width) {
  if (steps > MOST_NUMBERED || width / steps < 18) return [];
  const at = (number) => trace.spans.filter((span) => span.micro_batch === number && span.phase !== "update");
  return Array.from({ length: steps }, (_, place) => at(place + 1))
    .filter((spans) => spans.length)
    .map((spans) => ({ text: String(spans[0].micro_batch), xref: xname, x: (spans[0].start + spans.at(-1).end) / 2, yref: "paper", y: low, yanchor: "top", showarrow: false, font: { size: sizes().unitSize, color: token("ink-soft") } }));
}

const keys = (predicted) => [
  ...[...CATEGORIES].map((category) => areaKey(category, say(`memory.category.${category}`))),
  ...PHASES.map((phase) => areaKey(`phase-${phase}`, say(`memory.phase.${phase}`))),
  ...(predicted.some(Number.isFinite) ? [key("ink", say("memory.predicted"), true)] : []),
];

const planOf = ({ micro_batch: rows, steps }) => planText([rows, steps]);

function spoken(account) {
  const parts = CATEGORIES.map((category) => say("memory.xray.part", { category: say(`memory.category.${category}`), amount: bytes(account.parts[category]) }));
  return say("memory.xray.read", { plan: planOf(account), peak: bytes(account.peak_bytes), phase: phaseText(account.moment), parts: parts.join(", ") });
}
