// What the preview has found out, to be taken over where one looks: between what is said of the settings and Start.

import { h } from "./dom.js";

// `offers`: [{label, title, take}], with a word before them; an empty list takes back what was offered.
export function offer(offers, before = "") {
  window.dispatchEvent(new CustomEvent("birikim:offer", { detail: { offers, before } }));
}

export function mount(element) {
  window.addEventListener("birikim:offer", ({ detail: { offers, before } }) => {
    const buttons = offers.map(({ label, title, take }) => h("button", { type: "button", class: "plain small", title, onclick: take }, label));
    element.replaceChildren(...(buttons.length ? [h("div", { class: "offers" }, before ? h("span", {}, before) : null, ...buttons)] : []));
  });
}
