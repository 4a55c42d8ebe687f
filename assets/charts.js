// Draws the charts: those in view, when they have something new, all in one round, so that they agree with each other.

import { xEnd } from "./axes.js";
import { Chart } from "./chart.js";
import { h, setText } from "./dom.js";
import { loadPlotly } from "./plot.js";
import { alive } from "./status.js";
import { charts as specifications, say } from "./words.js";

const LEAST_PAUSE_MS = 500; // between two rounds: twice a second is as live as an eye needs
const MOST_PAUSE_MS = 2000; // and later than this, numbers and charts would contradict each other
// Of one core, so that drawing takes little from a training on the same machine. Painting costs as much again.
const SHARE = 0.045;
const TOLD_EVERY_MS = 60_000; // a voice that told of every point would never be silent
const TURN_MS = 40;
const MOST_SHARE = 0.25; // where drawing itself is slow, the page stays usable rather than current

export class Charts {
  // `view` holds what a click changes: x, smooth, log.
  constructor(view) {
    Object.assign(this, { view, notBefore: 0, round: [], series: null, run: null, xEnd: 0 });
    this.charts = specifications.map((specification) => new Chart(specification, view));
    this.aloud = h("p", { class: "aloud", role: "status" });
    this.element = h("div", { class: "charts" }, ...this.charts.map((chart) => chart.element), this.aloud);
    const inView = new IntersectionObserver((entries) => this.#seen(entries), { rootMargin: "80px" });
    for (const chart of this.charts) inView.observe(chart.element);
    window.addEventListener("beforeprint", () => this.#drawForPaper());
    // Reading Plotly holds the page for a second on its first visit: the form comes first.
    requestIdleCallback(() => this.#load(), { timeout: 1500 });
  }

  async #load() {
    await loadPlotly();
    this.#schedule();
  }

  // What shows one of the changed tables is drawn anew: in its turn while the run goes on, at once when it holds or ends.
  draw(series, run, changed) {
    const held = run?.state !== "running" && (run?.state !== this.run?.state || changed.includes("updates"));
    const end = xEnd(series, this.view.x);
    const longer = end !== this.xEnd;
    Object.assign(this, { series, run, xEnd: end });
    for (const chart of this.charts) chart.stale ||= longer || chart.shows(changed);
    if (run) this.#load();
    if (held) this.#hurry();
    else this.#schedule();
  }

  // Another axis, other colours: someone has clicked, and waits.
  drawAll() {
    for (const chart of this.charts) chart.stale = true;
    if (this.series) this.xEnd = xEnd(this.series, this.view.x);
    this.#hurry();
  }

  #seen(entries) {
    for (const entry of entries) this.charts.find((chart) => chart.element === entry.target).inView = entry.isIntersecting;
    if (entries.some((entry) => entry.isIntersecting)) this.#hurry();
  }

  // Out of view, a chart is drawn once when it first has something to show and whenever the run stands still.
  #evenUnseen(chart) {
    return this.element.offsetParent !== null && this.run !== null && (!chart.drawn || !alive(this.run) || this.run.state === "paused");
  }

  #due() {
    return this.charts.filter((chart) => chart.stale && (chart.inView || this.#evenUnseen(chart)));
  }

  #hurry() {
    clearTimeout(this.waiting);
    Object.assign(this, { waiting: null, notBefore: 0, round: [] });
    this.#schedule();
  }

  #schedule() {
    if (this.waiting || !window.Plotly || !this.series || document.hidden || !this.#due().length) return;
    this.waiting = setTimeout(() => this.#begin(), Math.max(0, this.notBefore - performance.now()));
  }

  #begin() {
    const due = this.#due();
    this.round = [...due.filter((chart) => chart.inView), ...due.filter((chart) => !chart.inView)];
    Object.assign(this, { begun: performance.now(), spent: 0 });
    this.#turn();
  }

  // As many charts a turn as the page can do and stay responsive: each turn is painted anew.
  #turn() {
    this.waiting = null;
    if (document.hidden) return;
    const begun = performance.now();
    while (this.round.length && performance.now() - begun < TURN_MS)
      this.spent += this.round.shift().draw(this.series, this.run, this.xEnd);
    if (this.round.length) {
      this.waiting = setTimeout(() => this.#turn());
      return;
    }
    this.#tell();
    const rest = Math.min(MOST_PAUSE_MS, Math.max(LEAST_PAUSE_MS, this.spent / SHARE));
    this.notBefore = this.begun + Math.max(rest, this.spent / MOST_SHARE);
    this.#schedule();
  }

  // The loss in words, aloud: as the run holds or ends, and now and then while it goes on.
  #tell() {
    const { run, told = { at: performance.now() } } = this;
    const about = [run?.id, run?.state].join();
    const held = run !== null && run.state !== "running";
    this.told = told;
    if (held ? about === told.about : performance.now() - told.at < TOLD_EVERY_MS) return;
    const [loss] = this.charts;
    if (loss.drawn) setText(this.aloud, [say("chart.loss.title"), loss.read.textContent].join(": "));
    this.told = { about, at: performance.now() };
  }

  #drawForPaper() {
    if (!window.Plotly || !this.series) return;
    for (const chart of this.charts) if (chart.stale) chart.draw(this.series, this.run, this.xEnd);
  }
}
