// On a narrow screen the form folds away, so that the run stands at the top once there is one to watch.

import { kept } from "./edits.js";
import { showColumns } from "./fit.js";
import { h, setText } from "./dom.js";
import { say } from "./words.js";
import { noteWriting } from "./wrote.js";

const narrow = matchMedia("(max-width: 900px)");

const form = () => document.getElementById("form");

function fold(yes) {
  const button = document.querySelector("#fold button");
  form().classList.toggle("folded", yes);
  form().classList.add("foldable"); // there is a run to go back to
  button.setAttribute("aria-expanded", String(!yes));
  setText(button, say(yes ? "form.fold" : "form.unfolded"));
}

export function foldForm() {
  if (narrow.matches && form()) fold(true);
}

export function unfoldForm() {
  if (narrow.matches && form()) fold(false);
}

export function mount(element) {
  const toggle = () => fold(!form().classList.contains("folded"));
  const button = h("button", { type: "button", class: "plain", "aria-expanded": "true", "aria-controls": "form", onclick: toggle }, say("form.fold"));
  element.replaceChildren(button);
  noteWriting(form());
  window.addEventListener("birikim:run", foldForm); // who goes to a run wants to see it
  showColumns(kept()?.values.data ?? initial("data"));
}

const initial = (field) => window.gradio_config?.components?.find(({ props }) => props.elem_id === field)?.props.value;
