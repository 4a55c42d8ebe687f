// The rows of one micro-batch, as the model reads them; what the loss compares with is coloured and underlined.

import { h, setText } from "./dom.js";
import { integer, say, sayCount } from "./words.js";

export class Rows {
  constructor() {
    this.title = h("h4", {});
    this.key = h("p", { class: "player-key" }, h("span", { class: "target" }, say("player.rows.key")));
    this.list = h("ol", { class: "player-rows", tabindex: "0" });
    this.element = h("section", { class: "scene rows" }, h("header", {}, this.title, this.key), this.list);
  }

  render({ window, chosen, seen, told, run }) {
    const mark = JSON.stringify([window.update, chosen, seen?.rows.length, Boolean(told)]);
    if (mark === this.mark) return;
    this.mark = mark;
    setText(this.title, say("player.rows.title", { index: integer(chosen) }));
    this.list.setAttribute("aria-label", this.title.textContent);
    this.list.scrollTop = 0;
    if (!seen) this.list.replaceChildren(h("li", { class: "nothing" }, say(!told ? "player.rows.none" : run.plan?.processes > 1 ? "player.rows.elsewhere" : "player.rows.unseen")));
    else this.list.replaceChildren(...seen.rows.map(row), ...(seen.more ? [h("li", { class: "nothing" }, sayCount("player.rows.more", seen.more))] : []));
  }
}

const row = ({ pieces, targets, label, more }) =>
  h(
    "li",
    {},
    h("p", { class: "decoded" }, ...pieces.map(piece), ...(more ? [h("span", { class: "left" }, ` ${sayCount("player.row.more", more)}`)] : [])),
    h("p", { class: "counted" }, label === null ? (targets ? sayCount("player.row.targets", targets) : say("player.row.no-target")) : h("mark", { class: "target" }, say("player.row.label", { label }))),
  );

const piece = ({ text, target, wanted = null }) => h(target ? "mark" : "span", { class: target ? "target" : null }, text, wanted === null ? null : h("sub", {}, wanted));
