// The rows of a sweep: of each setting that is varied its values, as a list or a range.

import { h } from "./dom.js";
import { CHOICES, USUAL, fieldName, plainFigure, valueText, valuesIn, written } from "./sweep-names.js";
import { say } from "./words.js";

const OTHER = "other";
const COUNT = 5; // values of a range in a grid
const MOST_COUNT = 100;
let made = 0;

export class SweepFields {
  // `changed` hears of every change by hand.
  constructor(changed) {
    this.changed = changed;
    this.rows = [];
    this.grid = true;
    this.list = h("ul", { class: "sweep-rows" });
    this.add = h("button", { type: "button", class: "plain small", id: "sweep-add", onclick: () => this.#added() }, say("sweep.add"));
    this.element = h("fieldset", { class: "sweep-vary", id: "sweep-fields" }, h("legend", {}, say("sweep.vary")), this.list, this.add);
  }

  // `rows`: of each key its values, as in a specification.
  lay(rows) {
    this.rows = [];
    for (const [key, values] of rows) this.#push(key, values);
    this.#show();
  }

  // What `lay` takes.
  get written() {
    return this.rows.map((row) => [row.key, row.values(true)]);
  }

  // In a grid, a range stands for a number of values; else any value within it may be drawn.
  set ofGrid(grid) {
    this.grid = grid;
    for (const row of this.rows) row.ofGrid(grid);
  }

  get fields() {
    return Object.fromEntries(this.rows.filter(({ key }) => key).map((row) => [row.key, row.values(this.grid)]));
  }

  // Marks the row that a fault is about.
  mark(field) {
    for (const row of this.rows) row.mark(Boolean(field) && (field === row.key || field.endsWith(`.${row.key}`)));
  }

  #push(key, values) {
    const row = new Row(key, values, {
      changed: () => this.changed(),
      removed: () => {
        const place = this.rows.indexOf(row);
        this.rows.splice(place, 1);
        this.#show();
        (this.rows[Math.min(place, this.rows.length - 1)]?.which ?? this.add).focus();
        this.changed();
      },
    });
    row.ofGrid(this.grid);
    this.rows.push(row);
    return row;
  }

  #added() {
    const taken = new Set(this.rows.map(({ key }) => key));
    const row = this.#push(USUAL.find((key) => !taken.has(key)), []);
    this.#show();
    row.which.focus();
    this.changed();
  }

  #show() {
    this.list.replaceChildren(...this.rows.map((row) => row.element));
  }
}

class Row {
  constructor(key, values, { changed, removed }) {
    this.changed = changed;
    this.name = `sweep-row-${(made += 1)}`;
    const usual = USUAL.includes(key);
    const option = (name, words) => h("option", { value: name, selected: name === (usual ? key : OTHER) }, words);
    this.which = h("select", { "aria-label": say("sweep.which"), class: "row-which", onchange: () => this.#renamed() }, ...USUAL.map((name) => option(name, fieldName(name))), option(OTHER, say("sweep.field.other")));
    this.own = h("input", { type: "text", class: "row-key", "aria-label": say("sweep.key"), title: say("sweep.key"), value: usual ? "" : key, autocapitalize: "off", spellcheck: "false", oninput: changed });
    this.inside = h("span", { class: "row-values" });
    this.remove = h("button", { type: "button", class: "plain small", onclick: removed }, say("sweep.remove"));
    this.element = h("li", {}, this.which, this.own, this.inside, this.remove);
    this.#lay(values);
  }

  get key() {
    return this.which.value === OTHER ? this.own.value.trim() : this.which.value;
  }

  values(grid) {
    if (this.chips) return this.chips.filter(({ input }) => input.checked).map(({ value }) => value);
    if (!this.asRange) return valuesIn(this.text.value);
    const [from, to, count] = [this.from, this.to, this.count].map((field) => (field.value ? Number(field.value) : null));
    return { from, to, log: this.factors.checked, ...(grid ? { count } : {}) };
  }

  ofGrid(grid) {
    this.counted.hidden = !grid;
  }

  mark(wrong) {
    for (const field of [this.own, this.text, this.from, this.to]) {
      if (wrong) field.setAttribute("aria-invalid", "true");
      else field.removeAttribute("aria-invalid");
    }
  }

  get asRange() {
    return this.kinds.querySelector("input:checked").value === "range";
  }

  #renamed() {
    this.#lay([]);
    this.changed();
  }

  #lay(values) {
    const { key } = this;
    const title = fieldName(key || OTHER);
    const named = (words) => `${title}: ${words}`;
    this.own.hidden = this.which.value !== OTHER;
    this.remove.title = say("sweep.remove.title", { field: title });
    this.chips = key in CHOICES ? CHOICES[key].map((value) => ({ value, input: h("input", { type: "checkbox", checked: !values.length || values.includes(value), onchange: this.changed }) })) : null;
    const range = !Array.isArray(values);
    const count = h("input", { type: "number", min: 2, max: MOST_COUNT, step: 1, value: values.count ?? COUNT, "aria-label": named(say("sweep.count")), oninput: this.changed });
    const end = (name, value) => h("input", { type: "number", step: "any", "aria-label": named(say(`sweep.${name}`)), value: value === null ? "" : plainFigure(value), oninput: this.changed });
    this.text = h("input", { type: "text", class: "row-text", "aria-label": named(say("sweep.values")), title: say("sweep.values.title"), placeholder: say("sweep.values"), value: range ? "" : written(values), autocapitalize: "off", spellcheck: "false", oninput: this.changed });
    this.from = end("from", range ? values.from : null);
    this.to = end("to", range ? values.to : null);
    this.factors = h("input", { type: "checkbox", checked: range ? Boolean(values.log) : key === USUAL[0], onchange: this.changed });
    this.count = count;
    this.counted = h("label", { class: "row-counted" }, count, say("sweep.count"));
    const kind = (name) => h("label", {}, h("input", { type: "radio", name: this.name, value: name, checked: range === (name === "range"), onchange: () => this.#turned() }), h("span", {}, say(`sweep.kind.${name}`)));
    this.kinds = h("fieldset", { class: "segments" }, h("legend", { class: "aloud" }, named(say("sweep.kind"))), kind("list"), kind("range"));
    this.ends = h("span", { class: "row-range" }, h("label", {}, say("sweep.from"), this.from), h("label", {}, say("sweep.to"), this.to), h("label", { title: say("sweep.log.title") }, this.factors, say("sweep.log")), this.counted);
    if (this.chips) {
      this.inside.replaceChildren(
        h("span", { class: "chips", role: "group", "aria-label": named(say("sweep.values")) }, ...this.chips.map(({ value, input }) => h("label", { class: "chip-choice" }, input, h("span", {}, valueText(key, value))))),
      );
    } else {
      this.inside.replaceChildren(this.kinds, this.text, this.ends);
      this.#showKind();
    }
  }

  #turned() {
    const values = valuesIn(this.text.value).filter((value) => typeof value === "number");
    if (this.asRange && !this.from.value && values.length > 1) {
      this.from.value = plainFigure(Math.min(...values));
      this.to.value = plainFigure(Math.max(...values));
      this.count.value = values.length;
    }
    this.#showKind();
    this.changed();
  }

  #showKind() {
    this.text.hidden = this.asRange;
    this.ends.hidden = !this.asRange;
  }
}
