// The top of the page, with the choices that hold for all of it.

import { h } from "./dom.js";
import { head } from "./head.js";
import { languageButtons } from "./language.js";
import { linkButton, linkLine } from "./link.js";
import { controlsButton } from "./projected.js";
import { themeButton } from "./theme.js";
import { say } from "./words.js";

// `trigger` has the page hand over what its form holds, before another language or a link is made of it.
export function mount(element, trigger) {
  const choices = [languageButtons(() => trigger("input")), linkButton(() => trigger("copy")), controlsButton(), themeButton()];
  const skip = h("a", { href: "#status", class: "skip", onclick: skipToRun }, say("skip.to-run"));
  element.replaceChildren(skip, head(...choices), linkLine());
}

// Past the tabs and the form's fields.
function skipToRun(event) {
  event.preventDefault();
  document.getElementById("tab-train-button").click();
  const status = document.getElementById("status");
  status.tabIndex = -1;
  const go = () => (status.offsetParent ? status.focus() : requestAnimationFrame(go)); // its tab takes a moment to open
  go();
}
