// The words of the page, from the table that Python put into the page (gui/text).

import { CODE as OUT_OF_MEMORY, sentences } from "./out-of-memory.js";
import { Tongue } from "./tongue.js";

const setup = JSON.parse(document.getElementById("birikim-setup").textContent);

export const charts = setup.charts;
export const plotlyUrl = setup.plotly;
export const fits = setup.fits;
export const cards = setup.cards;
export const uploads = setup.uploads;
export const lessons = setup.lessons;
export const preset = setup.class;

export const languages = Object.keys(setup.words);
export const language = navigator.language; // before.js has seen to it that the page speaks it

const table = setup.words[language];
const tongue = language in setup.tongues ? new Tongue(setup.tongues[language]) : null; // English comes in words as it is

// The name of the form's field that shows a key of the config; undefined for a key without one.
export const fieldOf = (key) => setup.places[key];

export const knows = (name) => name in table;

export function say(name, values = {}) {
  const text = table[name] ?? setup.words.en[name] ?? name;
  return text.replace(/\{([\w-]+)\}/g, (whole, key) => (key in values ? String(values[key]) : whole));
}

// `name.one` for a count of one, else `name.many`.
export const sayCount = (name, count, values = {}) =>
  say(`${name}.${Number(count) === 1 ? "one" : "many"}`, { count: integer(count), ...values });

const integers = new Intl.NumberFormat(language, { maximumFractionDigits: 0 });

export const integer = (value) => (Number.isFinite(value) ? integers.format(value) : say("amount.none"));

// A value as it is meant: a loss with four figures, never a tail of noise.
export function number(value, figures = 4) {
  if (value === null || value === undefined || !Number.isFinite(value)) return say("amount.none");
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e6)) return value.toExponential(figures - 2).replace(".", decimalPoint);
  const decimals = Math.max(0, figures - 1 - (size < 1 ? 0 : Math.floor(Math.log10(size))));
  return new Intl.NumberFormat(language, { minimumFractionDigits: decimals, maximumFractionDigits: decimals }).format(value);
}

// What stands between whole and part, and between thousands: as Plotly takes them.
const [decimalPoint, thousands] = ["decimal", "group"].map((type) => new Intl.NumberFormat(language).formatToParts(12345.5).find((part) => part.type === type).value);
export const separators = decimalPoint + thousands;

// Figures in per cent, with the sign where the language has it.
export const inPercent = (figures) => say("amount.percent", { figures });

const percents = new Intl.NumberFormat(language, { style: "percent", minimumFractionDigits: 1, maximumFractionDigits: 1 });

// A share of one.
export const percent = (share) => (Number.isFinite(share) ? percents.format(share) : say("amount.none"));

export function bytes(value) {
  if (!Number.isFinite(value)) return say("amount.none");
  if (value === 0) return "0 MiB";
  const [unit, size] = value >= 2 ** 30 ? ["GiB", 2 ** 30] : value >= 2 ** 20 ? ["MiB", 2 ** 20] : ["KiB", 2 ** 10];
  const amount = value / size;
  return `${amount.toFixed(amount < 10 ? 2 : amount < 100 ? 1 : 0).replace(".", decimalPoint)} ${unit}`;
}

export function duration(seconds) {
  if (!Number.isFinite(seconds)) return say("amount.none");
  const whole = Math.max(0, Math.round(seconds));
  const [s, min, h, d] = [whole % 60, Math.floor(whole / 60) % 60, Math.floor(whole / 3600) % 24, Math.floor(whole / 86400)];
  if (whole < 60) return say("time.seconds", { s });
  if (whole < 3600) return say("time.minutes", { min, s });
  if (whole < 86400) return say("time.hours", { h, min });
  return say("time.days", { d, h });
}

export const moment = (unixSeconds) =>
  new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" }).format(new Date(unixSeconds * 1000));

export const clock = (date) => new Intl.DateTimeFormat(language, { timeStyle: "short" }).format(date);

// Words that the engine or a handler sent as {code, values, message, remedy}: by code where this page or the language has
// words of its own for it, else as sent.
export function told(fault) {
  const values = fault.values ?? {};
  const named = tongue ? tongue.values(values) : values;
  const text = (name, foreign, sent) => onPage(knows(name) ? say(name, named) : (foreign ?? sent ?? ""), fault.field ?? values.field, values);
  const foreign = tongue ? inTongue(fault.code, values, named) : {};
  return { message: text(fault.code, foreign.message, fault.message), remedy: text(`${fault.code}.remedy`, foreign.remedy, fault.remedy) };
}

// The same on one line.
export const toldInFull = (fault) => Object.values(told(fault)).filter(Boolean).join(" ");

function inTongue(code, values, named) {
  if (code !== OUT_OF_MEMORY) return { message: tongue.said(code, named, 0), remedy: tongue.said(code, named, 1) };
  const { message, remedy } = sentences(values, { has: (name) => name in tongue.words, size: bytes, term: (name) => say(`memory.category.${name}`) });
  const said = message.map(([each, inside]) => tongue.said(each, inside, 0));
  return { message: said.includes(null) ? null : said.join(" "), remedy: tongue.said(remedy, named, 1) };
}

// A setting goes by the name of its field. One without a field, or at a line of the YAML, is looked for there by its key.
function onPage(text, field, values) {
  if ((field && !(field in setup.places)) || "line" in values) return text;
  return text.replace(/“((?:data|training)\.\w+|\w+)”|\b((?:data|training)\.\w+)/g, (found, quoted, dotted) => {
    const key = quoted ?? dotted;
    const meant = key in setup.places && (key === field || key.includes("."));
    return meant ? `“${say(`form.${setup.places[key]}`)}”` : found;
  });
}
