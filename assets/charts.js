// Draws the charts: only those in view, only when they have something new, and never so often that drawing is felt.

import { h, setText } from "./dom.js";
import { CONFIG, loadPlotly, paper, token } from "./plot.js";
import { smoothed } from "./series.js";
import { alive } from "./status.js";
import { bytes, charts as specifications, number, say } from "./words.js";

const LEAST_PAUSE_MS = 500; // between two drawings of a chart: twice a second is as live as an eye needs
// Of one core, so that drawing takes little from a training on the same machine: the first chart follows closely, where
// updates are quick the others follow at their leisure. Painting costs as much again.
const FIRST_SHARE = 0.03;
const OTHER_SHARE = 0.007;
const CAPACITY_SHOWN_FROM = 0.35; // of the device's memory; below, a line would squash the curve

export class Charts {
  // `view` holds what a click changes: x, smooth, log.
  constructor(view) {
    this.view = view;
    this.charts = specifications.map((specification, place) => new Chart(specification, view, place ? OTHER_SHARE : FIRST_SHARE));
    this.element = h("div", { class: "charts" }, ...this.charts.map((chart) => chart.element));
    const inView = new IntersectionObserver(
      (entries) => {
        for (const entry of entries) this.charts.find((chart) => chart.element === entry.target).inView = entry.isIntersecting;
        this.#schedule();
      },
      { rootMargin: "80px" },
    );
    for (const chart of this.charts) inView.observe(chart.element);
    // Reading Plotly holds the page for a second on its first visit: the form comes first.
    requestIdleCallback(() => this.#load(), { timeout: 1500 });
  }

  async #load() {
    await loadPlotly();
    this.#schedule();
  }

  // What shows one of the changed tables is drawn anew, when it is in view and its time has come.
  draw(series, run, changed) {
    this.series = series;
    this.run = run;
    for (const chart of this.charts) chart.stale ||= chart.shows(changed);
    if (run) this.#load();
    if (run && !alive(run) && changed.length) return this.drawAll(); // the last word waits for no budget
    this.#schedule();
  }

  // Another axis, other colours: someone has clicked, and waits.
  drawAll() {
    for (const chart of this.charts) Object.assign(chart, { stale: true, notBefore: 0 });
    clearTimeout(this.waiting);
    this.waiting = null;
    this.#schedule();
  }

  // Out of view, a chart is drawn once when it first has something to show and once when the run has ended.
  #evenUnseen(chart) {
    return this.element.offsetParent !== null && this.run !== null && (!chart.drawn || !alive(this.run));
  }

  #due() {
    return this.charts.filter((chart) => chart.stale && (chart.inView || this.#evenUnseen(chart)));
  }

  #schedule() {
    if (this.waiting || !window.Plotly || !this.series || document.hidden) return;
    const soonest = Math.min(...this.#due().map((chart) => chart.notBefore));
    if (soonest === Infinity) return;
    this.waiting = setTimeout(() => this.#turn(), Math.max(0, soonest - performance.now()));
  }

  // One chart a turn: the page stays responsive between two of them.
  #turn() {
    this.waiting = null;
    const ready = this.#due().filter((chart) => chart.notBefore <= performance.now());
    const next = ready.find((chart) => chart.inView) ?? ready[0];
    if (next && !document.hidden) next.draw(this.series, this.run);
    this.#schedule();
  }
}

