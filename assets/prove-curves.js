// The loss curves of the plans that were trained side by side: equal plans lie on one another.

import { setText } from "./dom.js";
import { CONFIG, mixed, paper, plain, sizes, token } from "./plot.js";
import { PartChart, key } from "./part-chart.js";
import { planText } from "./plans.js";
import { errorText } from "./prove-figures.js";
import { say } from "./words.js";

const BESIDE = { "mean-of-means": "way-means", trainer: "way-stock" };
const WIDEST = 9; // of lines that lie on one another the first is the widest, so that each shows

export class Curves {
  constructor() {
    this.chart = new PartChart({
      name: "side-by-side",
      title: say("prove.side-by-side.title"),
      empty: say("prove.side-by-side.empty"),
      draw: (graph) => this.#draw(graph),
    });
    this.element = this.chart.element;
    this.curves = [];
    this.revision = 0;
  }

  render(curves, normalization) {
    const mark = curves.map((curve) => curve.losses.length).join();
    if (mark === this.shown) return;
    this.shown = mark;
    Object.assign(this, { curves, normalization });
    this.chart.draw();
  }

  #draw(graph) {
    const { curves, chart } = this;
    const mine = curves.filter((curve) => curve.normalization === this.normalization);
    const apart = mine.slice(1).map((curve) => curve.apart).filter(Number.isFinite);
    setText(chart.about, apart.length ? say("prove.side-by-side.apart", { error: errorText(Math.max(...apart)) }) : "");
    const traces = curves.map((curve) => trace(curve, mine.indexOf(curve), mine.length));
    chart.keys.replaceChildren(...keys(curves, mine));
    setText(chart.read, curves.length ? curves.map((curve) => say("prove.side-by-side.read", { curve: named(curve), apart: errorText(curve.apart) })).join(" ") : say("read.empty"));
    window.Plotly.react(graph, traces, this.#layout(), CONFIG);
    return curves.length > 0;
  }

  #layout() {
    const grid = token("grid");
    const ink = token("ink-soft");
    const { tickSize, unitSize } = sizes();
    const title = (name) => ({ text: plain(say(name)), font: { size: unitSize, color: ink }, standoff: 6 });
    const axis = { gridcolor: grid, linecolor: grid, zerolinecolor: grid, tickfont: { color: ink }, showticklabels: this.curves.length > 0 };
    const longest = Math.max(0, ...this.curves.map((curve) => curve.losses.length));
    return {
      ...paper(this.element),
      margin: { l: 5.6 * tickSize, r: 14, t: 8, b: 42 },
      hovermode: "x unified",
      datarevision: ++this.revision,
      uirevision: "same",
      xaxis: { ...axis, title: title("axis.update"), ...(longest <= 8 ? { dtick: 1 } : {}), unifiedhovertitle: { text: `${plain(say("axis.update"))} %{x}` } },
      yaxis: { ...axis, title: title("axis.loss"), nticks: 6 },
    };
  }
}

const named = (curve) => (BESIDE[curve.normalization] ? say("prove.side-by-side.way", { way: say(`prove.way.${curve.normalization}`), plan: planText(curve.plan) }) : planText(curve.plan));

// From pale and wide to full and thin, by the place among the plans that should be equal.
function trace(curve, place, of) {
  const beside = place < 0;
  const share = of > 1 ? place / (of - 1) : 1;
  return {
    type: "scatter",
    mode: curve.losses.length < 2 ? "lines+markers" : "lines",
    name: plain(named(curve)),
    x: curve.losses.map((_, update) => update + 1),
    y: curve.losses,
    line: beside ? { color: token(BESIDE[curve.normalization] ?? "ink"), width: 2, dash: "dash" } : { color: mixed("cell-from", "cell-to", share), width: WIDEST - (WIDEST - 2) * share },
    marker: { size: 5 },
    hovertemplate: "%{y:.6f}",
  };
}

function keys(curves, mine) {
  const beside = curves.filter((curve) => !mine.includes(curve));
  return [
    ...(mine.length ? [key("cell-to", mine.map((curve) => planText(curve.plan)).join(", "))] : []),
    ...beside.map((curve) => key(BESIDE[curve.normalization], say(`prove.way.${curve.normalization}`), true)),
  ];
}
