// Which tab is open stands in the address (`?tab=prove`), so that a reload opens it again; Train goes without.

const TAB = /^tab-([a-z]+)-button$/;
const FIRST = "train";

export function keepTab() {
  const wanted = new URL(location.href).searchParams.get("tab");
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
  if (address.href !== location.href) history.replaceState(null, "", address);
}
