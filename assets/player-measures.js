// What one micro-batch took: its two passes in time and in memory, and its share in the loss of the window.

import { h, setText } from "./dom.js";
import { shareOf } from "./player-film.js";
import { bytes, integer, number, say, sayCount } from "./words.js";

const PASSES = ["forward", "backward"];
const MEASURES = [
  { name: "seconds", words: passText },
  { name: "bytes", words: bytes },
];
export const WEIGHT_FIGURES = 5; // enough that loss × weight is seen to be the share

export class Measures {
  constructor() {
    this.passes = Object.fromEntries(PASSES.map((pass) => [pass, MEASURES.map((measure) => new Bar(pass, measure))]));
    const heads = ["pass", "seconds", "bytes"].map((name) => h("th", { scope: "col" }, name === "pass" ? h("span", { class: "unseen" }, say("player.pass")) : say(`player.${name}`)));
    this.figures = Object.fromEntries(["loss", "weight", "share"].map((name) => [name, h("strong", {})]));
    const figure = (name) => h("span", { class: "figure" }, this.figures[name], h("small", {}, say(`player.${name}`)));
    const sign = (text) => h("span", { class: "sign" }, text);
    this.about = h("p", { class: "about" });
    this.element = h(
      "section",
      { class: "scene measures" },
      h("header", {}, h("h4", {}, say("player.measures.title"))),
      h(
        "table",
        { class: "passes" },
        h("thead", {}, h("tr", {}, ...heads)),
        h("tbody", {}, ...PASSES.map((pass) => h("tr", {}, h("th", { scope: "row" }, say(`player.${pass}`)), ...this.passes[pass].map(({ element }) => element)))),
      ),
      h("p", { class: "equation" }, figure("loss"), sign("×"), figure("weight"), sign("="), figure("share")),
      this.about,
    );
  }

  render({ window, seen, told }) {
    const all = [...window.seen.values()];
    MEASURES.forEach(({ name }, place) => {
      const most = Math.max(0, ...all.flatMap((each) => PASSES.map((pass) => each[`${pass}_${name}`] ?? 0)));
      for (const pass of PASSES) this.passes[pass][place].render(seen, most);
    });
    setText(this.figures.loss, number(told?.loss));
    setText(this.figures.weight, number(told?.weight, WEIGHT_FIGURES));
    setText(this.figures.share, number(shareOf(told)));
    setText(this.about, told ? weightText(window, told) : "");
  }
}

class Bar {
  constructor(pass, { name, words }) {
    Object.assign(this, { field: `${pass}_${name}`, words });
    this.fill = h("span", { class: "fill", style: `--key: var(--${name === "bytes" ? "resident" : `phase-${pass}`})` });
    this.amount = h("span", { class: "amount" });
    this.element = h("td", {}, h("span", { class: "bar", "aria-hidden": "true" }, this.fill), this.amount);
  }

  render(seen, most) {
    const value = seen?.[this.field] ?? null;
    this.fill.style.setProperty("--size", most > 0 ? (value ?? 0) / most : 0);
    setText(this.amount, value === null ? say("amount.none") : this.words(value));
  }
}

// Where the weight comes from; the targets of a window are known when it is whole.
function weightText(window, told) {
  const targets = sayCount("window.targets", told.targets);
  const all = [...window.told.values()];
  if (all.length < window.of) return say("player.counts", { targets, examples: sayCount("window.examples", told.examples) });
  const whole = all.reduce((sum, each) => sum + each.targets, 0);
  const exact = Math.abs(told.weight * whole - told.targets) < 1e-3;
  return say(exact ? "player.weight.of" : "player.weight.not-of", { targets, all: integer(whole) });
}

// A pass, most often a matter of milliseconds.
export function passText(seconds) {
  if (!Number.isFinite(seconds)) return say("amount.none");
  return seconds < 1 ? say("player.ms", { ms: number(1000 * seconds, 3) }) : say("player.s", { s: number(seconds, 3) });
}
