// The switch of the Explore tab: runs side by side, or many runs at once. Which is shown stands in the address
// (`?tab=explore&view=sweep`), so that a link or a reload shows it again.

import { note } from "./address.js";
import { h } from "./dom.js";
import { say } from "./words.js";

const VIEWS = ["compare", "sweep"];
const STEP = { ArrowRight: 1, ArrowLeft: -1 };

const asked = () => new URL(location.href).searchParams.get("view");
let shown = VIEWS[0];

export function mount(element) {
  const tabs = VIEWS.map((view) =>
    h(
      "button",
      { type: "button", role: "tab", id: `view-${view}`, onclick: () => choose(view), onkeydown: step },
      say(`explore.${view}`),
    ),
  );
  element.replaceChildren(h("div", { class: "views", role: "tablist", "aria-label": say("tab.explore") }, ...tabs));

  // whoever comes back to the tab finds the view that was open, and so does a link
  new IntersectionObserver(([entry]) => entry.isIntersecting && note({ view: shown })).observe(element);
  window.addEventListener("popstate", () => show(asked() ?? shown));
  show(asked());

  function choose(view) {
    note({ view });
    show(view);
  }

  function show(view) {
    shown = VIEWS.includes(view) ? view : VIEWS[0];
    document.documentElement.dataset.view = shown; // the style sheet hides the other panel
    tabs.forEach((tab, place) => {
      const chosen = VIEWS[place] === shown;
      tab.setAttribute("aria-selected", String(chosen));
      tab.tabIndex = chosen ? 0 : -1;
    });
  }

  function step(event) {
    const by = STEP[event.key];
    if (!by) return;
    event.preventDefault();
    const view = VIEWS[(VIEWS.indexOf(shown) + by + VIEWS.length) % VIEWS.length];
    choose(view);
    tabs[VIEWS.indexOf(view)].focus();
  }
}

// What a view shows, as the panel of its tab.
export const panel = (view, ...children) =>
  h("div", { class: "live room explored", role: "tabpanel", "aria-labelledby": `view-${view}` }, ...children);
