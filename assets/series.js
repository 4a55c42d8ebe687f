// The columns of one run, as the store sends them: whole at first, then only what is new.

export const TABLES = ["updates", "evaluations", "memory"];

export class Series {
  constructor() {
    this.clear();
  }

  clear() {
    this.tables = Object.fromEntries(TABLES.map((table) => [table, {}]));
    this.cursor = "";
    this.length = 0;
  }

  // Takes one reply of the store, and returns the names of the tables that have changed.
  apply(reply) {
    if (reply.reset) this.clear();
    this.cursor = reply.cursor;
    for (const table of TABLES) {
      const held = this.tables[table];
      const fresh = reply[table];
      if (table === "updates") fresh.throughput = throughput(fresh);
      for (const [name, values] of Object.entries(fresh)) {
        const column = (held[name] ??= []);
        for (const value of values) column.push(value);
      }
      this.length += fresh.update.length;
    }
    return TABLES.filter((table) => reply.reset || reply[table].update.length > 0);
  }

  column(table, name) {
    return this.tables[table][name] ?? [];
  }
}

function throughput({ targets, duration }) {
  return targets.map((count, row) => (duration[row] > 0 ? count / duration[row] : null));
}

// A debiased running average over updates. It counts the distance between points, so that a thinned run is
// smoothed like a whole one, and a gap stays a gap.
export function smoothed(values, at, span) {
  const keep = 1 - 2 / (span + 1);
  let [sum, weight, before] = [0, 0, null];
  return values.map((value, row) => {
    if (value === null) return null;
    const kept = keep ** (before === null ? 1 : Math.max(1, at[row] - before));
    before = at[row];
    sum = kept * sum + (1 - kept) * value;
    weight = kept * weight + (1 - kept);
    return sum / weight;
  });
}
