// The heat strip: a row a layer, a column a micro-batch; the darker, the longer the gradient accumulated in that layer.

import { h, setText } from "./dom.js";
import { lastOf } from "./player-film.js";
import { integer, number, say } from "./words.js";

const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
const DECADES = 3; // below the largest norm that the ramp still tells apart

export class Heat {
  constructor() {
    this.legend = h("div", { class: "heat-legend", "aria-hidden": "true" });
    this.least = h("span", {});
    this.most = h("span", {});
    this.legend.append(this.least, h("span", { class: "ramp" }), this.most, h("span", { class: "about" }, say("player.heat.log")));
    this.head = h("tr");
    this.body = h("tbody", { onkeydown: (event) => this.#move(event), onpointerover: (event) => this.#point(event.target.closest("td")), onfocusin: (event) => this.#point(event.target.closest("td")), onpointerleave: () => this.#point(null), onfocusout: () => this.#point(null) });
    this.table = h("table", { class: "heat" }, h("caption", { class: "unseen" }, say("player.heat.caption")), h("thead", {}, this.head), this.body);
    this.note = h("p", { class: "heat-note" });
    this.empty = h("p", { class: "empty" }, say("player.heat.empty"));
    this.element = h(
      "section",
      { class: "scene layers" },
      h("header", {}, h("h4", {}, say("player.heat.title")), h("p", { class: "about" }, say("player.heat.about")), this.legend),
      this.empty,
      h("div", { class: "heat-scroll" }, this.table),
      this.note,
    );
  }

  render({ window, chosen, came }) {
    const seen = [...window.seen.values()];
    const mark = JSON.stringify([window.update, seen.map(({ index }) => index), window.of, chosen]);
    if (mark === this.mark) return;
    this.mark = mark;
    const names = seen.length ? seen.reduce((one, other) => (other.layers.length > one.layers.length ? other : one)).layers.map(({ name }) => name) : [];
    this.empty.hidden = names.length > 0;
    this.table.hidden = this.legend.hidden = !names.length;
    this.of = Math.max(window.of, lastOf(window));
    this.#lay(names);
    const norms = seen.flatMap(({ layers }) => layers.map(({ norm }) => norm)).filter((norm) => norm > 0);
    const { least, most } = scaleOf(norms);
    setText(this.most, figure(most));
    setText(this.least, `${least > Math.min(...norms) ? "≤ " : ""}${figure(least)}`);
    const share = (norm) => Math.min(1, Math.max(0, Math.log(norm / least) / Math.log(most / least)));
    this.names = names;
    for (let index = 1; index <= this.of; index += 1) {
      const layers = new Map(window.seen.get(index)?.layers.map(({ name, norm }) => [name, norm]));
      const just = came.has(`${window.update}.${index}`);
      this.head.children[index].classList.toggle("chosen", index === chosen);
      names.forEach((name, row) => colour(this.body.children[row].children[index], layers.get(name) ?? null, share, just));
    }
    this.words = window.seen.get(chosen) ? spoken(window.seen.get(chosen)) : "";
    setText(this.note, this.words);
  }

  #lay(names) {
    const mark = JSON.stringify([names, this.of]);
    if (mark === this.laid) return;
    this.laid = mark;
    this.table.classList.toggle("many", names.length > 16);
    const columns = Array.from({ length: this.of }, (_, place) => place + 1);
    this.head.replaceChildren(h("th", { scope: "col" }, h("span", { class: "unseen" }, say("player.heat.layer"))), ...columns.map((index) => h("th", { scope: "col", title: say("player.heat.after", { index }) }, integer(index))));
    this.body.replaceChildren(
      ...names.map((name, row) => h("tr", {}, h("th", { scope: "row", title: name }, name), ...columns.map((index) => h("td", { tabindex: row || index > 1 ? "-1" : "0" }, h("span", { class: "unseen" }))))),
    );
  }

  #point(at) {
    const layer = at && this.names[[...this.body.children].indexOf(at.parentElement)];
    setText(this.note, at ? say("player.heat.cell", { layer, index: integer(at.cellIndex), norm: at.textContent }) : this.words);
  }

  #move(event) {
    const at = event.target.closest("td");
    if (!(event.key in STEPS) || !at) return;
    event.preventDefault();
    const [down, along] = STEPS[event.key];
    const rows = [...this.body.children];
    const row = rows[Math.min(rows.length - 1, Math.max(0, rows.indexOf(at.parentElement) + down))];
    const to = row.children[Math.min(this.of, Math.max(1, at.cellIndex + along))];
    at.tabIndex = -1;
    to.tabIndex = 0;
    to.focus();
  }
}

// From one to the next of 1, 3, 10, 30, …: a colour keeps its meaning while norms change little, from window to window too.
function scaleOf(norms) {
  const [low, high] = norms.length ? [Math.min(...norms), Math.max(...norms)] : [1, 1];
  const most = bound(high, (figure) => (figure <= 1 ? 1 : figure <= 3 ? 3 : 10));
  const least = bound(low, (figure) => (figure >= 3 ? 3 : 1));
  return { most, least: Math.max(least < most ? least : most / 3, most / 10 ** DECADES) };
}

function bound(norm, to) {
  const power = Math.floor(Math.log10(norm));
  return Number(`${to(norm / 10 ** power)}e${power}`);
}

// Without a digit that is not meant.
const figure = (norm) => number(norm, norm < 1e-3 || norm >= 1e6 ? 2 : 1 + Math.max(0, Math.ceil(-Math.log10(norm))));

// `share` of the ramp for a norm; what is as before is left alone, there may be thousands.
function colour(cell, norm, share, just) {
  const at = norm > 0 ? share(norm).toFixed(3) : "0";
  if (cell.style.getPropertyValue("--at") !== at) cell.style.setProperty("--at", at);
  cell.classList.toggle("full", norm !== null);
  cell.classList.toggle("just", just);
  setText(cell.firstChild, norm === null ? say("amount.none") : number(norm));
}

function spoken({ index, layers }) {
  const most = layers.reduce((one, other) => (other.norm > one.norm ? other : one));
  const least = layers.reduce((one, other) => (other.norm < one.norm ? other : one));
  return say("player.heat.read", { index: integer(index), most: number(most.norm), layer: most.name, least: number(least.norm), low: least.name });
}
