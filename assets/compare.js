import { panel } from "./explore.js";

export const mount = (element) => element.replaceChildren(panel("compare"));
