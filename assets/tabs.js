// Which tab is open stands in the address (`?tab=prove`), so that a reload opens it again; Train goes without. A lesson
// in the address (`?lesson=why`) opens the tab that it is in.

import { noteTab } from "./address.js";

const TAB = /^tab-([a-z]+)-button$/;
const FIRST = "train";
const LESSONS = "learn";

export function keepTab() {
  const asked = inAddress();
  document.addEventListener("click", (event) => {
    const opened = event.target.closest?.("[role=tab]")?.id.match(TAB);
    if (opened) noteTab(opened[1], FIRST);
  });
  window.addEventListener("popstate", () => open(inAddress() ?? FIRST));
  if (asked) open(asked);
}

function inAddress() {
  const asked = new URL(location.href).searchParams;
  return asked.get("tab") ?? (asked.has("lesson") ? LESSONS : null);
}

function open(tab) {
  if (/^[a-z]+$/.test(tab)) document.getElementById(`tab-${tab}-button`)?.click();
}
