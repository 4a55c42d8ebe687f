// Parallel coordinates: an axis a setting and one for the loss, a line a trial. On a narrow screen the axes lie, one
// below the other.

import { setText } from "./dom.js";
import { PartChart } from "./part-chart.js";
import { CONFIG, mixed, paper, plain, sizes, token } from "./plot.js";
import { fieldName } from "./sweep-names.js";
import { ending, known, logarithmic, lossText, lost, metricName, ranked, scaleOf, valuesText } from "./sweep-trials.js";
import { integer, say, sayCount } from "./words.js";

const AXIS_EMS = 9; // of width for each axis that stands; with less, they lie
const LYING_EMS = 5.2; // of height for each axis that lies
const BESIDE = 0.008; // lines that would lie on one another stand beside each other
const SPOKEN = 5;
const MOST_LINES = 300; // beyond, those of the best: more tell nothing

export class Parallel {
  constructor() {
    this.chart = new PartChart({ name: "sweep-parallel", title: say("sweep.chart.parallel"), empty: say("sweep.chart.parallel.empty"), draw: (graph) => this.#draw(graph) });
    this.element = this.chart.element;
    this.revision = 0;
  }

  render(state, varied) {
    const mark = JSON.stringify([state?.study, state?.trials, varied]);
    if (mark === this.shown) return;
    this.shown = mark;
    Object.assign(this, { state, varied });
    this.chart.draw();
  }

  #draw(graph) {
    const { state, varied, chart } = this;
    const order = state && varied.length > 1 ? ranked(state) : [];
    const without = state && varied.length > 1 ? lost(state) : [];
    const { tickSize } = sizes();
    const lying = graph.offsetWidth < AXIS_EMS * tickSize * (varied?.length + 1);
    chart.plot.style.height = lying ? `${(LYING_EMS * (varied.length + 1) + 1) * tickSize}px` : "";
    setText(chart.about, order.length ? say("sweep.chart.parallel.about") : "");
    setText(chart.read, order.length ? spoken(order, without, varied) : say("read.empty"));
    const axes = order.length ? axesOf(state, varied, order) : [];
    const drawn = order.slice(0, MOST_LINES);
    // the best one is drawn last, over the others
    const traces = [
      ...without.map((trial) => this.#line(trial, axes.slice(0, -1), lying, { color: token("padding"), width: 1, dash: "dot" })),
      ...drawn.map((trial, place) => this.#line(trial, axes, lying, look(trial, place, drawn.length))).reverse(),
    ];
    window.Plotly.react(graph, order.length ? traces : [], this.#layout(axes, lying), { ...CONFIG, modeBarButtons: [["toImage"]] });
    return order.length > 0;
  }

  #line(trial, axes, lying, line) {
    const beside = BESIDE * ((trial.trial % 7) - 3);
    const along = axes.map((_, place) => place);
    const across = axes.map(({ at }, place) => at(trial) + (place < this.varied.length ? beside : 0));
    const value = known(trial) ? lossText(trial.value) : ending(trial);
    const words = [`${say("sweep.table.trial")} ${integer(trial.trial)}: ${value}`, ...this.varied.map((key) => valuesText(trial.values, [key]))].map(plain).join("<br>");
    return {
      type: "scatter",
      mode: "lines",
      x: lying ? across : along,
      y: lying ? along : across,
      line,
      text: words,
      hoverinfo: "text",
      cliponaxis: false,
    };
  }

  #layout(axes, lying) {
    const [line, ink] = [token("edge"), token("ink-soft")];
    const { tickSize } = sizes();
    const none = { visible: false, fixedrange: true };
    const last = Math.max(1, axes.length - 1);
    const end = [-0.06, 1.06];
    const shapes = axes.map((_, place) => ({ type: "line", layer: "below", line: { color: line, width: 1 }, ...(lying ? { x0: 0, x1: 1, y0: place, y1: place } : { x0: place, x1: place, y0: 0, y1: 1 }) }));
    const note = (text, place, style) => ({ text: plain(text), showarrow: false, bgcolor: token("paper"), borderpad: 1, font: { size: tickSize, color: ink }, ...place, ...style });
    const annotations = axes.flatMap(({ name, ticks }, place) => [
      note(name, lying ? { x: -0.04, y: place, xanchor: "left", yanchor: "bottom", yshift: 0.9 * tickSize } : { x: place, y: 1, yanchor: "bottom", yshift: 1.1 * tickSize, ...edge(place, last) }, { font: { size: tickSize, color: token("ink") } }),
      ...ticks.map(([share, words]) => note(words, lying ? { x: share, y: place, yanchor: "top", yshift: -3 } : { x: place, y: share, xanchor: place === last ? "right" : "left", xshift: place === last ? -5 : 5 }, {})),
    ]);
    return {
      ...paper(this.element),
      margin: lying ? { l: 28, r: 28, t: 2.4 * tickSize, b: 1.6 * tickSize } : { l: 46, r: 46, t: 3.2 * tickSize, b: 1.2 * tickSize },
      dragmode: false,
      hovermode: "closest",
      hoverdistance: 30,
      datarevision: ++this.revision,
      xaxis: { ...none, range: lying ? end : [0, last] },
      yaxis: { ...none, range: lying ? [last, 0] : end },
      shapes,
      annotations,
    };
  }
}

// The names of the outer axes stay within the chart.
const edge = (place, last) => (place === 0 ? { xanchor: "left", xshift: -40 } : place === last ? { xanchor: "right", xshift: 40 } : {});

// From the settings to the loss, whose lower values lie further down.
function axesOf(state, varied, order) {
  const fields = varied.map((key) => {
    const { at, ticks } = scaleOf(key, state.fields[key]);
    return { name: fieldName(key), at: (trial) => at(trial.values[key]), ticks };
  });
  // one that was ended early because it was far worse would squash all others: it stands at the edge
  const whole = order.filter((trial) => trial.state !== "pruned");
  const values = (whole.length ? whole : order).map((trial) => trial.value);
  const [least, most] = [Math.min(...order.map((trial) => trial.value)), Math.max(...values)];
  const log = logarithmic(values);
  const along = (value) => (log ? Math.log(value / least) / Math.log(most / least) : (value - least) / (most - least));
  const place = (value) => (most === least ? 0 : Math.min(1, along(value)));
  const beyond = order.some((trial) => trial.value > most);
  const middle = log ? Math.sqrt(least * most) : (least + most) / 2;
  const ticks = (most === least ? [least] : [least, middle, most]).map((value) => [place(value), `${beyond && value === most ? "≥ " : ""}${lossText(value)}`]);
  return [...fields, { name: metricName(state), at: (trial) => place(trial.value), ticks }];
}

function look(trial, place, of) {
  if (place === 0) return { color: token("good"), width: 4 };
  if (trial.state === "pruned") return { color: token("padding"), width: 1.5, dash: "dash" };
  return { color: mixed("cell-to", "cell-from", of > 2 ? (place - 1) / (of - 2) : 0), width: 2 };
}

function spoken(order, without, varied) {
  const best = order.slice(0, SPOKEN);
  const line = (trial, value) => say("sweep.chart.parallel.read", { trial: integer(trial.trial), values: valuesText(trial.values, varied), value });
  const lines = [...best.map((trial) => line(trial, lossText(trial.value))), ...without.slice(0, SPOKEN).map((trial) => line(trial, ending(trial)))];
  return [sayCount("sweep.chart.parallel.first", best.length, { of: integer(order.length) }), ...lines].join(" ");
}
