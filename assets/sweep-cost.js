// What accumulation costs: memory, throughput and loss of each plan of one effective batch.

import { h, setText } from "./dom.js";
import { scaleFor } from "./categories.js";
import { PartChart } from "./part-chart.js";
import { CONFIG, mixed, paper, plain, sizes, token } from "./plot.js";
import { planText } from "./plans.js";
import { MICRO_BATCH } from "./sweep-names.js";
import { ending, lossText, metricColour, metricName } from "./sweep-trials.js";
import { bytes, integer, say, told } from "./words.js";

const LABEL_EMS = 5.5; // of the chart for each label of a plan; narrower, it takes two lines

export class SweepCost {
  constructor() {
    this.charts = [
      new CostChart("predicted", "predicted_bytes", () => "resident", bytes),
      new CostChart("memory", "peak_bytes", () => "allocated", bytes),
      new CostChart("throughput", "targets_per_second", () => "targets", (value) => say("sweep.cost.targets", { count: integer(value) })),
      new CostChart("loss", "value", metricColour, lossText),
    ];
    this.element = h("div", { id: "sweep-cost", class: "charts sweep-cost" }, ...this.charts.map(({ element }) => element));
  }

  render(state) {
    for (const chart of this.charts) chart.render(state);
  }
}

class CostChart {
  constructor(name, column, colour, words) {
    Object.assign(this, { name, column, colour, words, revision: 0 });
    this.chart = new PartChart({ name: `sweep-${name}`, title: say(`sweep.cost.${name}`), empty: say(`sweep.cost.${name}.empty`), draw: (graph) => this.#draw(graph) });
    this.element = this.chart.element;
  }

  render(state) {
    const points = pointsOf(state, this.column);
    const mark = JSON.stringify([state?.study, points, missingOf(state, this.column)]);
    if (mark === this.shown) return;
    this.shown = mark;
    Object.assign(this, { state, points });
    this.chart.draw();
  }

  #draw(graph) {
    const { chart, name, column, state, points = [] } = this;
    const plans = plansOf(state);
    const scale = column.endsWith("_bytes") ? scaleFor(Math.max(0, ...points.map(({ y }) => y))) : { size: 1, unit: say(column === "value" ? "axis.loss" : "axis.throughput") };
    setText(chart.about, name === "loss" ? (state ? metricName(state) : "") : say(`sweep.cost.${name}.about`));
    const missing = missingOf(state, column);
    const said = [...points.map(({ plan, y }) => [plan, this.words(y)]), ...missing.map(({ plan, why }) => [plan, why])];
    setText(chart.read, said.length ? said.map(([plan, amount]) => say("sweep.cost.read", { plan: planText(plan), amount })).join(" ") : say("read.empty"));
    const lines = column === "value";
    const colour = token(state ? this.colour(state) : "training");
    const trace = {
      type: lines ? "scatter" : "bar",
      x: points.map(({ place }) => place),
      y: points.map(({ y }) => y / scale.size),
      ...(lines ? { mode: "lines+markers", line: { color: colour, width: 2 } } : { width: 0.6 }),
      // what is predicted is dashed and pale
      marker: name === "predicted" ? { color: mixed("resident", "paper", 0.6), line: { color: colour, width: 1.5 }, pattern: { shape: "/", fgcolor: colour, size: 6, solidity: 0.15 } } : { color: colour, size: 9 },
      customdata: points.map(({ plan, y }) => plain(`${planText(plan)}: ${this.words(y)}`)),
      hovertemplate: "%{customdata}<extra></extra>",
      cliponaxis: false,
    };
    window.Plotly.react(graph, [trace], this.#layout(plans, points, scale, missing), { ...CONFIG, modeBarButtons: [["toImage"]] });
    return points.length > 0;
  }

  #layout(plans, points, scale, missing) {
    const [grid, ink] = [token("grid"), token("ink-soft")];
    const { tickSize, unitSize } = sizes();
    const title = (text) => ({ text: plain(text), font: { size: unitSize, color: ink }, standoff: 6 });
    const axis = { gridcolor: grid, linecolor: grid, zerolinecolor: grid, tickfont: { color: ink }, fixedrange: true, showticklabels: points.length > 0 };
    const narrow = this.chart.graph.offsetWidth < LABEL_EMS * tickSize * plans.length;
    return {
      ...paper(this.element),
      margin: { l: 5.6 * tickSize, r: 14, t: 10, b: 26 + 2.4 * tickSize },
      dragmode: false,
      hovermode: "closest",
      datarevision: ++this.revision,
      xaxis: {
        ...axis,
        title: title(say("sweep.cost.axis")),
        range: [-0.6, Math.max(plans.length, 1) - 0.4],
        tickvals: plans.map((_, place) => place),
        ticktext: plans.map((plan) => plain(planText(plan)).replace(" × ", narrow ? "<br>× " : " × ")),
        tickangle: 0,
        showgrid: false,
        zeroline: false,
      },
      yaxis: { ...axis, title: title(scale.unit), rangemode: "tozero", nticks: 6 },
      annotations: points.length ? missing.map(({ place, words }) => ({ x: place, y: 0, yref: "paper", yanchor: "bottom", yshift: 4, textangle: -90, text: plain(words), showarrow: false, font: { size: tickSize, color: token("bad") } })) : [],
    };
  }
}

// The plans of the study, the smallest micro-batch first.
function plansOf(state) {
  const sizes = state?.fields[MICRO_BATCH]?.values ?? [];
  const devices = state?.config.launch?.processes ?? 1;
  return [...sizes].sort((one, other) => one - other).map((rows) => [rows, state.effective_batch / rows / devices, devices]);
}

// The plans whose trial failed or has no such value, in a word and in more why.
const missingOf = (state, column) =>
  plansOf(state).flatMap((plan, place) => {
    const trial = state.trials.find((each) => each.values[MICRO_BATCH] === plan[0]);
    const [words, why = words] = trial ? reasonsOf(trial, column) : [];
    return words ? [{ plan, place, words, why: why.replace(/\.$/, "") }] : [];
  });

function reasonsOf(trial, column) {
  if (trial.state === "failed") return [ending(trial)];
  if (column === "predicted_bytes" && trial.unpredicted) return [say("sweep.cost.unpredicted"), told(trial.unpredicted).message];
  return column === "targets_per_second" && trial.state === "finished" && trial[column] === null ? [say("sweep.cost.short")] : [];
}

// Of each plan that has come to a value, the trial that did.
function pointsOf(state, column) {
  return plansOf(state).flatMap((plan, place) => {
    const trial = state.trials.find((each) => each.values[MICRO_BATCH] === plan[0] && Number.isFinite(each[column]));
    return trial ? [{ plan, place, y: trial[column] }] : [];
  });
}
