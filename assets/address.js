// What the page shows stands in its address.

// Writes each of `changes` there, and takes out what is null; the browser's Back does not lead to what was before.
export function note(changes) {
  const address = new URL(location.href);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) address.searchParams.delete(name);
    else address.searchParams.set(name, value);
  }
  if (address.href !== location.href) history.replaceState(history.state, "", address);
}

// Which run the page looks at: `?run=3`, or the current one where the address names none.

export function runInAddress() {
  const value = new URL(location.href).searchParams.get("run");
  return value !== null && /^\d{1,15}$/.test(value) ? Number(value) : null;
}

export function goTo(run) {
  const address = new URL(location.href);
  address.searchParams.delete("frame");
  if (run === null) address.searchParams.delete("run");
  else address.searchParams.set("run", run);
  if (address.href !== location.href) history.pushState(null, "", address);
  window.dispatchEvent(new CustomEvent("birikim:run"));
}

// Which micro-batch of which window the player stands at: `?frame=12.3`, or null where it follows the newest.
export function frameInAddress() {
  const [, update, index] = new URL(location.href).searchParams.get("frame")?.match(/^(\d{1,15})\.(\d{1,9})$/) ?? [];
  return update ? { update: Number(update), index: Number(index) } : null;
}

export const standAt = (frame) => note({ frame: frame && `${frame.update}.${frame.index}` });

// Calls back when the address names another run: by a click here, or by the browser's Back.
export function onRun(changed) {
  window.addEventListener("popstate", changed);
  window.addEventListener("birikim:run", changed);
}

export const addressOf = (run) => {
  const address = new URL(location.href);
  for (const other of ["tab", "lesson"]) address.searchParams.delete(other); // a run is watched where it was started
  address.searchParams.set("run", run);
  return address.href;
};