class Chart {
  constructor(specification, view, share) {
    Object.assign(this, { specification, view, share, stale: true, inView: false, drawn: false, notBefore: 0, revision: 0 });
    const name = `chart.${specification.name}`;
    this.about = h("span", { class: "about" }, say(`${name}.about`));
    this.keys = specification.traces.map((trace) =>
      h("span", { class: "key", style: `--key: var(--${trace.colour})`, hidden: true }, say(`trace.${trace.name}`)),
    );
    this.graph = h("div", { class: "graph" });
    this.empty = h("p", { class: "empty" }, say(`${name}.empty`));
    this.read = h("p", { class: "read" }, say("read.empty"));
    const title = h("h3", { id: `chart-${specification.name}-title` }, say(`${name}.title`));
    this.element = h(
      "section",
      { id: `chart-${specification.name}`, class: "chart", "aria-labelledby": title.id },
      h("header", {}, title, this.about, h("span", { class: "keys" }, ...this.keys)),
      h("div", { class: "plot" }, this.graph, this.empty),
      this.read,
    );
    new ResizeObserver(() => this.#resize()).observe(this.graph);
  }

  shows(tables) {
    return this.specification.traces.some((trace) => tables.includes(trace.table));
  }

  draw(series, run) {
    const begun = performance.now();
    this.stale = false;
    const traces = this.#traces(series, run);
    const drawn = traces.filter((trace) => trace.visible && trace.x.length);
    this.#say(traces);
    this.empty.hidden = drawn.length > 0;
    this.graph.classList.toggle("blank", drawn.length === 0);
    this.drawn = drawn.length > 0;
    window.Plotly.react(this.graph, traces, this.#layout(drawn, run), CONFIG);
    const took = performance.now() - begun;
    this.notBefore = begun + Math.max(LEAST_PAUSE_MS, took / this.share);
  }

  #resize() {
    if (this.graph.offsetWidth && this.graph._fullLayout && this.graph.offsetWidth !== this.graph._fullLayout.width)
      window.Plotly.Plots.resize(this.graph);
  }

  #traces(series, run) {
    const { specification, view } = this;
    const onDevice = specification.bytes && series.column("memory", "allocated").some((value) => value !== null);
    this.scale = specification.bytes ? byteScale(series, specification, onDevice) : null;
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
        mode: trace.markers || x.length < 2 ? "lines+markers" : "lines",
        line: { color: colour, width: 2, shape: trace.shape },
        marker: { color: colour, size: trace.markers ? 7 : 5 },
        opacity: faint ? 0.35 : 1,
        connectgaps: trace.markers,
        hovertemplate: `%{y:${trace.digits}}${this.scale ? ` ${this.scale.unit}` : ""}`,
      };
    });
  }

  #layout(drawn, run) {
    const { specification, view } = this;
    const grid = token("grid");
    const ink = token("ink-soft");
    const logarithmic = specification.log && view.log;
    const axis = { showticklabels: drawn.length > 0, gridcolor: grid, linecolor: grid, zerolinecolor: grid, tickfont: { color: ink }, automargin: false };
    const units = specification.units.map((unit) => (this.scale ? this.scale.unit : say(`axis.${unit}`)));
    const yaxis = (unit, panel, domain) => ({
      ...axis,
      domain,
      type: logarithmic ? "log" : "linear",
      rangemode: specification.from_zero ? "tozero" : "normal",
      title: { text: unit, font: { size: 12, color: ink }, standoff: 6 },
      exponentformat: "e",
      nticks: specification.units.length > 1 ? 3 : 6,
      ...(logarithmic ? { dtick: "D2", tickformat: ".3~g" } : {}),
      ...(specification.ticks[panel] ? { tickformat: specification.ticks[panel] } : {}),
    });
    const capacity = this.#capacity(drawn, run);
    return {
      ...paper(this.element),
      margin: { l: 62, r: 14, t: 8, b: 42 },
      hovermode: "x unified",
      hoversubplots: "axis",
      // A zoom belongs to what it was made on: it outlives new points, not another run or axis.
      uirevision: [run?.id, view.x, logarithmic, this.scale?.unit].join(),
      datarevision: ++this.revision,
      xaxis: {
        ...axis,
        title: { text: say(`axis.${view.x}`), font: { size: 12, color: ink }, standoff: 6 },
        unifiedhovertitle: { text: `${say(`axis.${view.x}`)} %{x}` },
        anchor: units.length > 1 ? "y2" : "y",
        rangemode: view.x === "update" ? "normal" : "tozero",
        ...(view.x === "update" && (run?.update ?? 0) <= 8 ? { dtick: 1 } : {}),
      },
      yaxis: yaxis(units[0], 0, units.length > 1 ? [0.56, 1] : [0, 1]),
      ...(units.length > 1 ? { yaxis2: yaxis(units[1], 1, [0, 0.44]) } : {}),
      shapes: capacity
        ? [{ type: "line", xref: "paper", x0: 0, x1: 1, y0: capacity, y1: capacity, line: { color: token("capacity"), width: 1.5 } }]
        : [],
    };
  }

  // The capacity in the chart's unit where a line at it leaves the curve readable; in words it always stands in the title.
  #capacity(drawn, run) {
    if (!this.specification.bytes) return null;
    const capacity = run?.facts?.capacity_bytes;
    const about = say(`chart.${this.specification.name}.about`);
    setText(this.about, capacity ? `${about} · ${say("chart.memory.capacity", { amount: bytes(capacity) })}` : about);
    if (!capacity || !drawn.length) return null;
    const line = capacity / this.scale.size;
    const highest = Math.max(...drawn.map((trace) => extremes(trace.y)[1]));
    return highest >= CAPACITY_SHOWN_FROM * line ? line : null;
  }

  #say(traces) {
    const parts = traces.map((trace, index) => {
      const [least, most, last] = extremes(trace.y);
      const shown = trace.visible && last !== null;
      this.keys[index].hidden = !shown || traces.length < 2;
      const value = this.scale ? (amount) => `${number(amount)} ${this.scale.unit}` : number;
      return shown ? say("read.value", { name: trace.name, last: value(last), least: value(least), most: value(most) }) : null;
    });
    setText(this.read, parts.filter(Boolean).join(" ") || say("read.empty"));
  }
}

// Half of the weight lies in the last few per cent of the run, and never in fewer than about ten updates.
const smoothingSpan = (run) => Math.max(10, 0.02 * (run?.plan?.updates_total ?? run?.update ?? 0));

function byteScale(series, specification, onDevice) {
  const columns = specification.traces.filter((trace) => onDevice !== (trace.name === "resident"));
  const highest = Math.max(0, ...columns.map((trace) => extremes(series.column(trace.table, trace.column))[1] ?? 0));
  return highest >= 2 ** 30 ? { unit: "GiB", size: 2 ** 30 } : { unit: "MiB", size: 2 ** 20 };
}

function extremes(values) {
  let [least, most, last] = [null, null, null];
  for (const value of values) {
    if (value === null) continue;
    if (least === null || value < least) least = value;
    if (most === null || value > most) most = value;
    last = value;
  }
  return [least, most, last];
}
