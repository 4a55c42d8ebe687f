// Batch plans: rows of a micro-batch, and micro-batches of a window.

import { integer } from "./words.js";

export const planText = ([rows, steps]) => `${integer(rows)} × ${integer(steps)}`;

export const samePlan = (one, other) => one[0] === other[0] && one[1] === other[1];
