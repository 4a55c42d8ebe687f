// The Compare view: runs in the same charts and their figures side by side. What it shows stands in the address.

import { CompareChart } from "./compare-chart.js";
import { comparisonInAddress, noteComparison } from "./compare-address.js";
import { settle } from "./compare-looks.js";
import { Picker } from "./compare-picker.js";
import { Tables } from "./compare-tables.js";
import { CompareToolbar } from "./compare-toolbar.js";
import { h, setText } from "./dom.js";
import { panel } from "./explore.js";
import { Poll } from "./poll.js";
import { clock, say, told as inWords, toldInFull } from "./words.js";

const KINDS = [
  { name: "loss", table: "updates", column: "loss", unit: "loss", digits: ".4f", log: true, smooth: true, metric: "loss" },
  { name: "eval_loss", table: "evaluations", column: "loss", unit: "loss", digits: ".4f", log: true, metric: "eval_loss" },
  { name: "memory", table: "updates", column: "memory", digits: ".2f", bytes: true, zero: true },
  { name: "throughput", table: "updates", column: "throughput", unit: "throughput", digits: ",.3~r", smooth: true, zero: true, ticks: "count" },
  { name: "learning_rate", table: "updates", column: "learning_rate", unit: "learning_rate", digits: ".3~e", zero: true, ticks: "rate" },
  { name: "grad_norm", table: "updates", column: "grad_norm", unit: "grad_norm", digits: ".4g", log: true, smooth: true },
];

export function mount(element, server) {
  const view = comparisonInAddress();
  const known = { found: null, mark: "", of: null };
  const picker = new Picker({ offer, turn });
  const toolbar = new CompareToolbar(view, changed);
  const charts = KINDS.map((kind) => new CompareChart(kind, view));
  const tables = new Tables();
  const begin = h("p", { class: "compared-begin" }, say("compared.begin"));
  const fault = h("p", { class: "outcome compared-fault", role: "alert", hidden: true });
  const marks = h("ul", { class: "compared-marks" });
  const fairness = h("section", { class: "part", id: "compare-marks", hidden: true }, h("h3", {}, say("compared.marks")), marks);

  const drawn = h("div", { class: "charts" }, ...charts.map((chart) => chart.element));
  element.replaceChildren(panel("compare", begin, picker.element, fault, toolbar.element, fairness, drawn, tables.element));

  const poll = new Poll({ ask, take, lost: (since) => blame([say("state.lost"), say("status.silent-since", { time: clock(since) })].join(" ")) });
  new IntersectionObserver(([entry]) => {
    if (!entry.isIntersecting) return;
    // whoever comes back to the tab finds what was compared, and so does a link
    if (view.runs.length && !comparisonInAddress().runs.length) noteComparison(view);
    picker.look();
    poll.now();
  }).observe(element);
  window.addEventListener("popstate", () => {
    const asked = comparisonInAddress();
    if (!asked.runs.length && new URL(location.href).searchParams.get("tab") !== "explore") return;
    Object.assign(view, asked);
    toolbar.show();
    render();
    poll.now();
  });
  render();

  async function offer(search) {
    const answer = await server.comparable({ search });
    return answer === undefined ? undefined : JSON.parse(answer);
  }

  function turn(run) {
    view.runs = view.runs.includes(run) ? view.runs.filter((each) => each !== run) : [...view.runs, run];
    changed();
  }

  function changed() {
    noteComparison(view);
    render();
    poll.now();
  }

  const wanted = () => JSON.stringify([view.runs, view.metric, view.below]);

  async function ask() {
    if (!element.offsetParent || !view.runs.length) return null;
    const of = wanted();
    const { runs, metric, below } = view;
    const reply = await server.compare({ runs, metric, below, mark: known.of === of ? known.mark : "" });
    return reply === undefined ? undefined : { of, ...JSON.parse(reply) };
  }

  function take(reply) {
    if (reply.of !== wanted()) {
      poll.now(); // another choice was made meanwhile
      return true;
    }
    blame(reply.fault ? toldInFull(reply.fault) : "");
    if (reply.fault) Object.assign(known, { found: null, mark: "", of: null });
    else if (reply.runs) Object.assign(known, { found: reply, mark: reply.mark, of: reply.of });
    else return false; // nothing is new
    render();
    return false; // a comparison is read at leisure
  }

  // What is known of other runs stays while the answer for these is on its way, as far as it is of them.
  function render() {
    settle(view.runs);
    const found = view.runs.length ? part(known.found, view) : null;
    begin.hidden = view.runs.length > 0;
    if (!view.runs.length) blame("");
    picker.render(view.runs, found?.runs ?? []);
    toolbar.spreads(Boolean(found?.groups.length));
    // that updates are of several sizes matters where updates are the axis
    const told = (found?.marks ?? []).filter(({ code }) => code !== "compare.batch" || view.axis === "update");
    fairness.hidden = !found || found.runs.length < 2;
    marks.replaceChildren(...(told.length ? told.map(line) : [h("li", { "data-code": "fair" }, say("compared.fair"))]));
    for (const chart of charts) chart.render(found);
    tables.render(found?.runs.length ? found : null);
  }

  function blame(words) {
    fault.hidden = !words;
    setText(fault, words);
  }
}

// Of an answer what is about the runs that are chosen now; nothing of one for other runs.
function part(found, { runs }) {
  if (!found || found.runs.some(({ run }) => !runs.includes(run)) || found.runs.length !== runs.length) return null;
  return found;
}

function line(mark) {
  const { message, remedy } = inWords(mark);
  return h("li", { "data-code": mark.code }, h("span", {}, message), " ", h("span", { class: "remedy" }, remedy ?? ""));
}
