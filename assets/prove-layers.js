// How far the gradient of each layer is from the large batch's, on a logarithmic axis, for all ways of one plan.

import { setText } from "./dom.js";
import { CONFIG, paper, plain, sizes, token } from "./plot.js";
import { PartChart, key } from "./part-chart.js";
import { planText } from "./plans.js";
import { WAYS, errorText, ratioText, stateOf, wayOf } from "./prove-figures.js";
import { say } from "./words.js";

const LAYER_PX = { few: 32, many: 24 };
const MANY = 20;
const LEAST_PX = 260;
const AROUND_PX = 72; // the axis above the layers, and the edge below
const BESIDE = 0.24; // of a row: ways that are equally far stand under one another
const WIDE_PX = 520;
const TICK_EMS = 7; // of the whole chart for each label of the axis: closer, two would touch
const BUTTONS = { ...CONFIG, modeBarButtons: [["toImage"]] };

export class Layers {
  constructor() {
    this.chart = new PartChart({
      name: "layers",
      title: say("prove.layers.title"),
      empty: say("prove.layers.empty"),
      draw: (graph) => this.#draw(graph),
    });
    this.element = this.chart.element;
    this.revision = 0;
  }

  render(proof, plan) {
    const mark = JSON.stringify([proof?.ways.length, plan, proof?.precision]);
    if (mark === this.shown) return;
    this.shown = mark;
    Object.assign(this, { proof, plan });
    this.chart.draw();
  }

  #draw(graph) {
    const { proof, plan, chart } = this;
    const ways = proof && plan ? WAYS.map((way) => ({ ...way, gone: wayOf(proof, way.name, plan) })).filter(({ gone }) => gone) : [];
    const names = ways[0]?.gone.layers.map(({ name }) => name) ?? [];
    chart.plot.style.height = `${Math.max(LEAST_PX, names.length * (names.length > MANY ? LAYER_PX.many : LAYER_PX.few) + AROUND_PX)}px`;
    setText(chart.about, names.length ? say("prove.layers.about", { plan: planText(plan) }) : "");
    chart.keys.replaceChildren(...ways.map(({ name, colour }) => key(colour, say(`prove.way.${name}`))));
    setText(chart.read, names.length ? spoken(ways, proof) : say("read.empty"));
    const range = extent(ways, proof);
    const said = names.map((name, place) => hover(name, ways, place));
    const traces = ways.map((way, place) => trace(way, said, range, BESIDE * (place - 1)));
    window.Plotly.react(graph, traces, this.#layout(names, range), BUTTONS);
    return names.length > 0;
  }

  #layout(names, range) {
    const { proof } = this;
    const grid = token("grid");
    const ink = token("ink-soft");
    const width = this.chart.graph.offsetWidth;
    const rounding = proof ? Math.log10(proof.tolerance) : null;
    return {
      ...paper(this.element),
      margin: { l: 8, r: 28, t: 40, b: 32 },
      hovermode: "closest",
      hoverdistance: 60,
      dragmode: false,
      datarevision: ++this.revision,
      xaxis: {
        type: "log",
        side: "top",
        range,
        ...ticks(range, Math.max(3, Math.floor(width / (TICK_EMS * sizes().tickSize)))),
        tickangle: 0,
        ticklabeloverflow: "allow",
        fixedrange: true,
        gridcolor: grid,
        linecolor: grid,
        zeroline: false,
        tickfont: { color: ink },
      },
      yaxis: {
        range: [Math.max(names.length, 1) - 0.5, -0.5],
        tickvals: names.map((_, place) => place),
        ticktext: names.map((name) => plain(cut(name, width < WIDE_PX ? 16 : 32))),
        fixedrange: true,
        automargin: true,
        gridcolor: grid,
        zeroline: false,
        showticklabels: names.length > 0,
        tickfont: { color: token("ink") },
      },
      shapes: names.length
        ? [
            { type: "rect", yref: "paper", y0: 0, y1: 1, x0: 10 ** range[0], x1: proof.tolerance, fillcolor: token("good"), opacity: 0.08, line: { width: 0 }, layer: "below" },
            { type: "line", yref: "paper", y0: 0, y1: 1, x0: proof.tolerance, x1: proof.tolerance, line: { color: token("good"), width: 1.5, dash: "dash" } },
          ]
        : [],
      annotations: names.length
        ? [{ x: rounding, y: 0, yref: "paper", xanchor: "right", yanchor: "top", yshift: -2, showarrow: false, text: plain(say("prove.layers.rounding")), font: { color: token("good"), size: sizes().tickSize } }]
        : [],
    };
  }
}

function trace({ name, colour, symbol, gone }, said, range, beside) {
  const floor = 10 ** range[0];
  return {
    type: "scatter",
    mode: "markers",
    name: plain(say(`prove.way.${name}`)),
    // equal bit for bit is nowhere on a logarithmic axis: it stands at the edge
    x: gone.layers.map(({ relative_error: error }) => (error === null ? null : Math.max(error, floor))),
    y: gone.layers.map((_, place) => place + beside),
    customdata: said,
    marker: { color: token(colour), symbol, size: 10, line: { color: token("paper"), width: 1 } },
    cliponaxis: false,
    hovertemplate: "%{customdata}<extra></extra>",
  };
}

// Of one layer all ways, whichever of them the pointer is at.
function hover(layer, ways, place) {
  const lines = ways.map(({ name, gone }) => {
    const { relative_error: error, norm_ratio: ratio } = gone.layers[place];
    return `${say(`prove.way.${name}`)}: ${errorText(error)} · ${say("prove.cell.norm", { ratio: ratioText(ratio) })}`;
  });
  return [layer, ...lines].map(plain).join("<br>");
}

// The decades of the axis: all errors, the tolerance and a whole that is wrong.
function extent(ways, proof) {
  if (!ways.length) return [-8, 0];
  const errors = ways.flatMap(({ gone }) => gone.layers.map((layer) => layer.relative_error)).filter((error) => error > 0);
  const least = Math.min(proof.tolerance / 100, ...errors);
  const most = Math.max(1, ...errors);
  return [Math.floor(Math.log10(least)) - 0.4, Math.ceil(Math.log10(most)) + 0.1];
}

function ticks([from, to], most) {
  const every = Math.ceil((to - from) / most);
  const powers = [];
  for (let power = Math.floor(to); power > from; power -= every) powers.unshift(power);
  return { tickvals: powers.map((power) => 10 ** power), ticktext: powers.map((power) => plain(errorText(10 ** power))) };
}

const cut = (name, most) => (name.length > most ? `…${name.slice(1 - most).replace(/^\./, "")}` : name);

function spoken(ways, proof) {
  return ways
    .map(({ name, gone }) => {
      const worst = gone.layers.reduce((one, other) => ((other.relative_error ?? 0) > (one.relative_error ?? 0) ? other : one), gone.layers[0]);
      const state = say(`prove.cell.${stateOf(worst.relative_error, proof)}`);
      return say("prove.layers.read", { way: say(`prove.way.${name}`), layer: worst.name, error: errorText(worst.relative_error), state });
    })
    .join(" ");
}
