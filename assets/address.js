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

// What is said of one tab alone: it stands in the address while that tab is open.
const OF_TAB = {
  learn: ["lesson"],
  runs: ["q", "tag", "sort", "part", "bin"],
  explore: ["view", "runs", "axis", "lines", "metric", "below", "study"],
};

export const noteTab = (tab, first) =>
  note({ tab: tab === first ? null : tab, ...Object.fromEntries(strangersTo(tab).map((name) => [name, null])) });

const strangersTo = (tab) => Object.entries(OF_TAB).flatMap(([other, names]) => (other === tab ? [] : names));

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

// The Train tab, and in it a run where one is named; the browser's Back leads here again.
export function toTrain(run = null) {
  const address = addressOf(run);
  if (address !== location.href) history.pushState(null, "", address);
  document.getElementById("tab-train-button").click();
  scrollTo(0, 0); // one may come from far down
  if (run !== null) window.dispatchEvent(new CustomEvent("birikim:run"));
}

// Which micro-batch of which window the player stands at: `?frame=12.3`, or null where it follows the newest.
export function frameInAddress() {
  const [, update, index] = new URL(location.href).searchParams.get("frame")?.match(/^(\d{1,15})\.(\d{1,9})$/) ?? [];
  return update ? { update: Number(update), index: Number(index) } : null;
}

export const standAt = (frame) => note({ frame: frame && `${frame.update}.${frame.index}` });

// What the list of runs shows: `?q=words&tag=a&sort=-loss&part=2&bin=1`; a sort without a sign goes upwards, and one that
// is neither in `sorts` nor by a metric is none. (`page` is Gradio's own.)
export function listInAddress(sorts) {
  const asked = new URL(location.href).searchParams;
  const [, way, by] = asked.get("sort")?.match(/^(-?)([\w.]+)$/) ?? [];
  const [down, sort] = sorts.includes(by) || /^metric\.\w{1,60}$/.test(by) ? [way, by] : ["-", "id"];
  const page = /^\d{1,9}$/.test(asked.get("part") ?? "") ? Math.max(1, Number(asked.get("part"))) : 1;
  return { search: asked.get("q") ?? "", tag: asked.get("tag"), sort, descending: down === "-", page, deleted: asked.get("bin") === "1" };
}

export function noteList({ search, tag, sort, descending, page, deleted }) {
  const order = `${descending ? "-" : ""}${sort}`;
  note({ q: search || null, tag, sort: order === "-id" ? null : order, part: page > 1 ? page : null, bin: deleted ? 1 : null });
}

// These runs side by side; the browser's Back leads to the list again.
export function compare(runs) {
  const address = new URL(location.href);
  for (const name of strangersTo("explore")) address.searchParams.delete(name);
  for (const [name, value] of [["tab", "explore"], ["view", "compare"], ["runs", runs.join()]]) address.searchParams.set(name, value);
  history.pushState(null, "", address);
  window.dispatchEvent(new PopStateEvent("popstate"));
}

// Calls back when the address names another run: by a click here, or by the browser's Back.
export function onRun(changed) {
  window.addEventListener("popstate", changed);
  window.addEventListener("birikim:run", changed);
}

// Of the Train tab: a run is watched where it was started. Null: the one that is looked at there.
export const addressOf = (run) => {
  const address = new URL(location.href);
  for (const other of ["tab", ...strangersTo(null)]) address.searchParams.delete(other);
  if (run !== null) {
    address.searchParams.delete("frame");
    address.searchParams.set("run", run);
  }
  return address.href;
};
