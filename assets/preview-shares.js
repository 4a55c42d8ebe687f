// A share in per cent, as it is meant.

import { inPercent, number } from "./words.js";

export const shareText = (share) => inPercent(number(100 * share, share < 0.0995 ? 2 : 3).replace(/[.,]0+$/, ""));
