// The accumulated gradient in figures: after each micro-batch its norm as a bar, what was added, and its direction.

import { h, setText } from "./dom.js";
import { keepInView, lastOf } from "./player-film.js";
import { integer, number, say } from "./words.js";

const WRITTEN_OUT = 3; // so many terms of a sum

export class Gradient {
  constructor() {
    const heads = ["sum", "norm", "own", "angle"].map((name) => h("th", { scope: "col", class: name }, say(`player.gradient.${name}`)));
    this.body = h("tbody");
    this.room = h(
      "div",
      { class: "gradient-scroll", tabindex: "0", role: "group", "aria-label": say("player.gradient.title") },
      h("table", { class: "sums" }, h("caption", { class: "unseen" }, say("player.gradient.caption")), h("thead", {}, h("tr", {}, ...heads)), this.body),
    );
    this.element = h(
      "section",
      { class: "scene gradient" },
      h("header", {}, h("h4", {}, say("player.gradient.title"))),
      this.room,
    );
    this.of = 0;
  }

  render({ window, chosen, came }) {
    const of = Math.max(window.of, lastOf(window));
    if (of !== this.of) {
      this.of = of;
      this.lines = Array.from({ length: of }, (_, place) => new Line(place + 1));
      this.body.replaceChildren(...this.lines.map(({ element }) => element));
    }
    const most = Math.max(...[...window.seen.values()].map(({ norm }) => norm ?? 0), 0);
    for (const line of this.lines) line.render(window, chosen, most, came);
    if (chosen !== this.shown) keepInView(this.room, this.lines[chosen - 1]?.element);
    this.shown = chosen;
  }
}

class Line {
  constructor(index) {
    this.index = index;
    this.fill = h("span", { class: "fill", style: "--key: var(--gradient-strong)" });
    this.norm = h("span", { class: "amount" });
    this.own = h("td", { class: "own" });
    this.angle = h("td", { class: "angle" });
    this.element = h(
      "tr",
      {},
      h("th", { scope: "row", class: "sum" }, ...sumOf(index)),
      h("td", { class: "norm" }, h("span", { class: "bar", "aria-hidden": "true" }, this.fill), this.norm),
      this.own,
      this.angle,
    );
  }

  render(window, chosen, most, came) {
    const seen = window.seen.get(this.index);
    const cosine = window.whole?.cosines[this.index - 1] ?? null;
    const none = say("amount.none");
    this.element.classList.toggle("chosen", this.index === chosen);
    this.element.classList.toggle("waiting", !seen);
    this.element.classList.toggle("just", came.has(`${window.update}.${this.index}`));
    this.fill.style.setProperty("--size", most > 0 ? (seen?.norm ?? 0) / most : 0);
    setText(this.norm, number(seen?.norm));
    setText(this.own, Number.isFinite(seen?.own_norm) ? `+ ${number(seen.own_norm)}` : none);
    setText(this.angle, cosine === null ? none : degreesText(cosine));
    this.angle.title = cosine === null ? "" : say("player.gradient.cosine", { cosine: number(cosine) });
  }
}

// G₁, G₁ + G₂, … and from the fourth on G₁ + … + G₄, in nodes.
export function sumOf(index) {
  const term = (number) => ["G", h("sub", {}, integer(number))];
  const numbers = Array.from({ length: Math.min(index, WRITTEN_OUT) }, (_, place) => place + 1);
  if (index > WRITTEN_OUT) return [...term(1), " + … + ", ...term(index)];
  return numbers.flatMap((number, place) => [...(place ? [" + "] : []), ...term(number)]);
}

export const angleOf = (cosine) => Math.acos(Math.min(1, Math.max(-1, cosine)));

export function degreesText(cosine) {
  const degrees = (180 * angleOf(cosine)) / Math.PI;
  return say("player.gradient.degrees", { degrees: degrees < 0.05 ? "0" : number(degrees, degrees < 10 ? 2 : 3) });
}
