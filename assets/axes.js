// The axes of a chart: the same stretch of x for all charts of a run, and tick labels that are short and alike.

import { TABLES } from "./series.js";

const EXPONENT_FROM = 1e4; // below, figures are shorter than powers of ten
const EXPONENT_BELOW = 1e-2;
const ZERO = { "0e+0": "0" };
const PADDING = 1.12; // of a range, as Plotly pads it
const ROOM_AT_END = 1.015; // so that a mark on the last update is whole

// Where the x-axis of every chart of a run ends: at the last point of any of them, and after a whole update.
export function xEnd(series, x) {
  const end = Math.max(0, ...TABLES.map((table) => lastOf(series.column(table, x))));
  return x === "update" ? Math.ceil(end) : end;
}

export const xRange = (end) => (end > 0 ? { minallowed: 0, maxallowed: end * ROOM_AT_END } : {});

// `kind` is that of the panel's values: a count, a rate, a share, or a plain number. `values`: the columns on this axis.
export function ticksOf(kind = "number", logarithmic, values) {
  const [least, most] = extremes(values.flat());
  if (logarithmic) return logTicks(least, most);
  const size = Math.max(Math.abs(least ?? 0), Math.abs(most ?? 0));
  if (kind === "share") return { tickformat: ".0%" };
  if (kind === "count") return size >= EXPONENT_FROM ? { tickformat: "~s" } : {};
  const small = size > 0 && size < EXPONENT_BELOW;
  if (kind === "rate" || small || size >= EXPONENT_FROM) return { tickformat: ".2~e", labelalias: ZERO };
  return {};
}

// Within one power of ten Plotly's own choice labels evenly; beyond, 1, 2 and 5 of each.
function logTicks(least, most) {
  const decades = least > 0 ? Math.log10(most / least) * PADDING : Infinity;
  return { tickformat: ".3~g", ...(decades >= 1 ? { dtick: "D2" } : {}) };
}

function lastOf(column) {
  for (let row = column.length - 1; row >= 0; row -= 1) if (Number.isFinite(column[row])) return column[row];
  return 0;
}

export function extremes(values) {
  let [least, most, last, first] = [null, null, null, null];
  for (const value of values) {
    if (value === null) continue;
    if (least === null || value < least) least = value;
    if (most === null || value > most) most = value;
    last = value;
    first ??= value;
  }
  return [least, most, last, first];
}
