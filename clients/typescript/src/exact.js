// Numbers of 64 bits, as the API takes them: as texts. A Number holds whole numbers exactly up to 2^53 - 1 alone, and
// the next one is another user.

import { FIELDS } from "./methods.js";

/** A number of 64 bits, as text. `path` says where it stands, for the error. */
export function exactId(value, path) {
  if (value === undefined || value === null || typeof value === "string") return value;
  if (typeof value === "bigint") return value.toString();
  if (typeof value !== "number") throw new TypeError(`${path}: an id is a string or a BigInt, and not a ${typeof value}`);
  if (!Number.isInteger(value)) throw new TypeError(`${path}: ${value} is no whole number: give an id as a string or a BigInt`);
  if (!Number.isSafeInteger(value)) {
    throw new TypeError(`${path}: a Number does not hold ${value} exactly: give it as a string or a BigInt`);
  }
  return value.toString();
}

/** A message of a request whose numbers of 64 bits are texts; `type` is its name in the table. */
export function exact(message, type, fields = FIELDS, path = "") {
  const kinds = fields[type];
  if (!kinds || typeof message !== "object" || message === null) return message;
  const copy = { ...message };
  for (const name of Object.keys(copy)) {
    // The API takes the names of the protos, too.
    const kind = kinds[name] ?? kinds[name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase())];
    if (kind) copy[name] = exactValue(copy[name], kind, fields, path ? `${path}.${name}` : name);
  }
  return copy;
}

function exactValue(value, kind, fields, path) {
  if (kind.startsWith("{}")) {
    if (typeof value !== "object" || value === null) return value;
    const item = ([key, one]) => [key, exactValue(one, kind.slice(2), fields, `${path}.${key}`)];
    return Object.fromEntries(Object.entries(value).map(item));
  }
  if (Array.isArray(value)) return value.map((one, at) => exactValue(one, kind, fields, `${path}[${at}]`));
  return kind === "#" ? exactId(value, path) : exact(value, kind, fields, path);
}

/** JSON in which any other BigInt is a text, too. */
export function json(message) {
  return JSON.stringify(message, (_, value) => (typeof value === "bigint" ? value.toString() : value));
}
