// Memory against the micro-batch at the same effective batch: predicted wide and pale, measured narrow and full in front.

import { setText } from "./dom.js";
import { CATEGORIES, areaKey, pale, scaleFor } from "./categories.js";
import { PartChart } from "./part-chart.js";
import { CONFIG, paper, plain, sizes, token } from "./plot.js";
import { planText, samePlan } from "./plans.js";
import { bytes, integer, say } from "./words.js";

const BUDGET_SHOWN_UP_TO = 2.5; // times the highest bar; above, the line would squash them
const TICK_EMS = 5.5; // of the chart for each label of a plan; narrower, it takes two lines
const WIDE = 0.74;
const NARROW = 0.3;
const BUTTONS = { ...CONFIG, modeBarButtons: [["toImage"]] };

export class Curve {
  constructor() {
    this.chart = new PartChart({
      name: "memory-curve",
      title: say("memory.curve.title"),
      empty: say("memory.curve.empty"),
      draw: (graph) => this.#draw(graph),
    });
    this.element = this.chart.element;
    this.chart.keys.replaceChildren(...keys());
    this.revision = 0;
  }

  // `curve` are the predicted plans, `own` the one that is set, `accounts` those of this config that were measured.
  render({ curve, own, processes, budget, accounts, stale }) {
    this.chart.plot.classList.toggle("stale", stale);
    const mark = JSON.stringify([curve, own, processes, budget, accounts.map((account) => account.peak_bytes)]);
    if (mark === this.shown) return;
    this.shown = mark;
    Object.assign(this, { curve, own, processes, budget, accounts });
    this.chart.draw();
  }

  #draw(graph) {
    const { chart, curve = [], own, processes, budget, accounts = [] } = this;
    const plans = curve.map(({ micro_batch: rows, steps }) => [rows, steps]);
    const measured = accounts
      .map((account) => ({ account, place: plans.findIndex((plan) => samePlan(plan, [account.micro_batch, account.steps])) }))
      .filter(({ place }) => place >= 0);
    const highest = Math.max(0, ...curve.map((point) => point.peak_bytes), ...measured.map(({ account }) => account.peak_bytes));
    const lined = budget !== null && budget <= BUDGET_SHOWN_UP_TO * highest;
    const top = 1.14 * Math.max(highest, lined ? budget : 0);
    const scale = scaleFor(top);
    setText(chart.about, curve.length ? say("memory.curve.about", { rows: integer(own[0] * own[1] * processes) }) : "");
    setText(chart.read, curve.length ? spoken(curve, measured, budget) : say("read.empty"));
    const bars = [
      ...stacked(curve, curve.map((_, place) => place), scale, WIDE, pale, say("memory.predicted")),
      ...stacked(measured.map(({ account }) => account), measured.map(({ place }) => place), scale, NARROW, token, say("memory.measured")),
    ];
    const drawn = { plans, highest, lined, top: top / scale.size, scale, chosen: plans.findIndex((plan) => own && samePlan(plan, own)) };
    window.Plotly.react(graph, bars, this.#layout(drawn), BUTTONS);
    return curve.length > 0;
  }

