// The config as YAML text, to be read and edited. Every way of changing it counts: typing, deleting, pasting, dropping.

import { h } from "./dom.js";
import { say } from "./words.js";

export function mount(element, props, trigger, watch) {
  const text = h("textarea", { rows: 18, spellcheck: "false", autocapitalize: "off", autocomplete: "off", wrap: "off" });
  text.value = props.value ?? "";
  text.addEventListener("input", () => {
    props.value = text.value;
    document.getElementById("form").dataset.wrote = "yaml";
    trigger("input");
  });
  watch("value", () => {
    if (text.value !== props.value) text.value = props.value ?? "";
  });
  element.replaceChildren(h("label", {}, h("span", {}, say("form.yaml.label")), text));
}
