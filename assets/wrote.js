// Where the user wrote last, in the form's fields or in its YAML: Start runs that. Noted as it happens, in the browser,
// since any message to the program and back could come too late.

import { written } from "./edits.js";
import { leaveLink } from "./link.js";

export function noteWriting(form) {
  const inText = (event) => event.target.closest("#yaml") !== null;
  const note = (event) => {
    document.documentElement.dataset.wrote = inText(event) ? "yaml" : "form";
    written();
    leaveLink();
    form.dispatchEvent(new Event("birikim:written"));
  };
  form.addEventListener("input", note, true);
  // A choice from a list is no input to the browser
  form.addEventListener("pointerdown", (event) => event.target.closest("[role=option]") && note(event), true);
  form.addEventListener("keydown", (event) => event.key === "Enter" && event.target.matches("input") && note(event), true);
}
