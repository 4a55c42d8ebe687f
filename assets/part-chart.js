// What the charts of the Prove and Memory tabs have in common: a title, the keys of their colours, a graph that is
// drawn when it is seen.

import { h } from "./dom.js";
import { inWordsAlone, loadPlotly } from "./plot.js";
import { onTheme } from "./theme.js";
import { say } from "./words.js";

export class PartChart {
  // `title` and `empty` are words; `draw(graph)` draws what there is, and returns whether there was anything.
  constructor({ name, title, empty, draw }) {
    this.drawNow = draw;
    this.title = h("h3", { id: `chart-${name}-title` }, title);
    this.about = h("span", { class: "about" });
    this.keys = h("span", { class: "keys" });
    this.graph = h("div", { class: "graph" });
    this.empty = h("p", { class: "empty" }, empty);
    this.read = h("p", { class: "read" }, say("read.empty"));
    this.plot = h("div", { class: "plot" }, this.graph, this.empty);
    this.element = h(
      "section",
      { id: `chart-${name}`, class: "chart part", "aria-labelledby": this.title.id },
      h("header", {}, this.title, this.about, this.keys),
      this.plot,
      this.read,
    );
    onTheme(() => this.draw());
    new ResizeObserver(() => this.#fit()).observe(this.graph);
  }

  async draw() {
    if (!window.Plotly) await loadPlotly();
    if (!this.graph.offsetWidth) return; // drawn as soon as it has a size
    const drawn = this.drawNow(this.graph);
    inWordsAlone(this.graph);
    this.empty.hidden = drawn;
    this.graph.classList.toggle("blank", !drawn);
    this.width = this.graph.offsetWidth;
  }

  #fit() {
    if (this.graph.offsetWidth && this.graph.offsetWidth !== this.width) this.draw();
  }
}

export const key = (colour, words, dashed = false) => h("span", { class: dashed ? "key dashed" : "key", style: `--key: var(--${colour})` }, words);
