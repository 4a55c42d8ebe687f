// The data before anything is trained: first rows, columns, lengths, classes, padding, and rows as the model reads them.

import { h } from "./dom.js";
import { takeOver } from "./edits.js";
import { faultLines } from "./form.js";
import { Classes, Lengths } from "./preview-charts.js";
import { columnTable, guessed, rowTable } from "./preview-tables.js";
import { offer } from "./offers.js";
import { exampleList } from "./preview-targets.js";
import { Question } from "./question.js";
import { integer, say, toldInFull } from "./words.js";
import { shareText } from "./preview-shares.js";

const PAUSE_MS = 400; // one may still be typing

// The value is what the settings mean, or their `fault`.
export function mount(element, server, props, trigger, watch) {
  const parts = Object.fromEntries(["state", "rows", "columns", "padding", "examples"].map((name) => [name, h("div", { class: `preview-${name}` })]));
  const lengths = new Lengths();
  const classes = new Classes();
  parts.state.setAttribute("role", "status");
  const body = h("div", { class: "preview-body" }, parts.rows, parts.columns, lengths.element, classes.element, parts.padding, parts.examples);
  element.replaceChildren(h("div", { class: "live preview" }, parts.state, body));

  const looking = () => element.offsetParent !== null;
  const question = new Question({ ask: (asked) => server.preview(asked), looking, heard });
  let config = null;
  let shown = false;

  new IntersectionObserver(([entry]) => entry.isIntersecting && question.look()).observe(element);
  watch("value", settle);
  settle();

  function settle() {
    if (props.value?.columns || props.value?.encoding || props.value?.fault) return props.value.fault && tell(faultLines(props.value.fault));
    config = props.value?.config ?? config;
    if (config && question.put({ config }, shown ? PAUSE_MS : 0)) {
      body.classList.add("stale");
      offer([]);
    }
    if (!shown) tell([h("p", {}, say(config ? "preview.working" : "preview.empty"))]);
  }

  function heard(reply) {
    if (reply === undefined) return tell([h("p", {}, say("preview.offline"))]);
    const fault = reply.fault ?? (reply.state === "failed" ? reply : null);
    if (reply.state === "working") return tell([h("p", {}, say("preview.working"))]);
    body.classList.remove("stale");
    body.hidden = reply.state !== "done";
    tell([...said(reply), ...(fault ? [h("div", { class: "spoken", "data-tone": "bad" }, ...faultLines(fault))] : [])]);
    offer(...offers(reply, fault));
    if (reply.state !== "done") return;
    shown = true;
    parts.rows.replaceChildren(rowTable(reply.first));
    parts.columns.replaceChildren(columnTable(reply, (columns) => take({ columns })));
    lengths.element.hidden = !reply.lengths;
    lengths.show(reply.lengths);
    classes.show(reply.classes);
    parts.padding.replaceChildren(...paddingLines(reply.padding));
    parts.examples.replaceChildren(...exampleList(reply.examples));
  }

  function tell(lines) {
    parts.state.replaceChildren(...lines);
  }

  // The columns that are guessed where others are set; or how a text is written that is no UTF-8.
  function offers({ columns = [] }, fault) {
    const chosen = guessed(columns);
    if (chosen) return [[{ label: say("preview.use.named", { columns: Object.values(chosen).join(" · ") }), title: say("preview.use"), take: () => take({ columns: chosen }) }]];
    if (fault?.code !== "data.not-utf8" && fault?.code !== "data.not-decoded") return [[]];
    const encodings = fault.values.able.split(" or ");
    return [encodings.map((encoding) => ({ label: encoding, title: say("preview.read-as.title"), take: () => take({ encoding }) })), say("preview.read-as")];
  }

  function take(found) {
    offer([]);
    takeOver(found, props, trigger);
  }
}

function said({ rows, whole, notices }) {
  if (!rows) return [];
  const counts = { train: integer(rows.train), evaluation: integer(rows.evaluation) };
  return [
    h("p", {}, whole ? say("preview.rows", counts) : say("preview.beginning", { rows: counts.train })),
    ...(notices ?? []).map((notice) => h("p", { class: "preview-notice" }, toldInFull(notice))),
  ];
}

function paddingLines(padding) {
  if (!padding) return [];
  const values = { share: shareText(padding.share), other: shareText(padding.other) };
  const lines = padding.packing ? [say("preview.padding.packed")] : [say(`preview.padding.${padding.order}`, values)];
  if (!padding.settled) lines.push(say("preview.padding.by-itself"));
  return [h("h3", {}, say("preview.padding")), ...lines.map((line) => h("p", {}, line))];
}
