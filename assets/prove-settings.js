// What the settings of the Train tab mean for a proof, in one line, and told to whoever chooses the plans.

import { faultLines } from "./form.js";
import { h } from "./dom.js";
import { say } from "./words.js";

let settings = null;
let listener = () => {};

export const wanted = () => settings;

export function onSettings(changed) {
  listener = changed;
  if (settings) changed(settings);
}

export function mount(element, props, watch) {
  const line = h("p", { class: "proved" });
  const render = () => {
    const { fault, field, ...found } = props.value;
    if (fault) {
      line.replaceChildren(...faultLines(fault).map((part) => h("span", {}, part.textContent, " ")));
    } else if (found.own) {
      settings = found;
      const names = [settings.model, settings.data, settings.task].join(" · ");
      line.replaceChildren(h("strong", {}, names), " ", h("span", { class: "from" }, say("prove.settings.from")));
      listener(settings);
    }
    line.classList.toggle("faulty", Boolean(fault));
  };
  watch("value", render);
  render();
  element.replaceChildren(line);
}
