// The buttons of a run. What can be pressed follows from the run's state as it was last read, never from what was pressed.

import { h, setAttribute, setText } from "./dom.js";
import { alive } from "./status.js";
import { integer, say, told } from "./words.js";

const COMMANDS = ["pause", "resume", "stop", "next-micro-batch", "next-update"];
const GO_ON = "resume-run"; // goes on with a run that has ended
const STEPS = new Set(["next-micro-batch", "next-update"]);
const GIVE_UP_MS = 20_000; // a command that has shown no effect by then may be asked again

export class Controls {
  // `ask(run, command)` reaches the engine, and resolves to {} or {fault}. Beside the commands to a run there is "resume-run".
  constructor(ask) {
    this.ask = ask;
    this.buttons = Object.fromEntries(
      [...COMMANDS, GO_ON].map((command) => [
        command,
        h("button", { type: "button", id: command, class: "plain", onclick: () => this.#press(command) }, say(`button.${command}`)),
      ]),
    );
    this.fault = h("p", { class: "fault", role: "alert", hidden: true });
    this.element = h("div", { class: "controls", role: "group" }, ...Object.values(this.buttons), this.fault);
    this.render(null, true);
  }

  render(run, connected) {
    this.run = run;
    if (this.pending && (this.pending.mark !== mark(run, this.pending.command) || Date.now() > this.pending.until)) this.pending = null;
    for (const command of [...COMMANDS, GO_ON]) {
      const why = connected ? this.#why(command, run) : say("button.why.offline");
      const button = this.buttons[command];
      button.disabled = why !== null;
      button.hidden = command === GO_ON ? !goesOn(run) : STEPS.has(command) && run?.state !== "paused";
      setAttribute(button, "title", why ?? say(`button.${command}.title`, { update: integer(run?.checkpoint) }));
      setAttribute(button, "aria-description", button.title);
      button.classList.toggle("pending", this.pending?.command === command);
    }
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
    return run.state === "paused" ? null : say("button.why.running");
  }

  async #press(command) {
    const { run } = this;
    this.pending = { command, mark: mark(run, command), until: Date.now() + GIVE_UP_MS };
    this.render(run, true);
    const { fault } = await this.ask(run.id, command);
    if (fault) this.pending = null;
    const { message, remedy } = fault ? told(fault) : { message: "", remedy: "" };
    setText(this.fault, `${message} ${remedy}`.trim());
    this.fault.hidden = !fault;
    this.render(this.run, true);
  }
}

// Whether it was left before its end, with a checkpoint to go on from.
const goesOn = (run) => Boolean(run) && !alive(run) && run.state !== "finished" && Number.isInteger(run.checkpoint);

// What changes when a command has taken effect.
function mark(run, command) {
  if (!run) return "";
  return STEPS.has(command) ? [run.state, run.update, run.microBatches].join() : [run.id, run.state].join();
}
