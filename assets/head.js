// What stands at the top of a page.

import { h } from "./dom.js";
import { say } from "./words.js";

export const head = (...choices) => h("header", { class: "masthead" }, h("h1", {}, say("app.name")), h("p", {}, say("app.tagline")), ...choices);
