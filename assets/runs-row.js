// One run of the list, and beneath it, once it is opened, what people say of it.

import { addressOf, toTrain } from "./address.js";
import { h, setText } from "./dom.js";
import { dataName, evaluation, planOf, product } from "./status.js";
import { bytes, integer, moment, number, say } from "./words.js";

const COLUMNS = ["run", "what", "plan", "state", "updates", "loss", "eval", "size", "when"];
const TAKEN = ["a", "button", "label"]; // a click there is not one on the run

export class Row {
  // `acts` know which runs are chosen; `chosen` hears of each change.
  constructor(id, server, acts, chosen) {
    Object.assign(this, { id, server, acts, run: null, shown: "" });
    this.box = h("input", { type: "checkbox", "aria-label": say("runs.select", { run: id }), onchange: () => (acts.choose(this.run, this.box.checked), chosen()) });
    this.cells = Object.fromEntries(COLUMNS.map((name) => [name, h("td", { class: name, "data-name": say(`runs.${name}`) })]));
    this.more = h("button", { type: "button", class: "plain small", "aria-expanded": "false", "aria-label": say("runs.edit.title", { run: id }), onclick: () => this.#unfold() }, say("runs.edit"));
    const label = h("label", { class: "pick-box" }, this.box);
    this.line = h("tr", { class: "run-line", onclick: (event) => this.#clicked(event) }, h("td", { class: "pick" }, label), ...Object.values(this.cells), h("td", { class: "more" }, this.more));
    this.detail = null;
  }

  get elements() {
    return this.detail ? [this.line, this.detail] : [this.line];
  }

  // Writes only what changed: a selection and the keyboard's place survive.
  render(run) {
    this.run = run;
    this.acts.renew(run);
    const mark = JSON.stringify(run);
    if (mark === this.shown) return;
    this.shown = mark;
    if (!this.cells.run.hasChildNodes()) this.cells.run.append(this.#link());
    this.cells.what.replaceChildren(...this.#what(run));
    setText(this.cells.plan, `${planOf(run)} = ${product(run).effective_batch}`);
    this.cells.state.replaceChildren(h("span", { class: "chip", "data-state": run.state }, say(`state.${run.state}`)));
    setText(this.cells.updates, run.plan ? `${integer(run.update)} / ${integer(run.plan.updates_total)}` : integer(run.update));
    setText(this.cells.loss, number(run.loss));
    setText(this.cells.eval, evaluation(run) || say("amount.none"));
    setText(this.cells.size, run.bytes ? bytes(run.bytes) : say("amount.none"));
    setText(this.cells.when, moment(run.started ?? run.created));
  }

  // Whether it is chosen, shown in its box.
  mark() {
    this.box.checked = this.acts.holds(this.id);
    this.line.classList.toggle("chosen", this.box.checked);
    return Number(this.box.checked);
  }

  #what(run) {
    const called = run.title || run.name;
    const said = [...run.tags.map((tag) => h("span", { class: "run-tag" }, tag)), ...(run.notes ? [h("span", { class: "run-note" }, run.notes.split("\n", 1)[0])] : [])];
    return [
      ...(called ? [h("strong", {}, called), h("br")] : []),
      `${run.config.model} · ${dataName(run.config.data)}`,
      ...(said.length ? [h("span", { class: "run-said" }, ...said)] : []),
    ];
  }

  #link() {
    const follow = (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return; // another tab, as any link
      event.preventDefault();
      toTrain(this.id);
    };
    return h("a", { href: addressOf(this.id), title: say("runs.open", { run: this.id }), onclick: follow }, String(this.id));
  }

  #clicked(event) {
    if (!event.defaultPrevented && !TAKEN.some((tag) => event.target.closest(tag)) && !String(getSelection())) toTrain(this.id);
  }

  #unfold() {
    if (this.detail) {
      this.detail.remove();
      this.detail = null;
    } else {
      this.detail = h("tr", { class: "run-detail" }, h("td", { colspan: COLUMNS.length + 2 }, this.#form()));
      this.line.after(this.detail);
      this.detail.querySelector("input").focus();
    }
    this.more.setAttribute("aria-expanded", String(Boolean(this.detail)));
  }

  #form() {
    const { title, tags, notes } = this.run;
    const fields = {
      title: h("input", { type: "text", maxlength: 200, value: title }),
      tags: h("input", { type: "text", value: tags.join(", ") }),
      notes: h("textarea", { rows: 3, maxlength: 10000 }, notes),
    };
    const said = h("span", { class: "spoken", role: "status" });
    const written = () => Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.value]));
    const before = written();
    // what was not touched here may have been written anew on another page meanwhile
    const save = async (event) => {
      event.preventDefault();
      const now = written();
      const changed = Object.entries(now).filter(([name, value]) => value !== before[name]);
      const asked = Object.fromEntries(changed.map(([name, value]) => [name, name === "tags" ? value.split(",") : value]));
      const kept = await this.acts.ask("annotate", { run: this.id, ...asked }, said);
      if (!kept) return;
      const told = { title: kept.title, tags: kept.tags.join(", "), notes: kept.notes };
      for (const [name, field] of Object.entries(fields)) {
        const still = field.value === now[name]; // else it is being written on
        if (still) field.value = told[name];
        before[name] = still ? field.value : told[name];
      }
      said.dataset.tone = "good";
      setText(said, say("runs.saved"));
    };
    const labelled = Object.entries(fields).map(([name, field]) => h("label", { class: name }, h("span", {}, say(`runs.field.${name}`)), field));
    return h("form", { class: "run-notes", onsubmit: save, oninput: () => said.replaceChildren() }, ...labelled, h("p", {}, h("button", { type: "submit", class: "plain" }, say("runs.save")), said));
  }
}
