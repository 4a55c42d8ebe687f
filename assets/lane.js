// The lane: the micro-batches of the window fill up, then the update fires.

import { h, setAttribute, setText } from "./dom.js";
import { integer, number, say } from "./words.js";

const MOST_CELLS = 64; // beyond, a cell would be thinner than its gap: one bar with a count says more

export class Lane {
  constructor() {
    this.title = h("span", { class: "lane-title" }, say("window.title"));
    this.cells = h("div", { class: "cells" });
    this.fired = h("span", { class: "fired" }, say("window.update"));
    this.note = h("p", { class: "lane-note" }, say("window.empty"));
    this.element = h(
      "section",
      { id: "window", class: "lane", "aria-label": say("window.title") },
      h("div", { class: "lane-head" }, this.title, this.note),
      h("div", { class: "lane-row" }, this.cells, h("span", { class: "arrow", "aria-hidden": "true" }), this.fired),
    );
    this.#lay(4);
  }

  render(window, run) {
    const of = window.of || run?.plan?.accumulation_steps || 4;
    const done = window.micro_batches;
    this.#lay(of);
    const last = done.at(-1);
    setText(this.title, window.update ? say("window.of", { update: integer(window.update) }) : say("window.title"));
    setText(this.note, last ? `${say("window.count", counts(done.length, of))} · ${say("window.last", words(last))}` : say("window.empty"));
    if (of > MOST_CELLS) this.#fillBar(done.length, of);
    else this.#fillCells(done, of);
    this.fired.classList.toggle("on", done.length >= of && run?.update >= window.update && window.update > 0);
  }

  #lay(of) {
    if (this.of === of) return;
    this.of = of;
    const bar = of > MOST_CELLS;
    this.cells.classList.toggle("bar", bar);
    this.cells.style.setProperty("--cells", of);
    this.cells.replaceChildren(
      ...Array.from({ length: bar ? 1 : of }, (_, index) => h("span", { class: "cell", style: `--at: ${of > 1 ? index / (of - 1) : 1}` })),
    );
  }

  #fillBar(done, of) {
    const [bar] = this.cells.children;
    bar.style.setProperty("--at", done / of);
    bar.style.setProperty("--done", `${(100 * done) / of}%`);
    setAttribute(bar, "title", say("window.count", counts(done, of)));
  }

  #fillCells(done, of) {
    const byIndex = new Map(done.map((microBatch) => [microBatch.index, microBatch]));
    Array.from(this.cells.children).forEach((cell, row) => {
      const microBatch = byIndex.get(row + 1);
      const place = { index: row + 1, of };
      cell.classList.toggle("full", Boolean(microBatch));
      setAttribute(
        cell,
        "title",
        microBatch ? say("window.cell", { ...place, ...words(microBatch) }) : say("window.cell.waiting", place),
      );
    });
  }
}

const counts = (done, of) => ({ done: integer(done), of: integer(of) });

const words = ({ loss, targets, examples }) => ({
  loss: number(loss),
  targets: integer(targets),
  examples: integer(examples),
});
