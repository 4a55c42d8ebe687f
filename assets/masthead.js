// The head of a page: what it is, and the choices that hold for all of it.

import { h } from "./dom.js";
import { languageButtons } from "./language.js";
import { linkButton, linkLine } from "./link.js";
import { controlsButton } from "./projected.js";
import { themeButton } from "./theme.js";
import { say } from "./words.js";

// `trigger` has the page hand over what its form holds, before another language or a link is made of it.
export function mount(element, trigger) {
  const choices = [languageButtons(() => trigger("input")), linkButton(() => trigger("copy")), controlsButton(), themeButton()];
  element.replaceChildren(head(choices), linkLine());
}

// Of a page that only watches.
export function mountWatching(element) {
  element.replaceChildren(head([languageButtons(() => location.reload()), themeButton()]));
}

const head = (choices) => h("header", { class: "masthead" }, h("h1", {}, say("app.name")), h("p", {}, say("app.tagline")), ...choices);