  #layout({ plans, lined, top, scale, chosen }) {
    const { budget, curve } = this;
    const grid = token("grid");
    const ink = token("ink-soft");
    const { tickSize, unitSize } = sizes();
    const title = (text) => ({ text: plain(text), font: { size: unitSize, color: ink }, standoff: 6 });
    const axis = { gridcolor: grid, linecolor: grid, zerolinecolor: grid, tickfont: { color: ink }, fixedrange: true, showticklabels: plans.length > 0 };
    const narrow = this.chart.graph.offsetWidth < TICK_EMS * tickSize * plans.length;
    const line = lined ? budget / scale.size : null;
    return {
      ...paper(this.element),
      margin: { l: 5.6 * tickSize, r: 14, t: 22, b: 24 + 2.6 * tickSize },
      barmode: "overlay",
      dragmode: false,
      hovermode: "closest",
      datarevision: ++this.revision,
      xaxis: {
        ...axis,
        title: title(say("memory.curve.plan")),
        range: [-0.6, Math.max(plans.length, 1) - 0.4],
        tickvals: plans.map((_, place) => place),
        ticktext: plans.map((plan, place) => (place === chosen ? `<b>${tick(plan, narrow)}</b>` : tick(plan, narrow))),
        tickangle: 0,
        showgrid: false,
        zeroline: false,
      },
      yaxis: { ...axis, title: title(scale.unit), range: [0, top || 1], nticks: 6 },
      shapes: [
        ...(lined ? beyond(line, top) : []),
        ...plans.map((_, place) => outline(place, curve[place].peak_bytes / scale.size, place === chosen)),
      ],
      annotations: [
        ...(lined ? [note(say("memory.curve.budget", { amount: bytes(budget) }), { x: 0, xref: "paper", xanchor: "left", y: line, yanchor: "bottom", bgcolor: token("paper"), yshift: 3, font: { color: token("capacity"), size: tickSize } })] : []),
        ...(chosen >= 0 ? [note(say("memory.own"), { x: chosen, y: curve[chosen].peak_bytes / scale.size, yanchor: "bottom", bgcolor: token("paper"), font: { color: token("ink"), size: tickSize } })] : []),
      ],
    };
  }
}

const tick = (plan, narrow) => (narrow ? planText(plan).replace(" × ", "<br>× ") : planText(plan));

const note = (text, place) => ({ ...place, text: plain(text), showarrow: false, borderpad: 2 });

// The budget as a line, and what lies beyond it in another light.
const beyond = (line, top) => [
  { type: "rect", xref: "paper", x0: 0, x1: 1, y0: line, y1: top, fillcolor: token("bad"), opacity: 0.1, line: { width: 0 }, layer: "below" },
  { type: "line", xref: "paper", x0: 0, x1: 1, y0: line, y1: line, line: { color: token("capacity"), width: 2 }, layer: "above" },
];

const outline = (place, height, chosen) => ({
  type: "rect",
  x0: place - WIDE / 2,
  x1: place + WIDE / 2,
  y0: 0,
  y1: height,
  line: { color: token(chosen ? "ink" : "ink-soft"), width: chosen ? 2.5 : 1, dash: "dash" },
});

// One trace a category, each bar from where the one below it ends.
function stacked(points, places, scale, width, colour, what) {
  const base = points.map(() => 0);
  return CATEGORIES.map((category) => {
    const sizes = points.map((point) => point.parts[category] / scale.size);
    const trace = {
      type: "bar",
      x: places,
      y: sizes,
      base: [...base],
      width,
      marker: { color: colour(category), line: { width: 0 } },
      customdata: points.map((point) => hover(point, what)),
      hovertemplate: "%{customdata}<extra></extra>",
    };
    sizes.forEach((size, place) => (base[place] += size));
    return trace;
  });
}

const hover = (point, what) =>
  [`${planText([point.micro_batch, point.steps])} · ${what} ${bytes(point.peak_bytes)}`, ...[...CATEGORIES].reverse().map((category) => `${say(`memory.category.${category}`)} ${bytes(point.parts[category])}`)]
    .map(plain)
    .join("<br>");

const keys = () => [
  ...CATEGORIES.map((category) => areaKey(category, say(`memory.category.${category}`))),
  areaKey("ink", say("memory.predicted"), true),
  areaKey("ink", say("memory.measured")),
];

function spoken(curve, measured, budget) {
  const line = (point, name) => say(name, { plan: planText([point.micro_batch, point.steps]), peak: bytes(point.peak_bytes), activations: bytes(point.parts.activations) });
  return [
    ...curve.map((point) => line(point, budget === null || point.peak_bytes <= budget ? "memory.curve.fits" : "memory.curve.beyond")),
    ...measured.map(({ account }) => line(account, "memory.curve.measured")),
  ].join(" ");
}
