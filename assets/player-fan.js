// The accumulated gradient as an arrow after each micro-batch: as long as its norm, turned by its angle to the final one.

import { h, setText } from "./dom.js";
import { angleOf, degreesText } from "./player-gradient.js";
import { integer, percent, say } from "./words.js";

const SIZE = { width: 520, height: 300, around: 34 };
const HEAD = { length: 13, half: 5.5 };
const MOST_NAMED = 8; // arrows whose numbers find room
const NAME_APART = 16; // from the tip

export class Fan {
  constructor() {
    this.about = h("p", { class: "about" }, say("player.fan.about"));
    this.drawing = svg("svg", { class: "fan", viewBox: `0 0 ${SIZE.width} ${SIZE.height}`, role: "img" });
    this.awaited = h("p", { class: "empty" });
    this.read = h("p", { class: "fan-read" });
    this.element = h(
      "section",
      { class: "scene direction" },
      h("header", {}, h("h4", {}, say("player.fan.title")), this.about),
      h("div", { class: "fan-room" }, this.drawing, this.awaited),
      this.read,
    );
  }

  render({ window, chosen, came }) {
    const arrows = arrowsOf(window);
    const mark = JSON.stringify([window.update, arrows.length, window.whole !== null, chosen]);
    if (mark === this.mark) return;
    this.mark = mark;
    const drawn = arrows.length > 0;
    this.awaited.hidden = drawn;
    setText(this.awaited, say(window.whole ? "player.fan.unknown" : "player.fan.awaited"));
    this.drawing.classList.toggle("just", drawn && came.has(`${window.update}`));
    this.drawing.replaceChildren(...(drawn ? fan(arrows, chosen) : [ground()]));
    const words = drawn ? spoken(arrows, chosen) : this.awaited.textContent;
    this.drawing.setAttribute("aria-label", words);
    setText(this.read, drawn ? [words, ...(window.whole.exact ? [] : [say("player.fan.sampled")])].join(" ") : "");
  }
}

// Those whose direction is known: after the update, of every micro-batch that was watched.
function arrowsOf({ whole, seen }) {
  return (whole?.cosines ?? []).flatMap((cosine, place) => {
    const norm = seen.get(place + 1)?.norm;
    return Number.isFinite(cosine) && norm > 0 ? [{ index: place + 1, norm, cosine, angle: angleOf(cosine) }] : [];
  });
}

function fan(arrows, chosen) {
  const ends = arrows.map(({ norm, angle }) => [norm * Math.cos(angle), norm * Math.sin(angle)]);
  const [left, right] = [Math.min(0, ...ends.map(([x]) => x)), Math.max(0, ...ends.map(([x]) => x))];
  const top = Math.max(...ends.map(([, y]) => y));
  const { width, height, around } = SIZE;
  const scale = Math.min((width - 2 * around) / (right - left), (height - 2 * around) / Math.max(top, 1e-12));
  const x = around - left * scale;
  const y = (height + Math.min(top * scale, height - 2 * around)) / 2;
  const final = arrows.at(-1).index;
  const shown = arrows.find(({ index }) => index === chosen);
  const last = (one) => (one.index === final ? 1 : 0) + (one === shown ? 2 : 0);
  return [
    svg("line", { class: "axis", x1: 0, x2: width, y1: y, y2: y }),
    ...(shown && shown.angle > 0.03 ? [arc(shown, x, y, scale)] : []),
    ...arrows.toSorted((one, other) => last(one) - last(other)).map((arrow) => drawnArrow(arrow, { x, y, scale, final, chosen })),
    svg("circle", { class: "origin", cx: x, cy: y, r: 3.5 }),
    ...arrows
      .filter(({ index }) => arrows.length <= MOST_NAMED || index === final || index === chosen)
      .map((arrow) => name(arrow, { x, y, scale, final, chosen })),
  ];
}

function drawnArrow({ index, norm, angle }, { x, y, scale, final, chosen }) {
  const length = norm * scale;
  const head = Math.min(HEAD.length, length);
  return svg(
    "g",
    { class: `arrow${index === final ? " final" : ""}${index === chosen ? " chosen" : ""}`, style: `--turned: ${-angle}rad; transform-origin: ${x}px ${y}px` },
    svg("line", { x1: x, y1: y, x2: x + length - head * 0.8, y2: y }),
    svg("path", { d: `M${x + length} ${y}l${-head} ${-HEAD.half}v${2 * HEAD.half}z` }),
  );
}

function arc({ angle }, x, y, scale) {
  const radius = 64;
  return svg("path", { class: "arc", d: `M${x + radius} ${y}A${radius} ${radius} 0 0 0 ${x + radius * Math.cos(angle)} ${y - radius * Math.sin(angle)}` });
}

function name({ index, norm, angle }, { x, y, scale, final, chosen }) {
  const length = norm * scale;
  const along = index === final ? [0, -NAME_APART] : [NAME_APART * Math.cos(angle), -NAME_APART * Math.sin(angle)];
  return svg(
    "text",
    { class: index === chosen ? "chosen" : null, x: x + length * Math.cos(angle) + along[0], y: y - length * Math.sin(angle) + along[1] },
    index === final ? "G" : integer(index),
  );
}

const ground = () => svg("line", { class: "axis", x1: 0, x2: SIZE.width, y1: SIZE.height / 2, y2: SIZE.height / 2 });

function spoken(arrows, chosen) {
  const arrow = arrows.find(({ index }) => index === chosen);
  const final = arrows.at(-1);
  if (!arrow) return "";
  if (arrow === final) return say("player.fan.final", { index: integer(final.index) });
  return say("player.fan.read", { index: integer(arrow.index), degrees: degreesText(arrow.cosine).replace("°", ""), share: percent(arrow.norm / final.norm) });
}

function svg(tag, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [key, value] of Object.entries(attributes)) if (value !== null) element.setAttribute(key, value);
  element.append(...children);
  return element;
}
