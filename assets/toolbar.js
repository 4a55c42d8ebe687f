// What a click changes in all charts at once: the x-axis, smoothing, the log scale.

import { h } from "./dom.js";
import { say } from "./words.js";

const AXES = ["update", "total_examples", "total_targets", "seconds"];

export class Toolbar {
  constructor(view, changed) {
    const axes = AXES.map((axis) =>
      h(
        "label",
        {},
        h("input", {
          type: "radio",
          name: "x-axis",
          value: axis,
          checked: axis === view.x,
          onchange: () => {
            view.x = axis;
            changed();
          },
        }),
        h("span", {}, say(`charts.x.${axis}`)),
      ),
    );
    const toggle = (name) => {
      const button = h("button", { type: "button", class: "toggle", "aria-pressed": "false", title: say(`charts.${name}.title`) }, say(`charts.${name}`));
      button.addEventListener("click", () => {
        view[name] = !view[name];
        button.setAttribute("aria-pressed", view[name]);
        changed();
      });
      return button;
    };
    this.note = h("span", { class: "thinned", hidden: true }, say("charts.thinned"));
    this.element = h(
      "div",
      { class: "toolbar" },
      h("fieldset", { class: "segments", id: "x-axis" }, h("legend", {}, say("charts.x")), ...axes),
      toggle("smooth"),
      toggle("log"),
      this.note,
    );
  }

  // A run once thinned stays so until it is read whole again.
  thinned(yes, reset) {
    if (reset || yes) this.note.hidden = !yes;
  }
}
