// The final loss of each trial against one setting: a point a trial, and a line along the best of each value. A trial that
// ended without a loss is a mark at the upper edge, with the word why.

import { h, setText } from "./dom.js";
import { PartChart, key } from "./part-chart.js";
import { CONFIG, paper, plain, sizes, token } from "./plot.js";
import { fieldName, valueText } from "./sweep-names.js";
import { ending, known, logarithmic, lossText, lost, metricColour, metricName } from "./sweep-trials.js";
import { integer, say } from "./words.js";

const LISTED_FAR = 8; // of the values of a list, from which on they stand a factor apart
const LOSSES_FAR = 5; // one that has gone astray would squash all others
const MOST_LABELS = 24;
const LABEL_EMS = 5;
const SPOKEN = 12; // values that are said in words
const MOST_WORDS = 12; // at the upper edge; more would lie on one another

export class FieldChart {
  // `open(run)` shows the run of a point that is clicked.
  constructor(open) {
    this.open = open;
    this.chart = new PartChart({ name: "sweep-field", title: say("sweep.chart.field"), empty: say("sweep.chart.field.empty"), draw: (graph) => this.#draw(graph) });
    this.which = h("select", { id: "sweep-across", onchange: () => this.#choose(this.which.value) });
    this.chooser = h("label", { class: "sweep-across", hidden: true }, say("sweep.of"), this.which);
    this.chart.element.querySelector("header").append(this.chooser);
    this.element = this.chart.element;
    this.revision = 0;
  }

  render(state, varied) {
    const mark = JSON.stringify([state?.study, state?.trials, state?.best, varied]);
    if (mark === this.shown) return;
    this.shown = mark;
    const asked = JSON.stringify(varied);
    Object.assign(this, { state, varied });
    if (asked !== this.laid) {
      this.laid = asked;
      this.chosen = varied[0] ?? null;
      this.chooser.hidden = varied.length < 2;
      this.which.replaceChildren(...varied.map((name) => h("option", { value: name, selected: name === this.chosen }, fieldName(name))));
    }
    this.chart.draw();
  }

  #choose(name) {
    this.chosen = name;
    this.chart.draw();
  }

  #draw(graph) {
    const { state, chosen, chart } = this;
    const trials = state && chosen ? state.trials.filter(known) : [];
    const without = state && chosen ? lost(state) : [];
    const all = [...trials, ...without];
    const numbers = all.every(({ values }) => typeof values[chosen] === "number");
    const names = numbers ? null : [...new Set(all.map(({ values }) => values[chosen]))];
    const at = (trial) => (numbers ? trial.values[chosen] : names.indexOf(trial.values[chosen]));
    const colour = state ? metricColour(state) : "training";
    const whole = trials.filter((trial) => trial.state !== "pruned");
    const least = leastOf(whole, at);
    const best = trials.filter((trial) => trial.trial === state.best?.trial);
    const ends = firstOf(without, at);
    setText(chart.about, state ? metricName(state) : "");
    const pruned = trials.some((trial) => trial.state === "pruned");
    chart.keys.replaceChildren(...(least.length > 1 ? [key(colour, say("sweep.chart.least"))] : []), ...(pruned ? [key("padding", say("sweep.chart.pruned"))] : []), ...(without.length ? [key("bad", say("sweep.chart.lost"))] : []));
    setText(chart.read, all.length ? [...spoken(least, (trial) => lossText(trial.value), chosen), ...spoken(ends, ending, chosen)].join(" ") : say("read.empty"));
    const points = (some, marker, word = (trial) => lossText(trial.value)) => ({
      type: "scatter",
      mode: "markers",
      x: some.map(at),
      y: some.map((trial) => trial.value),
      customdata: some.map((trial) => plain(`${say("sweep.table.trial")} ${integer(trial.trial)} · ${fieldName(chosen)} ${valueText(chosen, trial.values[chosen])}: ${word(trial)}`)),
      ids: some.map((trial) => (trial.run ? String(trial.run) : "")),
      hovertemplate: "%{customdata}<extra></extra>",
      cliponaxis: false,
      marker,
    });
    const traces = [
      { type: "scatter", mode: "lines", x: least.map(({ x }) => x), y: least.map(({ trial }) => trial.value), line: { color: token(colour), width: 2 }, hoverinfo: "skip" },
      points(trials.filter((trial) => trial.state === "pruned"), { color: token("padding"), symbol: "x-thin-open", size: 9, line: { width: 2 } }),
      points(whole, { color: token(colour), size: 9 }),
      points(best, { color: "rgba(0,0,0,0)", size: 17, line: { color: token("ink"), width: 2 } }),
      { ...points(without, { color: token("bad"), symbol: "x", size: 9 }, ending), y: without.map(() => 1), yaxis: "y2" },
    ];
    window.Plotly.react(graph, traces, this.#layout({ trials, all, numbers, names, best, at, ends }), { ...CONFIG, modeBarButtons: [["toImage"]] });
    graph.removeAllListeners("plotly_click");
    graph.on("plotly_click", ({ points: [point] }) => point.id && this.open(Number(point.id)));
    return all.length > 0;
  }

  // The values that are listed, or every other one where there is no room for all.
  #labels(listed) {
    const values = [...listed].sort((one, other) => one - other);
    const every = Math.ceil((values.length * LABEL_EMS * sizes().tickSize) / this.chart.graph.offsetWidth);
    const shown = values.filter((_, place) => place % every === 0);
    return { tickvals: shown, ticktext: shown.map((value) => plain(valueText(this.chosen, value))) };
  }

  #layout({ trials, all, numbers, names, best, at, ends }) {
    const [grid, ink] = [token("grid"), token("ink-soft")];
    const { tickSize, unitSize } = sizes();
    const title = (text) => ({ text: plain(text), font: { size: unitSize, color: ink }, standoff: 6 });
    const axis = { gridcolor: grid, linecolor: grid, zeroline: false, tickfont: { color: ink }, showticklabels: all.length > 0, fixedrange: true };
    const listed = numbers ? (this.state?.fields[this.chosen]?.values ?? []) : [];
    const across = numbers && logarithmic(listed.length ? listed : all.map(at), listed.length ? LISTED_FAR : undefined);
    const up = logarithmic(trials.map((trial) => trial.value), LOSSES_FAR);
    const free = across ? { tickformat: ".0~e", exponentformat: "e", dtick: 1 } : { nticks: 8 };
    const along = numbers
      ? { type: across ? "log" : "linear", tickangle: 0, ...(listed.length && listed.length <= MOST_LABELS ? this.#labels(listed) : free) }
      : { tickvals: names.map((_, place) => place), ticktext: names.map((name) => plain(valueText(this.chosen, name))), range: [-0.5, names.length - 0.5] };
    const [one] = best;
    const place = (value, log) => (log ? Math.log10(value) : value);
    const note = (text, style) => ({ text: plain(text), showarrow: false, font: { color: token("ink"), size: tickSize }, ...style });
    const words = ends.length > MOST_WORDS ? [] : ends.map(({ x, trial }) => note(ending(trial), { x: place(x, across), y: 1, yref: "paper", yanchor: "top", yshift: -10, textangle: -90, font: { color: token("bad"), size: tickSize } }));
    return {
      ...paper(this.element),
      margin: { l: 5.6 * tickSize, r: 20, t: 22, b: 46 },
      dragmode: false,
      hovermode: "closest",
      datarevision: ++this.revision,
      xaxis: { ...axis, ...along, title: title(this.chosen ? fieldName(this.chosen) : "") },
      yaxis: { ...axis, ...(trials.length ? {} : { showticklabels: false }), type: up ? "log" : "linear", nticks: 6, ...(up ? { tickformat: ".3~g" } : {}), title: title(say("axis.loss")) },
      yaxis2: { overlaying: "y", range: [0, 1], visible: false, fixedrange: true },
      annotations: [...(one ? [note(say("sweep.chart.best"), { x: place(at(one), across), y: place(one.value, up), yanchor: "bottom", yshift: 9 })] : []), ...words],
    };
  }
}

// The best trial at each value, along the axis.
function leastOf(trials, at) {
  const found = new Map();
  for (const trial of trials) {
    const x = at(trial);
    if (!found.has(x) || trial.value < found.get(x).value) found.set(x, trial);
  }
  return [...found].sort(([one], [other]) => one - other).map(([x, trial]) => ({ x, trial }));
}

// The first trial at each value, along the axis.
function firstOf(trials, at) {
  const found = new Map([...trials].reverse().map((trial) => [at(trial), trial]));
  return [...found].sort(([one], [other]) => one - other).map(([x, trial]) => ({ x, trial }));
}

// Of some trials along the axis a sentence each, as `word` says what they came to.
function spoken(found, word, chosen) {
  const every = Math.max(1, Math.ceil(found.length / SPOKEN));
  const shown = found.filter((_, place) => place % every === 0 || place === found.length - 1);
  return shown.map(({ trial }) => say("sweep.chart.field.read", { field: fieldName(chosen), x: valueText(chosen, trial.values[chosen]), value: word(trial) }));
}
