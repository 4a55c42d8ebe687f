// What the Compare view shows stands in the address, so that a link or a reload shows it again:
// `?tab=explore&view=compare&runs=3,5&axis=seconds&lines=smooth,log&metric=eval_loss&below=0.5`.

import { note } from "./address.js";

export const AXES = ["update", "total_examples", "total_targets", "total_tokens", "seconds"];
export const METRICS = ["loss", "eval_loss"];
export const MOST = 12; // runs, as many as the program takes
const LINES = ["smooth", "log", "single"];

export function comparisonInAddress() {
  const asked = new URL(location.href).searchParams;
  const lines = (asked.get("lines") ?? "").split(",");
  const below = asked.get("below");
  return {
    runs: [...new Set((asked.get("runs") ?? "").split(",").filter((run) => /^\d{1,15}$/.test(run)).map(Number))],
    axis: AXES.find((axis) => axis === asked.get("axis")) ?? AXES[0],
    metric: METRICS.find((metric) => metric === asked.get("metric")) ?? METRICS[0],
    below: below !== null && below.trim() !== "" && Number.isFinite(Number(below)) ? Number(below) : null,
    ...Object.fromEntries(LINES.map((line) => [line, lines.includes(line)])),
  };
}

export function noteComparison(view) {
  const lines = LINES.filter((line) => view[line]).join(",");
  note({
    runs: view.runs.length ? view.runs.join(",") : null,
    axis: view.axis === AXES[0] ? null : view.axis,
    metric: view.metric === METRICS[0] ? null : view.metric,
    below: view.below,
    lines: lines || null,
  });
}
