// Batch plans: rows of a micro-batch, micro-batches of a window on each device, and devices where there are several.

import { integer } from "./words.js";

export const planText = ([rows, steps, devices = 1]) => [rows, steps, ...(devices === 1 ? [] : [devices])].map(integer).join(" × ");

export const samePlan = (one, other) => one[0] === other[0] && one[1] === other[1];
