// On a narrow screen the form folds away, so that the run stands at the top once there is one to watch.

import { h } from "./dom.js";
import { say } from "./words.js";
import { noteWriting } from "./wrote.js";

const narrow = matchMedia("(max-width: 900px)");

const form = () => document.getElementById("form");

function fold(yes) {
  form().classList.toggle("folded", yes);
  document.querySelector("#fold button").setAttribute("aria-expanded", String(!yes));
}

export function foldForm() {
  if (narrow.matches && form()) fold(true);
}

export function mount(element) {
  const toggle = () => fold(!form().classList.contains("folded"));
  const button = h("button", { type: "button", class: "plain", "aria-expanded": "true", "aria-controls": "form", onclick: toggle }, say("form.fold"));
  element.replaceChildren(button);
  noteWriting(form());
}
