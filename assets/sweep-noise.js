// The scale of the gradient noise, where a sweep asks which effective batch helps.

import { h } from "./dom.js";
import { integer, say, toldInFull } from "./words.js";

export class SweepNoise {
  constructor() {
    this.said = h("p", { class: "noise-said" });
    this.means = h("p", {}, say("sweep.noise.means"));
    this.source = h("p", { class: "about" });
    const title = h("h3", { id: "sweep-noise-title" }, say("sweep.noise"));
    this.element = h("section", { id: "sweep-noise", class: "part", "aria-labelledby": title.id, hidden: true }, title, this.said, this.means, this.source);
  }

  render(state) {
    const noise = state?.noise ?? null;
    const mark = JSON.stringify(noise);
    if (mark === this.shown) return;
    this.shown = mark;
    this.element.hidden = noise === null;
    if (noise === null) return;
    const measured = noise.state === "done";
    this.means.hidden = !measured || noise.scale === null;
    this.said.textContent = measured ? sentence(noise) : noise.state === "failed" ? toldInFull(noise) : say("sweep.noise.working");
    this.source.textContent = measured ? say("sweep.noise.source", { windows: integer(noise.windows) }) : "";
  }
}

function sentence({ scale, low, high }) {
  if (scale === null) return say("sweep.noise.none");
  const round = (value) => integer(Number(value.toPrecision(2)));
  return low === null ? say("sweep.noise.said", { scale: round(scale) }) : say("sweep.noise.between", { scale: round(scale), low: round(low), high: round(high) });
}
