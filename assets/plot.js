// What every Plotly chart of the page has in common.

import { h } from "./dom.js";
import { language, plotlyUrl, say, separators } from "./words.js";

let loading = null;
export const loadPlotly = () =>
  (loading ??= new Promise((resolve, reject) => {
    document.head.append(
      h("script", { src: new URL(plotlyUrl, document.baseURI).href, onload: resolve, onerror: reject }),
    );
  }).then(speak));

// Plotly looks its own few words up by their English.
const WORDS = {
  Zoom: "plot.zoom",
  Pan: "plot.pan",
  "Reset axes": "plot.reset",
  "Download plot": "plot.image",
  "Download plot as a PNG": "plot.image",
  "Taking snapshot - this may take a few seconds": "plot.taking",
  "Snapshot succeeded": "plot.taken",
};

function speak() {
  const dictionary = Object.fromEntries(Object.entries(WORDS).map(([english, name]) => [english, say(name)]));
  window.Plotly.register({ moduleType: "locale", name: language, dictionary, format: {} });
}

// What is drawn is said under the graph; a voice that reads the figures on its axes one by one says nothing.
export function inWordsAlone(graph) {
  for (const drawing of graph.querySelectorAll(".main-svg")) drawing.setAttribute("aria-hidden", "true");
}

export const CONFIG = {
  locale: language,
  displaylogo: false,
  responsive: false,
  modeBarButtons: [["zoom2d", "pan2d", "resetScale2d", "toImage"]],
};

export const token = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

// Two colours of the style sheet, mixed as the lane of the window mixes them: all of the first at 0, of the second at 1.
export function mixed(from, to, share) {
  const [one, other] = [from, to].map((name) => token(name).match(/[\da-f]{2}/gi).map((part) => parseInt(part, 16)));
  return `rgb(${one.map((part, place) => Math.round(part + (other[place] - part) * share)).join()})`;
}

// Of the labels on an axis and of its unit, in pixels: larger where the page is projected.
export const sizes = () => ({ tickSize: parseFloat(token("tick-size")), unitSize: parseFloat(token("unit-size")) });

// The part of a layout that follows the theme and the page's type.
export const paper = (element, family = getComputedStyle(element).fontFamily) => ({
  autosize: true,
  paper_bgcolor: "rgba(0,0,0,0)",
  plot_bgcolor: "rgba(0,0,0,0)",
  font: { family, size: sizes().tickSize, color: token("ink") },
  showlegend: false,
  separators,
  hoverlabel: { bgcolor: token("paper"), bordercolor: token("grid"), font: { family, color: token("ink") }, align: "left" },
  modebar: { bgcolor: "rgba(0,0,0,0)", color: token("ink-soft"), activecolor: token("training") },
  dragmode: matchMedia("(pointer: coarse)").matches ? false : "zoom",
});

// Plotly reads a few tags in its texts; what is text stays text.
export const plain = (text) => String(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;");
