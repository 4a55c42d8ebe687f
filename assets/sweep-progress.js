// How far a sweep has come, in words.

import { fieldName, valueText } from "./sweep-names.js";
import { duration, integer, say, sayCount, told } from "./words.js";

const NOTHING = { parts: [], share: 0, message: "", remedy: "" };
const SHOWN = { working: "running", done: "finished" };

// What `Standing` shows; `reply` is undefined before the first answer.
export function standing(reply) {
  if (!reply) return { ...NOTHING, state: "connecting", words: say("sweep.state.connecting") };
  const { state } = reply;
  if (!state) return { ...NOTHING, state: "none", words: say("sweep.state.none"), parts: [say("sweep.state.none.detail")] };
  const working = state.state === "working";
  const count = (name) => state.trials.filter((trial) => trial.state === name).length;
  const ended = ["pruned", "failed"].map((name) => [name, count(name)]).filter(([, each]) => each > 0);
  const { message, remedy } = state.fault ? told(state.fault) : NOTHING;
  return {
    state: SHOWN[state.state] ?? state.state,
    words: say(`sweep.state.${state.state}`),
    parts: [
      say("sweep.at", { done: integer(state.done), planned: integer(state.planned) }),
      ...ended.map(([name, each]) => sayCount(`sweep.at.${name}`, each)),
      ...(working ? [Number.isFinite(state.eta) ? say("sweep.at.left", { time: duration(state.eta) }) : say("sweep.at.unknown")] : []),
      ...(!working && state.seconds ? [say("sweep.at.took", { time: duration(state.seconds) })] : []),
      ...alike(state),
    ],
    share: state.planned ? state.done / state.planned : 0,
    message,
    remedy,
  };
}

// What all trials have alike, beside the settings that the sweep began from.
function alike(state) {
  const pairs = Object.entries(state.fields).filter(([, { values }]) => values?.length === 1).map(([key, { values: [value] }]) => [key, value]);
  const kept = [["effective_batch", state.effective_batch], ["training.max_steps", state.spec.updates]].filter(([, value]) => value);
  const words = [...pairs, ...kept].map(([key, value]) => say("sweep.before.pair", { field: fieldName(key), value: valueText(key, value) }));
  const scaled = state.learning_rate_scaling === "none" ? [] : [say("sweep.at.scaled", { rule: say(`sweep.scaling.${state.learning_rate_scaling}`) })];
  return [...words, ...scaled];
}
