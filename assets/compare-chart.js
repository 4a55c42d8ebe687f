// One chart of several runs: a line a run, and for runs that differ in seeds alone their mean and how far they spread.

import { extremes, ticksOf, xRange } from "./axes.js";
import { colourOf, symbolOf } from "./compare-looks.js";
import { setText } from "./dom.js";
import { PartChart } from "./part-chart.js";
import { CONFIG, paper, plain, sizes, token } from "./plot.js";
import { smoothed } from "./series.js";
import { bytes, number, say } from "./words.js";

const MARKS = 10; // along a line, so that it is told from others without its colour
const MOST_AT_ONCE = 6; // runs whose values one label holds
const FAINT = 0.25;
const SMOOTHED = 0.05; // of a run's own updates: a short run lags no more than a long one
const ONE_PLACE = 0.12; // of the axis: labels nearer to each other than that would lie on one another

export class CompareChart {
  // `kind`: `name`, `table` and `column` of the values; `log`, `bytes`, `smooth`, `zero`, `ticks`, and the `metric` that may be reached.
  constructor(kind, view) {
    Object.assign(this, { kind, view, revision: 0 });
    this.chart = new PartChart({
      name: `compare-${kind.name.replaceAll("_", "-")}`,
      title: say(`compared.${kind.name}.title`),
      empty: say(`compared.${kind.name}.empty`),
      draw: (graph) => this.#draw(graph),
    });
    this.chart.about.append(say(`compared.${kind.name}.about`));
    this.element = this.chart.element;
  }

  render(found) {
    this.found = found;
    this.chart.draw();
  }

  #draw(graph) {
    const { kind, view } = this;
    const lines = this.#lines();
    this.scale = kind.bytes ? scaleOf(lines) : null;
    const bands = kind.metric && !view.single ? this.#bands(lines) : [];
    const banded = new Set(bands.flatMap(({ runs }) => runs));
    const traces = [
      ...bands.flatMap((band) => this.#band(band)),
      ...lines.flatMap((line) => this.#traces(line, banded.has(line.run))),
    ];
    setText(this.chart.read, lines.map((line) => this.#spoken(line)).join(" ") || say("read.empty"));
    window.Plotly.react(graph, traces, this.#layout(lines), CONFIG);
    return lines.length > 0;
  }

  // Of each run that has values on this axis its points.
  #lines() {
    const { kind, view, found } = this;
    return (found?.curves ?? [])
      .map((curve) => {
        const table = curve[kind.table];
        const kept = table[kind.column].map((_, row) => row).filter((row) => Number.isFinite(table[view.axis][row]));
        const pick = (name) => kept.map((row) => table[name][row]);
        const raw = pick(kind.column);
        const at = pick("update");
        const smooth = view.smooth && kind.smooth ? smoothed(raw, at, Math.max(2, SMOOTHED * (at.at(-1) ?? 0))) : null;
        return { run: curve.run, x: pick(view.axis), at, raw, y: smooth ?? raw, smooth: smooth !== null };
      })
      .filter(({ raw }) => raw.some((value) => value !== null));
  }

  #traces(line, banded) {
    const { kind } = this;
    const colour = colourOf(line.run);
    const name = say("compared.run", { run: line.run });
    const scaled = (values) => (this.scale ? values.map((value) => (value === null ? null : value / this.scale.size)) : values);
    const common = { type: "scatter", name: plain(name), legendgroup: String(line.run), x: line.x, hovertemplate: `%{y:${kind.digits}}${this.scale ? ` ${this.scale.unit}` : ""}` };
    const marks = kind.table === "evaluations";
    const drawn = {
      ...common,
      y: scaled(line.y),
      mode: "lines+markers",
      line: { color: colour, width: banded ? 1.2 : 2, dash: marks ? "dash" : "solid" },
      marker: { color: colour, size: 7, symbol: symbolOf(line.run), maxdisplayed: marks ? 0 : MARKS },
      opacity: banded ? 0.55 : 1,
      connectgaps: marks,
    };
    if (!line.smooth) return [drawn];
    return [{ ...common, y: scaled(line.raw), mode: "lines", line: { color: colour, width: 1 }, opacity: FAINT, hoverinfo: "skip", hovertemplate: undefined }, drawn];
  }

  // Of runs that differ in seeds alone, where all have a value: the mean, and one standard deviation to each side.
  #bands(lines) {
    return (this.found?.groups ?? []).flatMap(({ runs }) => {
      const members = lines.filter(({ run }) => runs.includes(run));
      if (members.length < 2) return [];
      const [first, ...others] = members.map(({ at, x, y }) => new Map(at.map((update, row) => [update, [x[row], y[row]]])));
      const shared = [...first.keys()].filter((update) => [first, ...others].every((one) => Number.isFinite(one.get(update)?.[1])));
      const points = shared.map((update) => {
        const each = [first, ...others].map((one) => one.get(update));
        const mean = average(each.map(([, y]) => y));
        const deviation = Math.sqrt(each.reduce((sum, [, y]) => sum + (y - mean) ** 2, 0) / (each.length - 1));
        return { x: average(each.map(([x]) => x)), mean, deviation };
      });
      return points.length ? [{ runs: members.map(({ run }) => run), points }] : [];
    });
  }

  #band({ runs, points }) {
    const colour = colourOf(runs[0]);
    const x = points.map((point) => point.x);
    const edge = (side) => points.map(({ mean, deviation }) => mean + side * deviation);
    const quiet = { type: "scatter", hoverinfo: "skip", mode: "lines", line: { width: 0 } };
    return [
      { ...quiet, x, y: edge(-1) },
      { ...quiet, x, y: edge(1), fill: "tonexty", fillcolor: `${colour}33` },
      {
        type: "scatter",
        name: plain(say("compared.mean", { runs: runs.join(", ") })),
        x,
        y: points.map(({ mean }) => mean),
        mode: "lines",
        line: { color: colour, width: 3.5 },
        customdata: points.map(({ mean, deviation }) => `${number(mean)} ± ${number(deviation, 2)}`),
        hovertemplate: "%{customdata}",
      },
    ];
  }

