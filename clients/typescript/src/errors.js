// Why a call failed, in the words of the API.

/** What was refused for want of room, before anything was done. */
const REFUSALS = new Set(["OVERLOADED", "RATE_LIMITED", "TOO_MANY_CALLS", "TOO_MANY_STREAMS"]);

/** Why a call failed: `reason` never changes, `message` is for people. */
export class GuanxiError extends Error {
  constructor(code, message, reason = "", metadata = {}, retryAfterMs = undefined) {
    super(reason ? `${reason}: ${message}` : message);
    this.name = "GuanxiError";
    this.code = code;
    this.reason = reason;
    this.metadata = metadata;
    this.retryAfterMs = retryAfterMs;
  }

  static of(error) {
    const shown = (type) => error.details?.find((detail) => detail.type === `google.rpc.${type}`)?.debug;
    const info = shown("ErrorInfo");
    const delay = shown("RetryInfo")?.retryDelay;
    const retryAfterMs = delay === undefined ? undefined : Math.ceil(parseFloat(delay) * 1000);
    return new GuanxiError(error.code ?? "unknown", error.message ?? "", info?.reason, info?.metadata, retryAfterMs);
  }

  /** Whether it may be tried again though it is not known what became of it. */
  get unavailable() {
    return this.code === "unavailable";
  }

  /** Whether the server refused it before it began, for want of room. */
  get refusal() {
    return REFUSALS.has(this.reason);
  }
}

/** The error of an answer over plain HTTP. */
export function errorOf(status, text) {
  try {
    const error = JSON.parse(text);
    if (error.code) return GuanxiError.of(error);
  } catch {
    // What is between us and the server has answered.
  }
  return new GuanxiError([429, 502, 503, 504].includes(status) ? "unavailable" : "unknown", `HTTP status ${status}`);
}

/** What fetch could not do: what became of the call is not known. */
export function broken(error) {
  const cause = error?.cause ?? error;
  // The next try would find the same certificate.
  const isDistrusted = /CERT|SELF_SIGNED|UNABLE_TO_(VERIFY|GET_ISSUER)/.test(cause?.code ?? "");
  return new GuanxiError(isDistrusted ? "unknown" : "unavailable", String(cause));
}
