// How long rows are, with the line at which they are cut, and how many rows each class has.

import { areaKey } from "./categories.js";
import { setText } from "./dom.js";
import { PartChart, key } from "./part-chart.js";
import { CONFIG, mixed, paper, plain, sizes, token } from "./plot.js";
import { shareText } from "./preview-shares.js";
import { integer, say, sayCount } from "./words.js";

const BUTTONS = { ...CONFIG, modeBarButtons: [["toImage"]] };
const MOST_NAME = 18; // characters of a class beside its bar

export class Lengths {
  constructor() {
    this.chart = chart("lengths", (graph) => this.#draw(graph));
    this.element = this.chart.element;
    this.found = null;
  }

  show(found) {
    this.found = found;
    this.chart.draw();
  }

  #draw(graph) {
    const { found, chart } = this;
    const edges = found?.edges ?? [];
    const counts = found?.counts ?? [];
    const middle = counts.map((_, place) => (edges[place] + edges[place + 1]) / 2);
    const pale = mixed("training", "paper", 0.55);
    const bars = {
      type: "bar",
      x: middle,
      y: counts,
      width: counts.map((_, place) => 0.92 * (edges[place + 1] - edges[place])),
      marker: { color: middle.map((at) => (found && at > found.max_length ? pale : token("training"))), line: { width: 0 } },
      customdata: counts.map((count, place) => plain(say("preview.lengths.bin", { from: integer(edges[place]), to: integer(edges[place + 1] - 1), rows: integer(count) }))),
      hovertemplate: "%{customdata}<extra></extra>",
    };
    setText(chart.about, found ? say("preview.lengths.about", { rows: integer(found.rows) }) : "");
    chart.keys.replaceChildren(...(found ? [key("capacity", say("preview.lengths.cut", { length: integer(found.max_length) }), true)] : []));
    setText(chart.read, found ? lengthWords(found) : say("read.empty"));
    window.Plotly.react(graph, [bars], this.#layout(found), BUTTONS);
    return found !== null;
  }

  #layout(found) {
    const { axis, title, tickSize } = axes();
    const line = { type: "line", x0: found?.max_length, x1: found?.max_length, yref: "paper", y0: 0, y1: 1, line: { color: token("capacity"), width: 2, dash: "dash" } };
    return {
      ...paper(this.element),
      margin: { l: 3.6 * tickSize, r: 8, t: 8, b: 3.4 * tickSize },
      dragmode: false,
      hovermode: "closest",
      xaxis: { ...axis, title: title(say("preview.lengths.axis")), showgrid: false, nticks: 6, showticklabels: found !== null, ...(found ? { range: [0, found.edges.at(-1)] } : {}) },
      yaxis: { ...axis, title: title(say("preview.lengths.rows")), rangemode: "tozero", nticks: 5, showticklabels: found !== null },
      shapes: found ? [line] : [],
    };
  }
}

export class Classes {
  constructor() {
    this.chart = chart("classes", (graph) => this.#draw(graph));
    this.element = this.chart.element;
    this.found = null;
  }

  show(found) {
    this.found = found;
    this.element.hidden = found === null;
    this.chart.draw();
  }

  #draw(graph) {
    const { found, chart } = this;
    const names = found?.names ?? [];
    const { axis, title, tickSize } = axes();
    chart.plot.style.height = `${Math.max(130, (names.length + 2.6) * 1.9 * tickSize)}px`;
    setText(chart.about, found ? say("preview.classes.about") : "");
    chart.keys.replaceChildren(...(found ? ["train", "evaluation"].map((part) => areaKey(COLOURS[part], say(`preview.classes.${part}`))) : []));
    setText(chart.read, found ? classWords(found) : say("read.empty"));
    const shown = names.map((name) => plain(name.length > MOST_NAME ? `${name.slice(0, MOST_NAME - 1)}…` : name));
    const bars = ["train", "evaluation"].map((part) => ({
      type: "bar",
      orientation: "h",
      x: found?.[part] ?? [],
      y: names.map((_, place) => place),
      marker: { color: token(COLOURS[part]), line: { width: 0 } },
      customdata: names.map((name, place) => plain(say("preview.classes.bar", { name, train: integer(found.train[place]), evaluation: integer(found.evaluation[place]) }))),
      hovertemplate: "%{customdata}<extra></extra>",
    }));
    const layout = {
      ...paper(this.element),
      barmode: "stack",
      bargap: 0.35,
      margin: { l: 10, r: 8, t: 8, b: 3.4 * tickSize },
      dragmode: false,
      hovermode: "closest",
      xaxis: { ...axis, title: title(say("preview.lengths.rows")), rangemode: "tozero", nticks: 5, showticklabels: found !== null },
      yaxis: { ...axis, autorange: "reversed", tickvals: names.map((_, place) => place), ticktext: shown, automargin: true, showgrid: false, showticklabels: found !== null },
    };
    window.Plotly.react(graph, bars, layout, BUTTONS);
    return found !== null;
  }
}

const COLOURS = { train: "training", evaluation: "evaluation" };

const chart = (name, draw) => new PartChart({ name, title: say(`preview.${name}`), empty: say(`preview.${name}.empty`), draw });

function axes() {
  const { tickSize, unitSize } = sizes();
  const [grid, ink] = [token("grid"), token("ink-soft")];
  return {
    tickSize,
    axis: { gridcolor: grid, linecolor: grid, zerolinecolor: grid, tickfont: { color: ink }, fixedrange: true },
    title: (text) => ({ text: plain(text), font: { size: unitSize, color: ink }, standoff: 6 }),
  };
}

function lengthWords({ median, longest, over, rows, max_length: length }) {
  const cut = over ? sayCount("preview.lengths.over", over, { length: integer(length), share: shareText(over / rows) }) : say("preview.lengths.none-over", { length: integer(length) });
  return `${say("preview.lengths.read", { median: integer(median), longest: integer(longest) })} ${cut}`;
}

function classWords({ names, train, others, others_train: rest }) {
  const all = train.reduce((sum, one) => sum + one, rest);
  const first = say("preview.classes.read", { name: names[0], share: shareText(all ? train[0] / all : 0) });
  return others ? `${first} ${say("preview.classes.others", { count: integer(others), rows: integer(rest) })}` : first;
}
