// How the lines of a run look: one colour and one mark everywhere. A run keeps them while others come and go.

import { token } from "./plot.js";

const COLOURS = 8;
const SYMBOLS = ["circle", "square", "diamond", "triangle-up", "x", "star", "triangle-down", "cross", "pentagon", "hexagon", "triangle-left", "triangle-right"];
const SIGNS = { circle: "●", square: "■", diamond: "◆", "triangle-up": "▲", x: "✕", star: "★", "triangle-down": "▼", cross: "✚", pentagon: "⬟", hexagon: "⬢", "triangle-left": "◄", "triangle-right": "►" };

const places = new Map();

// Gives each of `runs` a place, and those that are gone none.
export function settle(runs) {
  for (const run of [...places.keys()]) if (!runs.includes(run)) places.delete(run);
  for (const run of runs) {
    if (places.has(run)) continue;
    const taken = new Set(places.values());
    let place = 0;
    while (taken.has(place)) place += 1;
    places.set(run, place);
  }
}

const placeOf = (run) => places.get(run) ?? 0;

export const colourName = (run) => `run-${placeOf(run) % COLOURS}`;
export const colourOf = (run) => token(colourName(run));
export const symbolOf = (run) => SYMBOLS[placeOf(run) % SYMBOLS.length];
export const signOf = (run) => SIGNS[symbolOf(run)];
