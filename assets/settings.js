// What the settings of the Train tab mean in another tab: one line there, and told to whoever reckons with them.

import { faultLines } from "./form.js";
import { h } from "./dom.js";
import { planText } from "./plans.js";
import { say } from "./words.js";

const WITH_PLAN = new Set(["memory"]); // where no choice of plans says which one is the run's own
const listeners = new Set();
let told = null;

// Calls back with the settings now and whenever they are others; while they are wrong, with the fault alone.
export function onSettings(changed) {
  listeners.add(changed);
  if (told) changed(told.settings, told.fault);
}

export function mount(element, props, watch, tab) {
  const line = h("p", { class: "proved" });
  const render = () => {
    const { fault = null, field, ...found } = props.value;
    if (!fault && !found.own) return; // the program is still to say it
    const names = fault ? [] : [found.model, found.data, found.task, ...(WITH_PLAN.has(tab) ? [planText(found.own)] : [])];
    line.replaceChildren(
      ...(fault
        ? faultLines(fault).map((part) => h("span", {}, part.textContent, " "))
        : [h("strong", {}, names.join(" · ")), " ", h("span", { class: "from" }, say("settings.from"))]),
    );
    line.classList.toggle("faulty", Boolean(fault));
    tell(fault ? null : found, fault);
  };
  watch("value", render);
  render();
  element.replaceChildren(line);
}

// Each tab that is there hears the same.
function tell(settings, fault) {
  const mark = JSON.stringify([settings, fault]);
  if (told?.mark === mark) return;
  told = { mark, settings, fault };
  for (const changed of listeners) changed(settings, fault);
}
