// What is asked of a sweep: one of the questions that are ready, or one's own; and what a start would do.

import { h, setAttribute } from "./dom.js";
import { inTab } from "./in-tab.js";
import { SweepBefore } from "./sweep-before.js";
import { SweepFields } from "./sweep-fields.js";
import { EFFECTIVE } from "./sweep-names.js";
import { say } from "./words.js";

// What is asked of a sweep and not been started, as the form is kept.
const tab = inTab("birikim.sweep");

const PRESETS = ["learning-rate", "cost", "effective-batch"];
const OWN = "own";
const METHODS = ["grid", "random", "tpe"];
const SCALINGS = ["none", "linear", "square-root"];
const LENGTHS = ["updates", "examples"];
const TRIALS = 12;
const MOST_TRIALS = 1000;
const FRESH = { method: "grid", trials: TRIALS, fields: { "training.learning_rate": [] } };

export class SweepChoice {
  // `asked` hears of each specification that is laid out or changed by hand.
  constructor({ asked, start }) {
    this.asked = asked;
    this.presets = {};
    const changed = () => this.#edited();
    this.cards = h("fieldset", { class: "sweep-cards", id: "sweep-question" }, h("legend", {}, say("sweep.question")), ...[...PRESETS, OWN].map((name) => this.#card(name)));
    this.fields = new SweepFields(changed);
    this.method = segments("sweep-method", say("sweep.method"), METHODS, (name) => [say(`sweep.method.${name}`), say(`sweep.method.${name}.title`)], () => {
      this.#follow();
      changed();
    });
    this.trials = h("input", { type: "number", id: "sweep-trials", min: 1, max: MOST_TRIALS, step: 1, value: TRIALS, oninput: changed });
    this.trialsField = h("label", { class: "sweep-field" }, say("sweep.trials"), this.trials);
    this.keep = h("input", { type: "checkbox", id: "sweep-keep", onchange: () => this.#keeps(changed) });
    this.effective = h("input", { type: "number", id: "sweep-effective", min: 1, step: 1, "aria-label": say("sweep.keep.amount"), oninput: changed });
    this.leave = h("input", { type: "checkbox", id: "sweep-leave-out", onchange: changed });
    this.scaling = segments("sweep-scaling", say("sweep.scaling"), SCALINGS, (name) => [say(`sweep.scaling.${name}`), null], changed);
    this.length = segments("sweep-length", say("sweep.length"), LENGTHS, (name) => [say(`sweep.length.${name}`), null], changed);
    this.updates = h("input", { type: "number", id: "sweep-updates", min: 1, step: 1, placeholder: say("sweep.updates.as-set"), title: say("sweep.updates.title"), oninput: changed });
    this.prune = h("input", { type: "checkbox", id: "sweep-prune", onchange: changed });
    this.noise = h("input", { type: "checkbox", id: "sweep-ask-noise", onchange: changed });
    this.before = new SweepBefore();
    this.start = h("button", { type: "button", id: "sweep-start", class: "act", onclick: () => start(this.spec) }, say("sweep.start"));
    this.element = h(
      "div",
      { class: "ask sweep-ask" },
      this.cards,
      this.fields.element,
      h("div", { class: "ask-row" }, this.method, this.trialsField, h("label", { class: "sweep-field" }, say("sweep.updates"), this.updates), ticked(this.prune, "sweep.prune")),
      h("div", { class: "ask-row" }, ticked(this.keep, "sweep.keep", this.effective), ticked(this.leave, "sweep.leave-out")),
      h("div", { class: "ask-row" }, this.scaling, this.length, ticked(this.noise, "sweep.ask-noise")),
      this.before.element,
    );
    try {
      this.#resume(tab.kept() ?? { question: PRESETS[0], spec: FRESH });
    } catch {
      this.#resume({ question: PRESETS[0], spec: FRESH }); // another version of the page kept it
    }
  }

  get chosen() {
    return this.cards.querySelector("input:checked").value;
  }

  get spec() {
    const method = this.method.querySelector("input:checked").value;
    const fields = this.fields.fields;
    return {
      method,
      ...(method === "grid" ? {} : { trials: this.trials.valueAsNumber || 0 }),
      fields,
      effective_batch: this.keep.checked && !(EFFECTIVE in fields) ? this.effective.valueAsNumber || 0 : null,
      updates: this.updates.value ? this.updates.valueAsNumber : null,
      learning_rate_scaling: this.scaling.querySelector("input:checked").value,
      leave_out: this.leave.checked,
      length: this.length.querySelector("input:checked").value,
      prune: this.prune.checked,
      noise: this.noise.checked,
    };
  }

  // The settings that a sweep begins from, and the questions that are ready for them.
  settle({ own, processes, presets }) {
    this.presets = presets;
    if (!this.keep.checked) this.effective.value = own[0] * own[1] * processes;
    if (this.chosen in presets) this.#lay(presets[this.chosen]);
    this.asked(this.spec);
  }

  // `why` it can't be started now, in words, or null.
  render(why) {
    this.start.disabled = why !== null;
    setAttribute(this.start, "title", why ?? say("sweep.start.title"));
  }

  #card(name) {
    const input = h("input", { type: "radio", name: "sweep-question", value: name, onchange: () => this.#picked(name) });
    return h("label", { class: "sweep-card", id: `sweep-preset-${name}` }, input, h("span", {}, h("strong", {}, say(`sweep.preset.${name}`)), h("span", { class: "about" }, say(`sweep.preset.${name}.about`))));
  }

  #picked(name) {
    if (name in this.presets) this.#lay(this.presets[name]);
    this.#asks();
  }

  #choose(name) {
    this.cards.querySelector(`input[value="${name}"]`).checked = true;
  }

  // What a reload brings back: all that is written, also what makes no specification yet.
  #asks() {
    const { spec } = this;
    tab.keep({ question: this.chosen, spec: { ...spec, trials: this.trials.value }, rows: this.fields.written });
    this.asked(spec);
  }

  #resume({ question, spec, rows }) {
    this.#choose(question);
    this.#lay(spec, rows);
  }

  // What was changed by hand is a question of one's own.
  #edited() {
    this.#choose(OWN);
    this.#follow();
    this.#asks();
  }

