// Which tab is open stands in the address (`?tab=prove`), so that a reload opens it again; Train goes without. A lesson
// in the address (`?lesson=why`) opens the tab that it is in.

const TAB = /^tab-([a-z]+)-button$/;
const FIRST = "train";
const LESSONS = "learn";

export function keepTab() {
  const asked = new URL(location.href).searchParams;
  const wanted = asked.get("tab") ?? (asked.has("lesson") ? LESSONS : null);
  document.addEventListener("click", (event) => {
    const opened = event.target.closest?.("[role=tab]")?.id.match(TAB);
    if (opened) note(opened[1]);
  });
  if (/^[a-z]+$/.test(wanted ?? "")) document.getElementById(`tab-${wanted}-button`)?.click();
}

function note(tab) {
  const address = new URL(location.href);
  if (tab === FIRST) address.searchParams.delete("tab");
  else address.searchParams.set("tab", tab);
  if (tab !== LESSONS) address.searchParams.delete("lesson");
  if (address.href !== location.href) history.replaceState(null, "", address);
}
