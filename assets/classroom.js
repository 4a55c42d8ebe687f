// The teacher's Class tab: how students come in, how many watch, what they see, and what they may run themselves.

import { addressOf, toTrain } from "./address.js";
import { h, setAttribute, setText } from "./dom.js";
import { Poll } from "./poll.js";
import { integer, language, say, sayCount, told } from "./words.js";

const OPEN = new Set(["waiting", "running"]);
const rates = new Intl.NumberFormat(language, { maximumSignificantDigits: 3 });

export function mount(element, server) {
  const link = h("a", { class: "class-link", target: "_blank", rel: "noopener" });
  const code = h("img", { class: "class-code", alt: say("class.code") });
  const viewers = h("p", { class: "class-viewers", role: "status" });
  const allowed = h("input", { type: "checkbox", role: "switch", id: "allow-experiments" });
  const bounds = h("p", { class: "class-bounds" });
  const shown = h("input", { type: "number", min: 1, step: 1, id: "class-run" });
  const show = h("button", { type: "submit", class: "plain" }, say("class.shows.show"));
  const follow = h("button", { type: "button", class: "plain", onclick: () => tell("class_show", { run: null }) }, say("class.shows.follow"));
  const shows = h("p", { class: "class-shows", role: "status" });
  const fault = h("p", { class: "fault", role: "alert", hidden: true });
  const list = h("tbody", {});
  const table = h(
    "table",
    { class: "runs class-experiments" },
    h("thead", {}, h("tr", {}, ...["name", "what", "state", "act"].map((name) => h("th", { scope: "col" }, say(`class.list.${name}`))))),
    list,
  );
  const none = h("p", {}, say("class.list.none"));
  let mark = "";

  allowed.addEventListener("change", () => tell("class_allow", { allowed: allowed.checked }));
  const pin = (event) => {
    event.preventDefault();
    tell("class_show", { run: shown.value === "" ? null : Number(shown.value) });
  };
  element.replaceChildren(
    h(
      "div",
      { class: "classroom", id: "classroom-panel" },
      h("section", { class: "class-door" }, code, h("div", {}, h("h2", {}, say("class.title")), link, viewers, h("p", {}, say("class.about")))),
      h(
        "section",
        {},
        h("h3", {}, say("class.shows.title")),
        shows,
        h("form", { class: "class-pin", onsubmit: pin }, h("label", {}, h("span", {}, say("class.shows.run")), shown), show, follow),
        fault,
      ),
      h("section", {}, h("h3", {}, say("class.experiments")), h("label", { class: "class-switch" }, allowed, h("span", {}, say("class.allow"))), bounds, table, none),
    ),
  );

  const poll = new Poll({
    ask: async () => (element.offsetParent ? parsed(await server.class_state({})) : null),
    take: (state) => {
      take(state);
      return state.experiments.some(({ state }) => OPEN.has(state));
    },
    lost: () => setText(viewers, say("state.lost")),
  });
  new IntersectionObserver(([entry]) => entry.isIntersecting && poll.now()).observe(element);

  async function tell(name, request) {
    const reply = parsed(await server[name](request));
    if (reply === undefined) return;
    setText(fault, reply.fault ? Object.values(told(reply.fault)).join(" ") : "");
    fault.hidden = !reply.fault;
    if (!reply.fault) take(reply);
  }

  function take(state) {
    setAttribute(link, "href", state.link);
    setText(link, state.link.replace("http://", ""));
    setAttribute(code, "src", state.code);
    setText(viewers, state.open ? sayCount("class.viewers", state.viewers) : say("class.opening"));
    allowed.checked = state.allowed;
    setText(bounds, limits(state.bounds));
    setText(shows, state.pinned === null ? say("class.shows.current") : say("class.shows.pinned", { run: state.pinned }));
    follow.disabled = state.pinned === null;
    const now = JSON.stringify(state.experiments);
    if (now === mark) return;
    mark = now;
    list.replaceChildren(...state.experiments.map((each) => row(each, (number) => tell("class_stop", { number }))));
    table.hidden = !state.experiments.length;
    none.hidden = !table.hidden;
  }
}

const parsed = (reply) => (reply === undefined ? undefined : JSON.parse(reply));

function limits({ models, bounds, most_rows: rows, most_waiting: waiting }) {
  const updates = integer(bounds.updates[1]);
  return say("class.bounds", { models: models.join(", "), updates, rows: integer(rows), waiting: integer(waiting) });
}

function row({ number: place, state, run, wish }, stop) {
  const { model, micro_batch, accumulation_steps, updates, learning_rate, normalization } = wish;
  const open = (event) => {
    event.preventDefault();
    toTrain(run);
  };
  const words = say(`class.state.${state}`);
  const what = say("class.list.wish", { model, micro_batch, accumulation_steps, updates: integer(updates), rate: rates.format(learning_rate), normalization: say(`class.own.normalization.${normalization}`) });
  return h(
    "tr",
    {},
    h("td", {}, wish.name),
    h("td", {}, what),
    h("td", {}, run === null ? words : h("a", { href: addressOf(run), onclick: open }, say("class.list.run", { run, state: words }))),
    h("td", {}, OPEN.has(state) ? h("button", { type: "button", class: "plain small", onclick: () => stop(place) }, say("class.list.stop")) : null),
  );
}