  #keeps(changed) {
    this.effective.disabled = !this.keep.checked;
    changed();
  }

  #lay(spec, rows = Object.entries(spec.fields)) {
    const { method = "grid", trials = TRIALS, effective_batch: effective = null, learning_rate_scaling: scaling = "none", length = "updates" } = spec;
    this.fields.lay(rows);
    check(this.method, method);
    check(this.scaling, scaling);
    check(this.length, length);
    this.trials.value = trials;
    this.updates.value = spec.updates ?? "";
    this.keep.checked = effective !== null;
    if (effective !== null) this.effective.value = effective;
    this.leave.checked = spec.leave_out === true;
    this.prune.checked = spec.prune === true;
    this.noise.checked = spec.noise === true;
    this.#follow();
  }

  // What depends on another choice.
  #follow() {
    const grid = this.method.querySelector("input:checked").value === "grid";
    this.trialsField.hidden = grid;
    this.fields.ofGrid = grid;
    this.keep.disabled = EFFECTIVE in this.fields.fields;
    this.effective.disabled = this.keep.disabled || !this.keep.checked;
  }
}

const ticked = (input, name, ...after) => h("div", { class: "beside" }, h("label", { title: say(`${name}.title`) }, input, say(name)), ...after);

function segments(name, legend, values, words, changed) {
  return h(
    "fieldset",
    { class: "segments", id: name },
    h("legend", {}, legend),
    ...values.map((value, place) => {
      const [text, title] = words(value);
      return h("label", { title }, h("input", { type: "radio", name, value, checked: place === 0, onchange: changed }), h("span", {}, text));
    }),
  );
}

const check = (fieldset, value) => {
  fieldset.querySelector(`input[value="${value}"]`).checked = true;
};
