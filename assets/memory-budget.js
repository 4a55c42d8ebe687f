// What the memory must fit into: this device, a card by its name, or a number.

import { h } from "./dom.js";
import { bytes, cards, say } from "./words.js";

const KINDS = ["device", "card", "number"];
const CARD = "rtx-4090";
const GIB = 24;

export class Budget {
  constructor(changed) {
    this.capacity = null;
    this.device = "cpu";
    this.named = "";
    const pick = () => {
      this.#show();
      changed();
    };
    this.kinds = h(
      "fieldset",
      { class: "segments", id: "fit-budget" },
      h("legend", {}, say("memory.budget")),
      ...KINDS.map((kind) =>
        h("label", {}, h("input", { type: "radio", name: "fit-budget", value: kind, checked: kind === "device", onchange: pick }), h("span", {}, say(`memory.budget.${kind}`))),
      ),
    );
    const families = [...new Set(cards.map(({ family }) => family))];
    this.card = h(
      "select",
      { id: "fit-card", "aria-label": say("memory.budget.which-card"), onchange: pick },
      ...families.map((family) => h("optgroup", { label: family }, ...cards.filter((card) => card.family === family).map(option))),
    );
    this.amount = h("input", { type: "number", id: "fit-gib", min: 0.1, step: "any", value: GIB, "aria-label": say("memory.budget.how-much"), oninput: pick });
    this.number = h("span", { class: "amount-field" }, this.amount, say("memory.budget.gib"));
    this.element = h("div", { class: "budget" }, this.kinds, this.card, this.number);
    this.#show();
  }

  get kind() {
    return this.kinds.querySelector("input:checked").value;
  }

  // Which kind of device a prediction is for; null for this one.
  get wanted() {
    return this.kind === "card" ? "cuda" : null;
  }

  // Bytes; null while this device is not known yet, or where the number is none.
  get bytes() {
    if (this.kind === "device") return this.capacity;
    if (this.kind === "card") return this.#card().bytes;
    const gib = this.amount.valueAsNumber;
    return gib > 0 && gib < 2 ** 22 ? Math.round(gib * 2 ** 30) : null;
  }

  // “of 24.0 GiB on one NVIDIA GeForce RTX 4090”
  get words() {
    if (this.bytes === null) return "";
    const { family, model } = this.#card();
    return say(`memory.on.${this.kind}`, { budget: bytes(this.bytes), device: this.named, card: `${family} ${model}` });
  }

  // What a prediction has told of the device that it was for.
  learn({ capacity_bytes: capacity, device, device_name: name }) {
    if (this.wanted === null) Object.assign(this, { capacity, device, named: name });
  }

  #card() {
    return cards.find(({ id }) => id === this.card.value);
  }

  #show() {
    this.card.hidden = this.kind !== "card";
    this.number.hidden = this.kind !== "number";
  }
}

const option = ({ id, model, bytes: size }) => h("option", { value: id, selected: id === CARD }, `${model} · ${size / 2 ** 30} GiB`);
