// The config as YAML text, to be read and edited. Every way of changing it counts: typing, deleting, pasting, dropping.

import { h } from "./dom.js";
import { say } from "./words.js";

// The value is `{text}`; from the program also `of`, the text that its own was made from.
export function mount(element, props, trigger, watch) {
  const pane = h("textarea", { rows: 18, spellcheck: "false", autocapitalize: "off", autocomplete: "off", wrap: "off" });
  pane.value = props.value.text;
  pane.addEventListener("input", () => {
    props.value = { text: pane.value };
    trigger("input");
  });
  watch("value", () => {
    const { text, of } = props.value;
    // made from a text that has been edited meanwhile: what was written last stands
    if (of !== undefined && of !== pane.value && text !== pane.value) props.value = { text: pane.value };
    else if (pane.value !== text) pane.value = text;
  });
  element.replaceChildren(h("label", {}, h("span", {}, say("form.yaml.label")), pane));
}
