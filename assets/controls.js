// The buttons of a run. What can be pressed follows from the run's state as it was last read, never from what was pressed.

import { h, setAttribute, setText } from "./dom.js";
import { alive } from "./status.js";
import { integer, say, told } from "./words.js";

const COMMANDS = ["pause", "resume", "stop"];
const GO_ON = "resume-run"; // goes on with a run that has ended
const FILM = ["next-micro-batch", "next-update", "slow-motion", "replay"]; // those of the player
const STEPS = new Set(["next-micro-batch", "next-update", "replay"]);
// which button the focus goes to when one that was pressed can't be pressed any more
const AFTER = { pause: ["resume"], resume: ["pause"], stop: [GO_ON], [GO_ON]: ["pause"], ...Object.fromEntries(FILM.map((command) => [command, ["resume", "pause"]])) };
const GIVE_UP_MS = 20_000; // a command that has shown no effect by then may be asked again
const SLOW_AFTER_MS = 1200; // a single update is watched as well, but seldom for so long

export class Controls {
  // `ask(run, command)` reaches the engine, and resolves to {} or {fault}. Beside the commands to a run there is "resume-run".
  // `filmed(command)` hears of a press of one of the player's buttons.
  constructor(ask, filmed) {
    Object.assign(this, { ask, filmed });
    this.buttons = Object.fromEntries(
      [...COMMANDS, GO_ON, ...FILM].map((command) => [
        command,
        h("button", { type: "button", id: command, class: "plain", onclick: () => this.#press(command) }, say(`button.${command}`)),
      ]),
    );
    this.faults = [0, 1].map(() => h("p", { class: "fault", role: "alert", hidden: true }));
    const group = (commands, ...fault) => h("div", { class: "controls", role: "group" }, ...commands.map((command) => this.buttons[command]), ...fault);
    this.element = group([...COMMANDS, GO_ON], this.faults[0]);
    const film = group(FILM);
    film.setAttribute("aria-label", say("player.buttons"));
    this.film = [film, this.faults[1]];
    this.render(null, true);
  }

  render(run, connected) {
    this.run = run;
    const focused = Object.keys(this.buttons).find((command) => this.buttons[command] === document.activeElement);
    if (run?.state !== "running" || !run.watched) this.watchedSince = Infinity;
    else this.watchedSince = Math.min(this.watchedSince, performance.now());
    if (this.pending && (this.pending.mark !== mark(run, this.pending.command) || Date.now() > this.pending.until)) this.pending = null;
    for (const [command, button] of Object.entries(this.buttons)) {
      const why = connected ? this.#why(command, run) : say("button.why.offline");
      button.disabled = why !== null;
      button.hidden = command === GO_ON && !goesOn(run);
      setAttribute(button, "title", why ?? say(`button.${command}.title`, { update: integer(run?.checkpoint) }));
      setAttribute(button, "aria-description", button.title);
      button.classList.toggle("pending", this.pending?.command === command);
    }
    setAttribute(this.buttons["slow-motion"], "aria-pressed", String(this.#slow()));
    this.#keepFocus(focused);
  }

  // A button that can't be pressed loses the focus. Who works by the keyboard finds it at the next one that can, as soon
  // as there is one and if they have gone nowhere else meanwhile; never at Stop, which a second press would do.
  #keepFocus(focused) {
    const can = (command) => !this.buttons[command].disabled && !this.buttons[command].hidden;
    if (focused && !can(focused)) this.left = focused;
    if (!this.left) return;
    const elsewhere = document.activeElement !== document.body && document.activeElement !== this.buttons[this.left];
    const next = [this.left, ...AFTER[this.left]].find(can);
    if (!elsewhere && next) this.buttons[next].focus();
    if (elsewhere || next) this.left = null;
  }

  // Why a command can't be given now, in words; null where it can.
  #why(command, run) {
    if (!run) return say("button.why.none");
    if (command === GO_ON) return this.pending ? say("button.why.pending-run") : null;
    if (!alive(run)) return say("button.why.ended");
    if (this.pending && (this.pending.command === "stop" || command !== "stop")) return say("button.why.pending");
    if (command === "stop") return null;
    if (run.state === "queued" || run.state === "loading") return say(`button.why.${run.state}`);
    if (command === "pause") return run.state === "paused" ? say("button.why.paused") : null;
    if (command === "slow-motion") return this.#slow() ? say("button.why.slow") : null;
    return run.watched ? null : say(STEPS.has(command) ? "button.why.not-watched" : "button.why.running");
  }

  // Whether it goes on by itself and is watched.
  #slow() {
    return performance.now() - this.watchedSince > SLOW_AFTER_MS;
  }

  async #press(command) {
    const { run } = this;
    this.pending = { command, mark: mark(run, command), until: Date.now() + GIVE_UP_MS };
    this.render(run, true);
    if (FILM.includes(command)) this.filmed(command);
    const { fault } = await this.ask(run.id, command);
    if (fault) this.pending = null;
    const { message, remedy } = fault ? told(fault) : { message: "", remedy: "" };
    const said = this.faults[FILM.includes(command) ? 1 : 0];
    setText(said, `${message} ${remedy}`.trim());
    said.hidden = !fault;
    this.render(this.run, true);
  }
}

// Whether it was left before its end, with a checkpoint to go on from.
const goesOn = (run) => Boolean(run) && !alive(run) && run.state !== "finished" && Number.isInteger(run.checkpoint);

// What changes when a command has taken effect.
function mark(run, command) {
  if (!run) return "";
  if (command === "slow-motion") return [run.id, run.state, run.watched].join();
  return STEPS.has(command) ? [run.state, run.update, run.microBatches, run.replays].join() : [run.id, run.state, run.watched].join();
}
