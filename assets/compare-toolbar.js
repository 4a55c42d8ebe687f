// What changes all charts of a comparison at once, and the loss that is to be reached.

import { AXES, METRICS } from "./compare-address.js";
import { h } from "./dom.js";
import { say } from "./words.js";

export class CompareToolbar {
  // `view` holds what is chosen; `changed()` is called after each choice.
  constructor(view, changed) {
    this.view = view;
    const choose = (name, value) => {
      view[name] = value;
      this.show();
      changed();
    };
    this.axes = AXES.map((axis) => h("input", { type: "radio", name: "compare-axis", value: axis, onchange: () => choose("axis", axis) }));
    const toggle = (name, words, text) =>
      h("button", { type: "button", class: "toggle", id: `compare-${name}`, title: say(`${words}.title`), onclick: () => choose(name, !view[name]) }, text ?? say(words));
    this.toggles = { smooth: toggle("smooth", "charts.smooth"), log: toggle("log", "charts.log"), single: toggle("single", "compared.band") };
    this.metric = h(
      "select",
      { id: "compare-metric", "aria-label": say("compared.metric"), onchange: () => choose("metric", this.metric.value) },
      ...METRICS.map((metric) => h("option", { value: metric }, say(`compared.metric.${metric}`))),
    );
    const typed = () => choose("below", this.below.value.trim() === "" || !Number.isFinite(this.below.valueAsNumber) ? null : this.below.valueAsNumber);
    this.below = h("input", { type: "number", id: "compare-below", step: "any", "aria-label": say("compared.below"), title: say("compared.below.title"), onchange: typed });
    this.element = h(
      "div",
      { class: "toolbar" },
      h(
        "fieldset",
        { class: "segments", id: "compare-axis" },
        h("legend", {}, say("charts.x")),
        ...this.axes.map((axis) => h("label", {}, axis, h("span", {}, say(`charts.x.${axis.value}`)))),
      ),
      ...Object.values(this.toggles),
      h("div", { class: "beside compared-reach" }, h("span", {}, say("compared.reach")), this.metric, h("span", {}, say("compared.reach.of")), this.below),
    );
    this.show();
  }

  show() {
    const { view } = this;
    for (const axis of this.axes) axis.checked = axis.value === view.axis;
    for (const [name, button] of Object.entries(this.toggles)) button.setAttribute("aria-pressed", String(name === "single" ? !view.single : view[name]));
    this.metric.value = view.metric;
    if (document.activeElement !== this.below) this.below.value = view.below ?? "";
  }

  // Whether there is a spread that a band could show.
  spreads(yes) {
    this.toggles.single.hidden = !yes;
  }
}
