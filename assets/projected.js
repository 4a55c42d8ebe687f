// A page without its form and buttons, for a wall: `?controls=off`. `before.js` has hidden them before they are drawn.

import { note } from "./address.js";
import { h, setText } from "./dom.js";
import { say } from "./words.js";

const off = () => document.documentElement.dataset.controls === "off";

export function controlsButton() {
  const button = h("button", { type: "button", class: "plain small", id: "controls", onclick: turn });
  const label = () => {
    setText(button, say(off() ? "controls.show" : "controls.hide"));
    button.title = say(off() ? "controls.show.title" : "controls.hide.title");
  };
  function turn() {
    const hide = !off();
    if (hide) document.documentElement.dataset.controls = "off";
    else delete document.documentElement.dataset.controls;
    note({ controls: hide ? "off" : null });
    label();
    window.dispatchEvent(new Event("resize")); // the charts have another width
  }
  label();
  return button;
}
