// The words of the page, from the table that Python put into the page (gui/text).

const setup = JSON.parse(document.getElementById("birikim-setup").textContent);

export const charts = setup.charts;
export const plotlyUrl = setup.plotly;
export const fits = setup.fits;
export const cards = setup.cards;
export const uploads = setup.uploads;
export const lessons = setup.lessons;

export const languages = Object.keys(setup.words);
export const language = navigator.language; // before.js has seen to it that the page speaks it

const table = setup.words[language];

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
  if (size !== 0 && (size < 1e-3 || size >= 1e6)) return value.toExponential(figures - 2);
  const decimals = Math.max(0, figures - 1 - (size < 1 ? 0 : Math.floor(Math.log10(size))));
  return new Intl.NumberFormat(language, { minimumFractionDigits: decimals, maximumFractionDigits: decimals }).format(value);
}

const percents = new Intl.NumberFormat(language, { style: "percent", minimumFractionDigits: 1, maximumFractionDigits: 1 });

// A share of one.
export const percent = (share) => (Number.isFinite(share) ? percents.format(share) : say("amount.none"));

export function bytes(value) {
  if (!Number.isFinite(value)) return say("amount.none");
  if (value === 0) return "0 MiB";
  const [unit, size] = value >= 2 ** 30 ? ["GiB", 2 ** 30] : value >= 2 ** 20 ? ["MiB", 2 ** 20] : ["KiB", 2 ** 10];
  const amount = value / size;
  return `${amount.toFixed(amount < 10 ? 2 : amount < 100 ? 1 : 0)} ${unit}`;
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

// Words that the engine or a handler sent as {code, values, message, remedy}: by code where the table has it, else as sent.
export function told(fault) {
  const values = fault.values ?? {};
  const text = (name, sent) => onPage(knows(name) ? say(name, values) : (sent ?? ""), fault.field ?? values.field, values);
  return { message: text(fault.code, fault.message), remedy: text(`${fault.code}.remedy`, fault.remedy) };
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
