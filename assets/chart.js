// One chart: its title, its keys, its Plotly graph, and the same in words for those who can't see it.

import { extremes, ticksOf, xRange } from "./axes.js";
import { h, setText } from "./dom.js";
import { CONFIG, inWordsAlone, paper, sizes, token } from "./plot.js";
import { smoothed } from "./series.js";
import { bytes, integer, number, percent, say } from "./words.js";

const MOST_SYMBOLS = 12; // along a line of very many points, so that it is told from others without its colour
const CAPACITY_SHOWN_FROM = 0.35; // of the device's memory; below, a line would squash the curve

export class Chart {
  constructor(specification, view) {
    Object.assign(this, { specification, view, stale: true, inView: false, drawn: false, warm: false, revision: 0 });
    const name = `chart.${specification.name}`;
    this.capacity = h("span", {});
    this.keys = specification.traces.map((trace) =>
      h("span", { class: "key", style: `--key: var(--${trace.colour})`, "data-symbol": symbolOf(trace), hidden: true }, say(`trace.${trace.name}`)),
    );
    this.foretold = h("span", { class: "key dashed", style: "--key: var(--resident)", hidden: true }, say("trace.predicted"));
    this.graph = h("div", { class: "graph" });
    this.empty = h("p", { class: "empty" }, say(`${name}.empty`));
    this.read = h("p", { class: "read" }, say("read.empty"));
    const title = h("h3", { id: `chart-${specification.name}-title` }, say(`${name}.title`));
    this.element = h(
      "section",
      { id: `chart-${specification.name}`, class: "chart", "aria-labelledby": title.id },
      h("header", {}, title, h("span", { class: "about" }, h("span", {}, say(`${name}.about`)), this.capacity), h("span", { class: "keys" }, ...this.keys, this.foretold)),
      h("div", { class: "plot" }, this.graph, this.empty),
      this.read,
    );
    new ResizeObserver(() => this.#resize()).observe(this.graph);
  }

  shows(tables) {
    return this.specification.traces.some((trace) => tables.includes(trace.table));
  }

  // The milliseconds that it took; none are told of the first time, when Plotly warms up.
  draw(series, run, xEnd) {
    const begun = performance.now();
    this.stale = false;
    const traces = this.#traces(series, run);
    const drawn = traces.filter((trace) => trace.visible && trace.x.length);
    const foretold = drawn.length ? this.#foretold(xEnd) : [];
    this.#say(traces, foretold);
    this.empty.hidden = drawn.length > 0;
    this.graph.classList.toggle("blank", drawn.length === 0);
    this.drawn = drawn.length > 0;
    window.Plotly.react(this.graph, [...traces, ...foretold], this.#layout(drawn, run, xRange(xEnd)), CONFIG);
    inWordsAlone(this.graph);
    const took = this.warm ? performance.now() - begun : 0;
    this.warm = true;
    return took;
  }

  #resize() {
    if (this.graph.offsetWidth && this.graph._fullLayout && this.graph.offsetWidth !== this.graph._fullLayout.width)
      window.Plotly.Plots.resize(this.graph);
  }

  #traces(series, run) {
    const { specification, view } = this;
    const onDevice = specification.bytes && series.column("memory", "allocated").some((value) => value !== null);
    this.predicted = specification.bytes ? predictedLine(run) : null;
    this.scale = specification.bytes ? byteScale(series, specification, onDevice, this.predicted) : null;
    const smooth = view.smooth && specification.traces.some((trace) => trace.smooth);
    return specification.traces.map((trace) => {
      const x = series.column(trace.table, view.x);
      let y = series.column(trace.table, trace.column);
      if (this.scale) y = y.map((value) => (value === null ? null : value / this.scale.size));
      if (trace.smooth) y = smooth ? smoothed(y, series.column(trace.table, "update"), smoothingSpan(run)) : [];
      // Bytes of the host say nothing beside those of the device, and would set the axis.
      const hidden = specification.bytes && onDevice === (trace.name === "resident");
      const faint = smooth && !trace.smooth && trace.table === "updates";
      const colour = token(trace.colour);
      return {
        type: "scatter",
        name: say(`trace.${trace.name}`),
        visible: !hidden,
        x: trace.smooth && !smooth ? [] : x,
        y,
        yaxis: trace.panel ? "y2" : "y",
        mode: symbolOf(trace) || x.length < 2 ? "lines+markers" : "lines",
        line: { color: colour, width: trace.smooth ? 3 : 2, shape: trace.shape },
        marker: { color: colour, size: symbolOf(trace) ? 7 : 5, symbol: symbolOf(trace) ?? "circle", maxdisplayed: trace.markers ? 0 : MOST_SYMBOLS },
        opacity: faint ? 0.35 : 1,
        connectgaps: trace.markers,
        cliponaxis: x.length > 1, // a single point at the edge is drawn whole
        hovertemplate: `%{y:${trace.digits}}${this.scale ? ` ${this.scale.unit}` : ""}`,
      };
    });
  }