  #layout(lines) {
    const { kind, view } = this;
    const [grid, ink] = [token("grid"), token("ink-soft")];
    const { tickSize, unitSize } = sizes();
    const logarithmic = Boolean(kind.log && view.log);
    const end = Math.max(0, ...lines.map(({ x }) => extremes(x)[1] ?? 0));
    const axis = { showticklabels: lines.length > 0, gridcolor: grid, linecolor: grid, zerolinecolor: grid, tickfont: { color: ink, size: tickSize }, automargin: false };
    const title = (text) => ({ text: plain(text), font: { size: unitSize, color: ink }, standoff: 6 });
    const values = lines.map(({ y }) => (this.scale ? y.map((value) => value / this.scale.size) : y));
    return {
      ...paper(this.element),
      margin: { l: 5.6 * tickSize, r: 14, t: 8, b: 42 },
      hovermode: lines.length > MOST_AT_ONCE ? "closest" : "x unified",
      uirevision: [lines.map(({ run }) => run), view.axis, logarithmic, this.scale?.unit].join(),
      datarevision: ++this.revision,
      xaxis: { ...axis, title: title(say(`axis.${view.axis}`)), unifiedhovertitle: { text: `${say(`axis.${view.axis}`)} %{x}` }, autorangeoptions: xRange(end) },
      yaxis: {
        ...axis,
        title: title(this.scale ? this.scale.unit : say(`axis.${kind.unit}`)),
        type: logarithmic ? "log" : "linear",
        rangemode: kind.zero ? "tozero" : "normal",
        nticks: 6,
        ...ticksOf(kind.ticks, logarithmic, values),
      },
      ...this.#target(lines, logarithmic),
    };
  }

  // The loss that is to be reached, and where each run was there first.
  #target(lines, logarithmic) {
    const { kind, view, found } = this;
    if (kind.metric !== view.metric || view.below === null || found?.below !== view.below || (logarithmic && view.below <= 0)) return {};
    const y = logarithmic ? Math.log10(view.below) : view.below;
    const shapes = [{ type: "line", xref: "paper", x0: 0, x1: 1, y0: view.below, y1: view.below, line: { color: token("ink"), width: 1.5, dash: "dot" } }];
    const drawn = new Set(lines.map(({ run }) => run));
    const places = together(
      found.runs.filter(({ run, reached }) => drawn.has(run) && Number.isFinite(reached?.[view.axis])).map(({ run, reached }) => ({ x: reached[view.axis], run })),
      ONE_PLACE * Math.max(...lines.map(({ x }) => extremes(x)[1] ?? 0)),
    );
    const label = { y, showarrow: true, arrowhead: 2, ax: 0, ay: -26, font: { color: token("ink") }, bgcolor: token("paper"), borderpad: 2 };
    const annotations = places.map(({ x, runs }) => {
      const colour = runs.length > 1 ? token("ink-soft") : colourOf(runs[0]);
      return { ...label, x, text: runs.join(", "), arrowcolor: colour, bordercolor: colour };
    });
    return { shapes, annotations };
  }

  // “run 3 from 2.31 to 1.20.” What lies between is left to the eye: there are up to twelve of them.
  #spoken({ run, raw }) {
    const [least, most, last, first] = extremes(raw);
    const said = this.kind.bytes ? bytes : (value) => number(value);
    const name = say("compared.run", { run });
    const values = Object.fromEntries(Object.entries({ last, first }).map(([key, value]) => [key, said(value)]));
    if (raw.filter((value) => value !== null).length === 1) return say("read.one", { name, ...values });
    return say(least === most ? "read.constant" : "compared.read", { name, ...values });
  }
}

// Runs that were there at nearly the same place, under one label.
function together(reached, near) {
  const places = [];
  for (const { x, run } of reached.sort((one, other) => one.x - other.x)) {
    const last = places.at(-1);
    if (last && x - last.x <= near) last.runs.push(run);
    else places.push({ x, runs: [run] });
  }
  return places;
}

const average = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

function scaleOf(lines) {
  const most = Math.max(0, ...lines.map(({ raw }) => extremes(raw)[1] ?? 0));
  return most >= 2 ** 30 ? { unit: "GiB", size: 2 ** 30 } : { unit: "MiB", size: 2 ** 20 };
}
