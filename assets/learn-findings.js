// What an experiment has measured: the figures as a table, and the sentences that follow from them.

import { h } from "./dom.js";
import { inUnit, named, sentence } from "./learn-numbers.js";
import { say } from "./words.js";

export class Figures {
  constructor() {
    this.table = h("table", { class: "counts lesson-figures" });
    this.element = h("section", { class: "part figures", "aria-labelledby": "lesson-figures-title" }, h("h3", { id: "lesson-figures-title" }, say("learn.figures")), h("div", { class: "figures-scroll", role: "group", tabindex: 0, "aria-labelledby": "lesson-figures-title" }, this.table));
  }

  render(figures) {
    const mark = JSON.stringify(figures);
    if (mark === this.shown) return;
    this.shown = mark;
    const { columns, rows } = figures ?? { columns: [], rows: [] };
    this.element.hidden = !rows.length;
    this.table.replaceChildren(
      h("thead", {}, h("tr", {}, ...columns.map(({ name }) => h("th", { scope: "col" }, named(name))))),
      h("tbody", {}, ...rows.map((row) => h("tr", {}, ...row.map((value, place) => cell(value, columns[place].unit, place === 0))))),
    );
  }
}

const cell = (value, unit, first) => {
  const words = typeof value === "string" ? named(value) : inUnit(value, unit);
  return first ? h("th", { scope: "row" }, words) : h("td", {}, words);
};

export class Conclusion {
  constructor() {
    this.words = h("div", { class: "conclusion-words" });
    this.element = h("section", { id: "lesson-conclusion", class: "part conclusion", "aria-labelledby": "lesson-conclusion-title" }, h("h3", { id: "lesson-conclusion-title" }, say("learn.conclusion")), this.words);
    this.render([]);
  }

  render(sentences) {
    const mark = JSON.stringify(sentences);
    if (mark === this.shown) return;
    this.shown = mark;
    this.element.classList.toggle("drawn", sentences.length > 0);
    this.words.replaceChildren(...(sentences.length ? sentences.map((each) => h("p", { "data-code": each.name }, sentence(each))) : [h("p", { class: "awaited" }, say("learn.conclusion.empty"))]));
  }
}
