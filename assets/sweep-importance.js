// How much of the differences in loss each setting explains: bars that are read as they are.

import { h } from "./dom.js";
import { fieldName } from "./sweep-names.js";
import { percent, say } from "./words.js";

export class Importance {
  constructor() {
    this.list = h("ol", { class: "importance" });
    this.empty = h("p", { class: "empty-list" }, say("sweep.importance.empty"));
    const title = h("h3", { id: "sweep-importance-title" }, say("sweep.importance"));
    this.element = h("section", { id: "sweep-importance", class: "part", "aria-labelledby": title.id }, title, h("p", { class: "about" }, say("sweep.importance.about")), this.empty, this.list);
  }

  render(state) {
    const found = Object.entries(state?.importance ?? {}).sort(([, one], [, other]) => other - one);
    const mark = JSON.stringify(found);
    if (mark === this.shown) return;
    this.shown = mark;
    this.empty.hidden = found.length > 0;
    this.list.replaceChildren(
      ...found.map(([key, share]) => h("li", {}, h("span", { class: "name" }, fieldName(key)), h("span", { class: "bar", "aria-hidden": "true" }, h("span", { style: `--share: ${share}` })), h("strong", {}, percent(share)))),
    );
  }
}
