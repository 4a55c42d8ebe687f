// The Learn tab: a lesson's text and question beside its experiment. What was measured comes from the program; what
// was answered is this browser's own.

import { note, toTrain } from "./address.js";
import { h, setText } from "./dom.js";
import { takeOver } from "./edits.js";
import { unfoldForm } from "./fold.js";
import { goToLesson, lessonInAddress, onLesson } from "./learn-address.js";
import { answers, keepAnswer } from "./learn-answers.js";
import { LessonChart } from "./learn-chart.js";
import { Experiment } from "./learn-experiment.js";
import { Conclusion, Figures } from "./learn-findings.js";
import { LessonList } from "./learn-list.js";
import { marked, prose } from "./learn-prose.js";
import { LessonQuestion } from "./learn-question.js";
import { Poll } from "./poll.js";
import { integer, lessons, say } from "./words.js";

const GIVE_UP_MS = 20_000; // a press that has shown no effect by then may be repeated

export function mount(element, server, props, trigger) {
  const held = { lesson: lessons[0], kept: answers(), state: null, fault: null, asked: null };
  let silentSince = null;

  const list = new LessonList((name) => open(name, true));
  const number = h("p", { class: "lesson-of" });
  const title = h("h2", { id: "lesson-title", tabindex: "-1" });
  const text = h("div", { class: "lesson-text" });
  const question = new LessonQuestion({ chosen: choose, anew: () => choose(null) });
  const experiment = new Experiment({ start: () => ask("lesson_start"), stop: () => ask("lesson_stop"), use });
  const covered = h("p", { class: "covered" }, say("learn.covered"));
  const chart = new LessonChart();
  const figures = new Figures();
  const conclusion = new Conclusion();
  const results = h("div", { class: "lesson-results" }, chart.element, conclusion.element);
  const reading = h("ul", {});
  const next = h("button", { type: "button", id: "lesson-next", class: "plain" });
  next.addEventListener("click", () => {
    open(next.dataset.lesson, true);
    title.focus({ preventScroll: true });
    element.scrollIntoView({ block: "start" });
  });

  element.replaceChildren(
    h(
      "div",
      { class: "live room learn" },
      list.element,
      h(
        "article",
        { class: "lesson", "aria-labelledby": title.id },
        h("div", { class: "lesson-read" }, number, title, text),
        question.element,
        h("section", { class: "lesson-tried", "aria-label": say("learn.experiment") }, experiment.element, covered, results),
        figures.element,
        h("div", { class: "lesson-end" }, h("section", { class: "part" }, h("h3", {}, say("learn.reading")), reading), next),
      ),
    ),
  );

  const poll = new Poll({ ask: news, take, lost });
  new IntersectionObserver(([entry]) => {
    if (!entry.isIntersecting) return;
    // whoever comes back to the tab finds the lesson that was open, and so does a link
    if (held.lesson !== lessons[0] && !lessonInAddress()) note({ lesson: held.lesson.name });
    poll.now();
  }).observe(element);
  onLesson(() => open(lessonInAddress() ?? held.lesson.name, false));
  open(lessonInAddress() ?? lessons[0].name, false);

  function open(name, byHand) {
    const lesson = lessons.find((each) => each.name === name) ?? lessons[0];
    if (byHand) goToLesson(lesson.name);
    if (held.laid !== lesson.name) {
      Object.assign(held, { lesson, laid: lesson.name, state: null, fault: null, asked: null });
      lay();
    }
    render();
    poll.now();
  }

  // The words of the lesson that is open.
  function lay() {
    const { name } = held.lesson;
    const place = lessons.indexOf(held.lesson);
    setText(number, say("learn.of", { number: integer(place + 1), of: integer(lessons.length) }));
    setText(title, say(`lesson.${name}.title`));
    text.replaceChildren(...prose(say(`lesson.${name}.text`)));
    reading.replaceChildren(...say(`lesson.${name}.reading`).split("\n").map((line) => h("li", {}, ...marked(line))));
    const following = lessons[place + 1];
    next.hidden = !following;
    if (!following) return;
    next.dataset.lesson = following.name;
    setText(next, say("learn.next", { title: say(`lesson.${following.name}.title`) }));
  }

  async function news() {
    if (!element.offsetParent) return null;
    const reply = await server.lesson_state({ lesson: held.lesson.name });
    return reply === undefined ? undefined : { of: held.lesson.name, ...JSON.parse(reply) };
  }

  function take(reply) {
    silentSince = null;
    if (reply.lesson !== undefined && reply.lesson !== held.lesson.name) {
      poll.now(); // another was opened meanwhile
      return true;
    }
    if (reply.fault && !reply.lesson) held.fault = reply.fault;
    else held.state = reply;
    if (held.asked && held.asked.before !== mark()) held.asked = null;
    if (reply.state === "done" && answer() !== null) held.kept = keepAnswer(held.lesson.name, answer(), true);
    render();
    return reply.state === "working" || held.asked !== null;
  }

  function lost(since) {
    silentSince = since;
    render();
  }

  // What changes when a press has taken effect.
  function mark() {
    return JSON.stringify([held.state?.state, held.state?.parts.map((part) => part.run)]);
  }

  function answer() {
    return held.kept[held.lesson.name]?.answer ?? null;
  }

  function choose(number) {
    held.kept = keepAnswer(held.lesson.name, number, number !== null && held.state?.state === "done");
    render();
  }

  async function ask(what) {
    Object.assign(held, { fault: null, asked: { before: mark(), until: Date.now() + GIVE_UP_MS } });
    render();
    const reply = await server[what]({ lesson: held.lesson.name }).catch(() => undefined);
    held.fault = reply === undefined ? { code: "button.why.offline", message: say("button.why.offline") } : (JSON.parse(reply).fault ?? null);
    if (held.fault) held.asked = null;
    render();
    poll.now();
  }

  function use(config) {
    takeOver({ use: config }, props, trigger);
    unfoldForm();
    toTrain();
  }

  // Why the experiment can't be started now, in words; null where it can.
  function why() {
    if (silentSince) return say("button.why.offline");
    if (!held.state) return say("learn.why.looking");
    if (held.state.state === "working") return say("learn.why.under-way");
    if (answer() === null) return say("learn.why.answer");
    return held.asked ? say("learn.why.asked") : null;
  }

  function render() {
    const { lesson, state } = held;
    if (held.asked && Date.now() > held.asked.until) held.asked = null;
    const answered = answer() !== null;
    const working = state?.state === "working";
    const covers = !answered && Boolean(state) && state.state !== "fresh";
    list.render(lesson.name, held.kept);
    question.render(lesson, answer(), answered && state?.state === "done", working && answered);
    experiment.render({ state, why: why(), lost: silentSince, fault: held.fault });
    covered.hidden = !covers;
    results.hidden = covers;
    chart.render(covers ? null : (state?.chart ?? null));
    figures.render(covers ? null : (state?.figures ?? null));
    conclusion.render(covers ? [] : (state?.conclusion ?? []));
  }
}
