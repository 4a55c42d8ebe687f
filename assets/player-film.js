// What was watched of a run: its windows, by the number of their update. Nothing here but what the store has told.

export class Film {
  constructor() {
    this.clear();
  }

  clear() {
    this.windows = new Map();
    this.after = 0;
    this.known = false; // whether the store has answered
    this.replays = 0; // that have come
  }

  // Takes an answer of `watched`; returns what has come: “12.3” a micro-batch, “12” a window, “12r” a replay.
  take({ micro_batches: microBatches, windows, replays, told, updates, last }) {
    for (const [update, { seen, replay }] of this.windows) if ((seen.size || replay) && !updates.includes(update)) this.windows.delete(update);
    for (const each of microBatches) this.#see(each);
    for (const each of told) this.#tell(each);
    for (const each of windows) this.#at(each).whole = each;
    for (const each of replays) this.#at({ ...each, of: each.plan.micro_batches.length }).replay = each;
    this.replays += replays.length;
    this.after = last;
    this.known = true;
    return new Set([
      ...microBatches.map(({ update, index }) => `${update}.${index}`),
      ...windows.map(({ update }) => `${update}`),
      ...replays.map(({ update }) => `${update}r`),
    ]);
  }

  // The window that the lane shows: its losses are known before, and also where nobody watched.
  tell({ update, of, micro_batches: microBatches }) {
    for (const each of microBatches) this.#tell({ update, of, ...each });
  }

  get updates() {
    return [...this.windows.keys()].sort((one, other) => one - other);
  }

  window(update) {
    return this.windows.get(update) ?? null;
  }

  // A window that begins anew forgets what was seen of it.
  #see(each) {
    const window = this.#at(each);
    for (const index of window.seen.keys()) if (index > each.index) window.seen.delete(index);
    window.whole = null;
    window.seen.set(each.index, each);
  }

  #tell(each) {
    this.#at(each).told.set(each.index, each);
  }

  #at({ update, of }) {
    if (!this.windows.has(update)) this.windows.set(update, { update, of: 0, seen: new Map(), told: new Map(), whole: null, replay: null });
    const window = this.windows.get(update);
    if (of) window.of = of;
    return window;
  }
}

// The last micro-batch of the window that has run; 0 before the first.
export const lastOf = (window) => Math.max(0, ...window.seen.keys(), ...window.told.keys());

// Scrolls what scrolls by itself, and never the page.
export function keepInView(room, element) {
  if (!element || room.scrollHeight <= room.clientHeight) return;
  const [within, of] = [element.getBoundingClientRect(), room.getBoundingClientRect()];
  if (within.top < of.top) room.scrollTop -= of.top - within.top + within.height;
  if (within.bottom > of.bottom) room.scrollTop += within.bottom - of.bottom;
}

export const shareOf = (told) => (Number.isFinite(told?.loss) ? told.loss * told.weight : told?.targets === 0 ? 0 : null);
