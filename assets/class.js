// The students' page: the run that the teacher shows, as it goes on, and nothing that could command it.

import { goTo, onRun, runInAddress } from "./address.js";
import { h, setText } from "./dom.js";
import { head } from "./head.js";
import { languageButtons } from "./language.js";
import { OwnExperiment } from "./own-experiment.js";
import { Player } from "./player.js";
import { Poll } from "./poll.js";
import { RunView } from "./run-view.js";
import { themeButton } from "./theme.js";
import { say } from "./words.js";

let tick = null; // of the last answer: the next one comes when there is news

const view = new RunView(new Player({ ask: async (request) => JSON.stringify(await post("watched", request)) }));
const own = new OwnExperiment({ ask: (wish) => post("experiment", wish), sent: () => poll.now(), choose });
const watching = h("p", { class: "watching" });

document.getElementById("masthead").replaceChildren(head(languageButtons(() => location.reload()), themeButton()));
document.getElementById("class").replaceChildren(watching, own.element, view.element);

const poll = new Poll({
  ask: () => post("deltas", { run: runInAddress(), cursor: view.cursor, tick }),
  lost: (since) => {
    tick = null;
    view.lost(since);
  },
  take: (reply) => {
    tick = reply.tick;
    view.take(reply);
    own.render(reply);
    const others = reply.run && reply.run.id !== reply.current;
    setText(watching, say(others ? "class.watching.own" : "class.watching"));
    return true; // the teacher may start at any moment
  },
});

onRun(() => {
  tick = null;
  view.clear();
  poll.now();
});
poll.now();

// The class's run (null), or one of one's own.
function choose(run) {
  if (run !== runInAddress()) goTo(run);
}

async function post(route, body) {
  const answer = await fetch(new URL(route, document.baseURI), {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  return answer.ok || answer.status === 403 ? answer.json() : undefined;
}
