import type { Calls, HomeNews, LoginRequest, StreamHomeTimelineRequest, WatchRequest, WatchResponse } from "./messages.js";

export type * from "./messages.js";

/** The secrets of a login. They are no less than the user's password. */
export interface SessionTokens {
  access: string;
  /** When `access` is no longer taken, in Unix milliseconds. */
  accessExpiresMs: number;
  refresh: string;
}

export interface ClientOptions {
  /** A service's token, an end user's, or a JWT. */
  token?: string;
  /** A login to go on with. */
  session?: SessionTokens;
  /** Called with the new secrets whenever the login is refreshed, for whoever keeps them. */
  onSession?: (tokens: SessionTokens) => void;
  /** The deadline of each try, in milliseconds; 5,000 unless it is said, and the server takes 30,000 at most. Streams have none. */
  timeoutMs?: number;
  /** For how long a call is repeated that may be, in milliseconds; 15,000 unless it is said. What may not be fails at once. */
  patienceMs?: number;
  /** The longest pause before the second try; it doubles for each further one. */
  firstPauseMs?: number;
  /** The longest pause of all. */
  longestPauseMs?: number;
  /**
   * With "external" answers have your ids in place of uids, as `ext:ID`, where there are such. Requests may have them always.
   */
  ids?: "external";
  /** Ids of another product that are kept with their uids, at most; 65,536 unless it is said, and 0 keeps none. */
  externalIdsKept?: number;
  fetch?: typeof fetch;
  now?: () => number;
  /** Milliseconds of a clock that only goes forward. */
  clock?: () => number;
  random?: () => number;
  sleep?: (ms: number) => Promise<void>;
}

/** Why a call failed: `reason` never changes, `message` is for people. */
export class GuanxiError extends Error {
  readonly code: string;
  readonly reason: string;
  readonly metadata: Record<string, string>;
  readonly retryAfterMs?: number;
  readonly unavailable: boolean;
  readonly refusal: boolean;
}

export interface GuanxiClient extends Calls {}

export class GuanxiClient {
  /** Throws a TypeError for a URL that is none. */
  constructor(url: string, options?: ClientOptions);
  /** A client that calls with a token, and has seen what this one has. */
  withToken(token: string): GuanxiClient;
  /** A client that calls as the user of a login, which it keeps alive. */
  withSession(session: SessionTokens): GuanxiClient;
  /** Logs a user in, and returns a client that calls as that user. */
  signIn(request: LoginRequest): Promise<GuanxiClient>;
  /** The secrets of the login as they are now, to go on with later. */
  session(): SessionTokens | undefined;
  /** The position of all that this client has seen, as one token: a client that takes it in sees as much. */
  position(): string;
  /** Takes in what another client has seen. */
  takeIn(position: string): void;
  /**
   * The uids of ids of yours, in order; undefined for one that nobody has. For services. What this client, or one that was
   * made from it, has been told before is not asked again; that nobody has an id is asked each time.
   */
  uidsOf(externalIds: readonly string[]): Promise<(string | undefined)[]>;
  /** The uids of ids of yours, in order; those that there are not are made. For services with `user.write`. */
  makeUids(externalIds: readonly string[]): Promise<string[]>;
  /** Your ids of uids, in order; undefined for one that was not made for an id of yours. For services. */
  externalIdsOf(uids: readonly (string | number | bigint)[]): Promise<(string | undefined)[]>;
  /** Forgets the id of a user who is being erased: a new user may have it one day, with another uid. */
  forgetExternalId(uid: string | number | bigint): void;
  /** The changes of relations after a position, without gap or repeat, however often the connection breaks. For services. */
  watch(request?: WatchRequest): AsyncGenerator<WatchResponse, never>;
  /** What becomes new in a home after the position of a page; `reset` asks to read the first page again. */
  streamHome(request?: StreamHomeTimelineRequest): AsyncGenerator<HomeNews, never>;
}
