// The top of the page, with the choices that hold for all of it.

import { head } from "./head.js";
import { languageButtons } from "./language.js";
import { linkButton, linkLine } from "./link.js";
import { controlsButton } from "./projected.js";
import { themeButton } from "./theme.js";

// `trigger` has the page hand over what its form holds, before another language or a link is made of it.
export function mount(element, trigger) {
  const choices = [languageButtons(() => trigger("input")), linkButton(() => trigger("copy")), controlsButton(), themeButton()];
  element.replaceChildren(head(...choices), linkLine());
}