  // What was predicted for the run, all along it.
  #foretold(xEnd) {
    if (this.predicted === null) return [];
    const line = this.predicted / this.scale.size;
    return [
      {
        type: "scatter",
        name: say("trace.predicted"),
        x: [0, xEnd],
        y: [line, line],
        mode: "lines",
        line: { color: token("resident"), width: 2, dash: "dash" },
        hovertemplate: `%{y:.2f} ${this.scale.unit}`,
      },
    ];
  }

  #layout(drawn, run, range) {
    const { specification, view } = this;
    const grid = token("grid");
    const ink = token("ink-soft");
    const logarithmic = specification.log && view.log;
    const { tickSize, unitSize } = sizes();
    const axis = { showticklabels: drawn.length > 0, gridcolor: grid, linecolor: grid, zerolinecolor: grid, tickfont: { color: ink, size: tickSize }, automargin: false };
    const title = (text) => ({ text, font: { size: unitSize, color: ink }, standoff: 6 });
    const units = specification.units.map((unit) => (this.scale ? this.scale.unit : say(`axis.${unit}`)));
    const yaxis = (panel, domain) => ({
      ...axis,
      domain,
      type: logarithmic ? "log" : "linear",
      rangemode: specification.from_zero ? "tozero" : "normal",
      title: title(units[panel]),
      nticks: units.length > 1 ? 3 : 6,
      ...ticksOf(specification.ticks[panel], logarithmic, drawn.filter((trace) => (trace.yaxis === "y2") === (panel === 1)).map((trace) => trace.y)),
    });
    const capacity = this.#capacity(drawn, run);
    return {
      ...paper(this.element),
      margin: { l: 5.6 * tickSize, r: 14, t: 8, b: 42 },
      hovermode: "x unified",
      hoversubplots: "axis",
      // A zoom belongs to what it was made on: it outlives new points, not another run or axis.
      uirevision: [run?.id, view.x, logarithmic, this.scale?.unit].join(),
      datarevision: ++this.revision,
      xaxis: {
        ...axis,
        title: title(say(`axis.${view.x}`)),
        unifiedhovertitle: { text: `${say(`axis.${view.x}`)} %{x}` },
        anchor: units.length > 1 ? "y2" : "y",
        autorangeoptions: range,
        ...(view.x === "update" && (run?.update ?? 0) <= 8 ? { dtick: 1 } : {}),
      },
      yaxis: yaxis(0, units.length > 1 ? [0.56, 1] : [0, 1]),
      ...(units.length > 1 ? { yaxis2: yaxis(1, [0, 0.44]) } : {}),
      shapes: capacity
        ? [{ type: "line", xref: "paper", x0: 0, x1: 1, y0: capacity, y1: capacity, line: { color: token("capacity"), width: 1.5 } }]
        : [],
    };
  }

  // The capacity in the chart's unit where a line at it leaves the curve readable; in words it always stands in the title.
  #capacity(drawn, run) {
    if (!this.specification.bytes) return null;
    const { capacity_bytes: whole, budget_bytes: budget, baseline_bytes: baseline = 0 } = run?.facts ?? {};
    const imposed = budget && budget < whole;
    // a budget is of tensors: what the process held beside them lies below it
    const capacity = imposed ? budget + baseline : whole;
    setText(this.capacity, capacity ? `· ${say(imposed ? "chart.memory.budget" : "chart.memory.capacity", { amount: bytes(imposed ? budget : whole) })}` : "");
    if (!capacity || !drawn.length) return null;
    const line = capacity / this.scale.size;
    const highest = Math.max(...drawn.map((trace) => extremes(trace.y)[1]));
    return highest >= CAPACITY_SHOWN_FROM * line ? line : null;
  }

  #say(traces, foretold) {
    const { specification } = this;
    const parts = traces.map((trace, index) => {
      const [least, most, last, first] = extremes(trace.y);
      const shown = trace.visible && last !== null;
      this.keys[index].hidden = !shown || traces.length < 2;
      this.keys[index].classList.toggle("faint", trace.opacity < 1);
      // the running average is of values that are in words already
      if (!shown || specification.traces[index].smooth) return null;
      const points = trace.y.filter((value) => value !== null).length;
      return sentence(say(`trace.${specification.traces[index].name}`), points, [first, last, least, most].map(this.#inWords(index)));
    });
    this.foretold.hidden = !foretold.length;
    if (foretold.length) parts.push(say("read.predicted", { amount: bytes(this.predicted) }));
    setText(this.read, parts.filter(Boolean).join(" ") || say("read.empty"));
  }

  // How a value of a trace is said.
  #inWords(index) {
    const { digits } = this.specification.traces[index];
    if (this.scale) return (amount) => `${number(amount)} ${this.scale.unit}`;
    return digits.endsWith("%") ? percent : digits.endsWith("d") ? integer : (value) => number(value);
  }
}

// “training: from 2.31 to 1.20, between 1.18 and 2.35.”
function sentence(name, points, [first, last, least, most]) {
  if (points === 1) return say("read.one", { name, last });
  if (least === most) return say("read.constant", { name, last });
  return say("read.value", { name, first, last, least, most });
}

// Half of the weight lies in the last few per cent of the run, and never in fewer than about ten updates.
const smoothingSpan = (run) => Math.max(10, 0.02 * (run?.plan?.updates_total ?? run?.update ?? 0));

const symbolOf = (trace) => trace.symbol ?? (trace.markers ? "circle" : null);

// In bytes: the tensors that were predicted, on top of what the process held beside them.
function predictedLine(run) {
  const { predicted_bytes: tensors, baseline_bytes: baseline } = run?.facts ?? {};
  return Number.isFinite(tensors) ? tensors + (baseline ?? 0) : null;
}

function byteScale(series, specification, onDevice, predicted) {
  const columns = specification.traces.filter((trace) => onDevice !== (trace.name === "resident"));
  const highest = Math.max(predicted ?? 0, ...columns.map((trace) => extremes(series.column(trace.table, trace.column))[1] ?? 0));
  return highest >= 2 ** 30 ? { unit: "GiB", size: 2 ** 30 } : { unit: "MiB", size: 2 ** 20 };
}
