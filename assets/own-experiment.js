// A student's own experiment: a small form within the teacher's bounds, and what has become of what was asked for.

import { runInAddress } from "./address.js";
import { h, setAttribute, setText } from "./dom.js";
import { integer, preset, say, told } from "./words.js";

const NAME = "birikim.class-name";
const OPEN = new Set(["waiting", "running"]);

export class OwnExperiment {
  // `ask(wish)` sends it; `sent()` is called once it has been; `choose(run)` shows that run, or the class's for null.
  constructor({ ask, sent, choose }) {
    Object.assign(this, { ask, sent, choose, mark: "", busy: false });
    this.fields = fields();
    this.button = h("button", { type: "submit", class: "plain", id: "own-start" }, say("class.own.start"));
    this.said = h("p", { class: "own-said", role: "status" });
    this.form = h("form", { class: "own-form", onsubmit: (event) => this.#send(event) }, ...Object.values(this.fields).map(({ label }) => label), this.button);
    this.choice = h("div", { class: "own-choice", role: "group", "aria-label": say("class.own.choice") });
    this.details = h("details", { class: "own", id: "own" }, h("summary", {}, say("class.own.title")), this.form);
    this.element = h("section", { class: "own-room", hidden: true }, this.details, this.said, this.choice);
  }

  // `allowed`: the teacher lets students run something of their own; `own`: what this one has asked for, newest last.
  render({ allowed, own = [] }) {
    const last = own.at(-1);
    this.element.hidden = !allowed && !own.length;
    this.details.hidden = !allowed;
    const open = own.some(({ state }) => OPEN.has(state));
    this.button.disabled = open || this.busy;
    setAttribute(this.button, "title", open ? say("class.refused.one") : "");
    const mark = JSON.stringify([own, runInAddress()]);
    if (mark === this.mark) return;
    this.mark = mark;
    if (last) setText(this.said, standing(last));
    this.choice.replaceChildren(...this.#choices(own.filter(({ run }) => run !== null)));
  }

  #choices(own) {
    if (!own.length) return [];
    const shown = own.some(({ run }) => run === runInAddress()) ? runInAddress() : null;
    const one = (run, words) => h("button", { type: "button", class: "toggle", "aria-pressed": String(run === shown), onclick: () => this.choose(run) }, words);
    return [one(null, say("class.own.of-all")), ...own.map(({ run }) => one(run, say("class.own.run", { run })))];
  }

  async #send(event) {
    event.preventDefault();
    const wish = Object.fromEntries(Object.entries(this.fields).map(([name, { read }]) => [name, read()]));
    keepName(wish.name);
    this.busy = this.button.disabled = true;
    const reply = await this.ask(wish).catch(() => undefined);
    this.busy = false;
    const fault = reply === undefined ? { code: "class.refused.lost" } : reply.fault;
    setText(this.said, fault ? told(fault).message : say("class.own.sent"));
    this.said.classList.toggle("fault", Boolean(fault));
    this.details.open &&= Boolean(fault);
    this.sent();
  }
}

function fields() {
  const { bounds, rates, longest_name: longest } = preset;
  const text = h("input", { type: "text", maxlength: longest, required: true, value: keptName(), autocomplete: "nickname" });
  const rate = h("input", { type: "number", min: rates[0], max: rates[1], step: "any", required: true, value: "0.001" });
  const whole = (name, value) => h("input", { type: "number", min: bounds[name][0], max: bounds[name][1], step: 1, required: true, value });
  const chosen = (values, words) => h("select", {}, ...values.map((value) => h("option", { value }, words(value))));
  const field = (name, input, read) => [name, { label: h("label", {}, h("span", {}, say(`class.own.${name}`)), input), read: () => read(input.value) }];
  return Object.fromEntries([
    field("name", text, String),
    field("model", chosen(preset.models, String), String),
    field("micro_batch", whole("micro_batch", 4), Number),
    field("accumulation_steps", whole("accumulation_steps", 4), Number),
    field("updates", whole("updates", 20), Number),
    field("learning_rate", rate, Number),
    field("normalization", chosen(preset.normalizations, (value) => say(`class.own.normalization.${value}`)), String),
  ]);
}

function standing({ state, run, ahead, why }) {
  if (state === "refused") return told({ code: why, values: { most: integer(preset.most_waiting) } }).message;
  if (state === "waiting") return say("class.own.waiting", { ahead: integer(ahead) });
  return say(`class.own.${state}`, { run });
}

// The name is kept in this browser, so that it is written once.
function keptName() {
  try {
    return localStorage.getItem(NAME) ?? "";
  } catch {
    return "";
  }
}

function keepName(name) {
  try {
    localStorage.setItem(NAME, name);
  } catch {
    // it is written once more
  }
}
