// How a language other than English tells what the engine says by code and values: as engine/words/language.py.

export class Tongue {
  // `words`: by code a message and a remedy. `phrases`: by the name of a value its English words as patterns. `lists` and
  // `figures`: names of values that are a choice, or numbers as text. `separators`: of thousands, then the decimal one.
  constructor({ words, phrases, lists, either, figures, separators }) {
    Object.assign(this, { words, lists, either, figures, separators });
    this.phrases = Object.fromEntries(
      Object.entries(phrases).map(([name, found]) => [name, Object.entries(found).map(([pattern, text]) => [new RegExp(`^(?:${pattern})$`), text])]),
    );
  }

  // Message (0) or remedy (1) of a code; null where this version doesn't know the code or one of its values.
  said(code, values, part) {
    const text = this.words[code]?.[part];
    return text === undefined || (text.match(HOLES) ?? []).some((hole) => !(hole.slice(1, -1) in values)) ? null : filled(text, values);
  }

  values(values) {
    return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, this.#value(name, value)]));
  }

  #value(name, value) {
    if (typeof value === "number") return Number.isInteger(value) ? value : this.number(String(Number(value.toPrecision(4))));
    if (typeof value !== "string") return value;
    let text = value;
    for (const [pattern, words] of this.phrases[name] ?? []) {
      const found = value.match(pattern);
      if (found) {
        text = filled(words, found.slice(1));
        break;
      }
    }
    if (this.lists.includes(name)) text = text.replaceAll(" or ", this.either);
    return this.figures.includes(name) ? this.number(text) : text;
  }

  // A text whose numbers are written as in English.
  number(text) {
    const [thousands, decimal] = this.separators;
    const written = (found) => {
      const [whole, rest] = found.split(".");
      return whole.replaceAll(",", thousands) + (rest === undefined ? "" : decimal + rest);
    };
    return text.replace(/\d+\.\d+|\d{1,3}(?:,\d{3})+(?:\.\d+)?/g, written).replace(/([\d.,]+) %/g, "%$1");
  }
}

const HOLES = /\{[\w-]+\}/g;

const filled = (text, values) => text.replace(HOLES, (hole) => String(values[hole.slice(1, -1)]));
