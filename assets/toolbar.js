// What a click changes in all charts at once: the x-axis, smoothing, the log scale.

import { note } from "./address.js";
import { h } from "./dom.js";
import { say } from "./words.js";

const AXES = ["update", "total_examples", "total_targets", "seconds"];

// `?x=seconds&smooth=1&log=1`: what differs from how the charts are drawn at first.
function viewInAddress() {
  const asked = new URL(location.href).searchParams;
  const x = AXES.find((axis) => axis === asked.get("x")) ?? AXES[0];
  return { x, smooth: asked.get("smooth") === "1", log: asked.get("log") === "1" };
}

const noteView = ({ x, smooth, log }) => note({ x: x === AXES[0] ? null : x, smooth: smooth ? 1 : null, log: log ? 1 : null });

export class Toolbar {
  // `view` is set as the address says, and holds from then on what a click chooses.
  constructor(view, redraw) {
    Object.assign(view, viewInAddress());
    const changed = () => {
      noteView(view);
      show();
      redraw();
    };
    const choose = (axis) => () => {
      view.x = axis;
      changed();
    };
    const axes = AXES.map((axis) => h("input", { type: "radio", name: "x-axis", value: axis, onchange: choose(axis) }));
    const toggle = (name) => {
      const turn = () => {
        view[name] = !view[name];
        changed();
      };
      return h("button", { type: "button", class: "toggle", title: say(`charts.${name}.title`), onclick: turn }, say(`charts.${name}`));
    };
    const toggles = Object.fromEntries(["smooth", "log"].map((name) => [name, toggle(name)]));
    const show = () => {
      for (const axis of axes) axis.checked = axis.value === view.x;
      for (const [name, button] of Object.entries(toggles)) button.setAttribute("aria-pressed", String(view[name]));
    };
    window.addEventListener("popstate", () => {
      Object.assign(view, viewInAddress());
      show();
      redraw();
    });
    this.note = h("span", { class: "thinned", hidden: true }, say("charts.thinned"));
    this.element = h(
      "div",
      { class: "toolbar" },
      h("fieldset", { class: "segments", id: "x-axis" }, h("legend", {}, say("charts.x")), ...axes.map((axis) => h("label", {}, axis, h("span", {}, say(`charts.x.${axis.value}`))))),
      ...Object.values(toggles),
      this.note,
    );
    show();
  }

  // A run once thinned stays so until it is read whole again.
  thinned(yes, reset) {
    if (reset || yes) this.note.hidden = !yes;
  }
}
