// Of which sentences the message of a run that ran out of memory is made: as engine/memory/exhausted.py.

export const CODE = "run.out-of-memory";

const TERMS = ["weights", "gradients", "optimizer", "activations"];

// The codes of the message with their values, and that of the remedy. `has(code)`: whether there are words for it;
// `size(bytes)` and `term(name)`: an amount and a category in words.
export function sentences(values, { has, size, term }) {
  const { phase, requested_bytes: requested, budget_bytes: budget, most, rows } = values;
  const known = (name) => (has(`${CODE}.${name}`) ? `${CODE}.${name}` : CODE);
  const last = ["forward", "backward", null].includes(phase ?? null) && rows === 1;
  const message = [[known(phase), values]];
  if (Number.isFinite(requested) && Number.isFinite(budget)) {
    const amounts = { requested: size(requested), budget: size(budget) };
    const taken = TERMS.reduce((sum, name) => sum + (values[`${name}_bytes`] ?? 0), 0);
    if (most) message.push([`${CODE}.sums`, { ...amounts, taken: size(taken), term: term(most), most: size(values[`${most}_bytes`]) }]);
    else if (phase === "loading") message.push([`${CODE}.whole`, amounts]);
  }
  return { message, remedy: last ? `${CODE}.one-row` : known(phase) };
}
