// A client of the guanxi API over fetch and JSON: for Node, Deno, Bun and browsers, without dependencies.

import { GuanxiError, broken, errorOf } from "./errors.js";
import { exact, exactId, json } from "./exact.js";
import { envelope, joined, unwrapped } from "./frames.js";
import { METHODS } from "./methods.js";
import { Dictionary, Positions, Written } from "./state.js";

export { GuanxiError };

/** Tokens that are carried along at most: what the server takes in one request. */
const POSITIONS_MAX = 16;
/** How long a stream may say nothing: the server sends an empty message every 15 seconds. */
const SILENCE_MAX_MS = 40_000;
/** How long before its end an access token is refreshed, at most; of short ones after three quarters of their time. */
const REFRESH_MARGIN_MS = 60_000;
/** Ids of one ResolveIds: what the server takes. */
const RESOLVE_MAX = 1_000;
/** How long a call that may be repeated is repeated: a restart of the server takes less. */
const PATIENCE_MS = 15_000;
/** Pairs of ids that a client keeps unless it is told otherwise: some 20 MB of UUIDs. */
const EXTERNAL_IDS_KEPT = 65_536;

/** A login that is refreshed before it ends, once for all who wait for it. */
class Session {
  constructor(client, tokens) {
    this.client = client;
    this.hold(tokens);
  }

  hold(tokens) {
    this.tokens = tokens;
    const life = tokens.accessExpiresMs - this.client.options.now();
    this.dueMs = tokens.accessExpiresMs - Math.min(REFRESH_MARGIN_MS, life / 4);
  }

  async access(refused) {
    if (this.client.options.now() >= this.dueMs || refused === this.tokens.access) {
      this.refreshing ??= this.refresh().finally(() => (this.refreshing = undefined));
      await this.refreshing;
    }
    return this.tokens.access;
  }

  async refresh() {
    // A lost answer may be asked for again within half a minute, so it is repeated like a read.
    const method = { ...METHODS.refreshSession, read: true };
    const answer = await this.client.repeated(method, { refreshToken: this.tokens.refresh });
    this.hold(tokensOf(answer));
    this.client.options.onSession?.(this.tokens);
  }
}

/** The name of what a method takes. */
function requestOf(method) {
  return `${method.path.split("/").pop()}Request`;
}

/** A URL that paths of methods stand behind. */
function baseOf(url) {
  let parsed;
  try {
    parsed = new URL(url);
  } catch {
    // It is none.
  }
  if (!parsed || !["http:", "https:"].includes(parsed.protocol) || parsed.search || parsed.hash) {
    throw new TypeError(`a URL is like http://127.0.0.1:7420 or https://guanxi.example.org, and not ${JSON.stringify(url)}`);
  }
  return parsed.href.replace(/\/$/, "");
}

function tokensOf(answer) {
  const { accessToken: access, refreshToken: refresh, accessExpireTime } = answer;
  return { access, refresh, accessExpiresMs: Date.parse(accessExpireTime) };
}

export class GuanxiClient {
  constructor(url, options = {}) {
    this.url = baseOf(url);
    this.options = {
      fetch: (...given) => globalThis.fetch(...given),
      now: Date.now,
      clock: () => performance.now(),
      random: Math.random,
      sleep: (ms) => new Promise((done) => setTimeout(done, ms)),
      timeoutMs: 5_000,
      patienceMs: PATIENCE_MS,
      firstPauseMs: 100,
      longestPauseMs: 5_000,
      externalIdsKept: EXTERNAL_IDS_KEPT,
      ...options,
    };
    const { ids } = this.options;
    if (ids !== undefined && ids !== "external") throw new TypeError(`ids is "external" or left out, and not ${ids}`);
    this.dictionary = new Dictionary(this.options.externalIdsKept);
    this.positions = new Positions();
    this.written = new Written(POSITIONS_MAX / 2);
    this.token = this.options.token;
    if (this.options.session) this.login_ = this.sessionOf(this.options.session);
  }

  sessionOf(tokens) {
    const { token, session, ...options } = this.options;
    return new Session(new GuanxiClient(this.url, options), tokens);
  }

  /** A client that calls with a token, and has seen what this one has. */
  withToken(token) {
    return this.calledBy({ token });
  }

  /** A client that calls as the user of a login, which it keeps alive. */
  withSession(session) {
    return this.calledBy({ session });
  }

  calledBy(credential) {
    const { token, session, ...options } = this.options;
    const client = new GuanxiClient(this.url, { ...options, ...credential });
    client.takeIn(this.position());
    client.written = new Written(this.written.most, this.written.writes);
    client.dictionary = this.dictionary;
    return client;
  }

  /** Logs a user in, and returns a client that calls as that user. */
  async signIn(request) {
    return this.withSession(tokensOf(await this.call("login", request)));
  }

  /** The secrets of the login as they are now, to go on with later. */
  session() {
    return this.login_?.tokens;
  }

  /** The position of all that this client has seen, as one token. */
  position() {
    return this.positions.joined();
  }

  /** Takes in what another client has seen. */
  takeIn(position) {
    this.positions.add(position);
  }

  /** Calls a method, again where that helps and does nothing twice. */
  async call(name, request = {}) {
    return this.callMethod(METHODS[name], request);
  }

  async callMethod(method, request) {
    const message = exact({ ...request }, requestOf(method));
    const given = request.token ?? "";
    if (method.id && !message.requestId) message.requestId = this.requestId();
    let asked = "";
    if (method.asks) {
      // A search waits for its index: for what was written alone, and not for what was only read.
      const all = new Positions(method.asks === "written" ? this.written.awaitedBy(method.path) : this.positions.tokens);
      all.add(given);
      asked = message.token = all.joined();
    }
    let answer;
    try {
      answer = await this.repeated(method, message);
    } catch (error) {
      // The server was restored from a backup: what was seen before is of another history.
      if (error.reason !== "TOKEN_FROM_OTHER_HISTORY" || asked === given) throw error;
      this.positions = new Positions();
      this.written = new Written(this.written.most);
      this.dictionary.clear();
      asked = message.token = given;
      answer = await this.repeated(method, message);
    }
    if (method.tells) this.positions.replace(asked, answer.token);
    if (method.asks === "written") this.written.included(method.path, asked);
    else if (method.tells && !method.read) this.written.add(answer.token);
    if (this.positions.tokens.length >= POSITIONS_MAX) await this.makeFew();
    return answer;
  }

  /** Makes one token of many, by a read that includes them all. */
  async makeFew() {
    const asked = this.position();
    try {
      const answer = await this.repeated(METHODS.getCounts, { uid: "1", token: asked });
      this.positions.replace(asked, answer.token);
    } catch {
      // A caller that may not even read counts: the newest have room.
      this.positions.tokens = this.positions.tokens.slice(-POSITIONS_MAX / 2);
    }
  }

  requestId() {
    const part = () => Math.floor(this.options.random() * 0x1_0000_0000).toString(16).padStart(8, "0");
    return globalThis.crypto?.randomUUID?.() ?? part() + part() + part() + part();
  }

  /** How long to wait before the next try; `undefined` when it is of no use. The last try is at the end of what is left. */
  pause(tried, error, leftMs) {
    const { firstPauseMs, longestPauseMs, random } = this.options;
    // All of it random, so that clients that broke off at once do not come back at once.
    const pause = Math.min(firstPauseMs * 2 ** Math.min(tried - 1, 16), longestPauseMs) * random();
    if (error.retryAfterMs !== undefined) {
      const asked = error.retryAfterMs + pause / 4;
      return asked <= Math.min(longestPauseMs * 1.25, leftMs) ? asked : undefined;
    }
    return leftMs > 0 ? Math.min(pause, leftMs) : undefined;
  }

  async repeated(method, message) {
    const { clock, patienceMs } = this.options;
    const start = clock();
    let refused;
    for (let tried = 1; ; tried++) {
      const carried = this.login_ ? await this.login_.access(refused) : this.token;
      try {
        return await this.once(method, message, carried);
      } catch (error) {
        if (error.code === "unauthenticated" && this.login_ && refused === undefined) {
          refused = carried;
          continue;
        }
        const again = error.refusal || (error.unavailable && (method.read || method.id));
        const pause = again ? this.pause(tried, error, patienceMs - (clock() - start)) : undefined;
        if (pause === undefined) throw error;
        await this.options.sleep(pause);
      }
    }
  }

  headers(kind, carried, method) {
    const headers = { "content-type": kind, "connect-protocol-version": "1" };
    if (carried) headers.authorization = `Bearer ${carried}`;
    // The dictionary itself is asked in both kinds of ids.
    if (this.options.ids && !method.path.endsWith("/ResolveIds")) headers["guanxi-ids"] = this.options.ids;
    // A token of more than one line is no fault of the connection: it is told of before anything is tried.
    new Headers(headers);
    return headers;
  }

  async once(method, message, carried) {
    const headers = this.headers("application/json", carried, method);
    // The server gives up when we do, and not before.
    headers["connect-timeout-ms"] = String(Math.round(this.options.timeoutMs));
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(), this.options.timeoutMs);
    try {
      const answer = await this.options.fetch(this.url + method.path, {
        method: "POST",
        headers,
        body: json(message),
        signal: abort.signal,
      });
      const text = await answer.text();
      if (answer.ok) return JSON.parse(text);
      throw errorOf(answer.status, text);
    } catch (error) {
      if (error instanceof GuanxiError) throw error;
      if (abort.signal.aborted) throw new GuanxiError("deadline_exceeded", "no answer came in time");
      throw broken(error);
    } finally {
      clearTimeout(timer);
    }
  }

  /** The uids of ids of yours, in order; undefined for one that nobody has. What was told before is not asked again. */
  async uidsOf(externalIds) {
    const known = await this.learnUids(externalIds, false);
    return externalIds.map((id) => known.get(id));
  }

  /** The uids of ids of yours, in order; those that there are not are made. */
  async makeUids(externalIds) {
    const known = await this.learnUids(externalIds, true);
    return externalIds.map((id) => known.get(id));
  }

  /** Your ids of uids, in order; undefined for one that was not made for an id of yours. */
  async externalIdsOf(uids) {
    const asked = uids.map((uid, at) => exactId(uid, `uids[${at}]`));
    const known = await this.learn(asked, (uid) => this.dictionary.externalId(uid), async (batch) => {
      const { byUid } = await this.resolve({ uids: batch });
      return byUid.map(({ externalId }) => externalId || undefined);
    }, (uid, id) => this.dictionary.put(id, uid));
    return asked.map((uid) => known.get(uid));
  }

  /** Forgets the id of a user who is being erased: a new user may have it one day, with another uid. */
  forgetExternalId(uid) {
    this.dictionary.forget(exactId(uid, "uid"));
  }

  learnUids(externalIds, create) {
    return this.learn(externalIds, (id) => this.dictionary.uid(id), async (batch) => {
      const { byExternalId } = await this.resolve({ externalIds: batch, create });
      return byExternalId.map(({ uid }) => (uid && uid !== "0" ? uid : undefined));
    }, (id, uid) => this.dictionary.put(id, uid));
  }

  /** What is known of ids, the others asked for in batches, each once. */
  async learn(ids, kept, ask, keep) {
    const known = new Map();
    const asked = [];
    for (const id of new Set(ids)) {
      const value = kept(id);
      if (value === undefined) asked.push(id);
      else known.set(id, value);
    }
    for (let from = 0; from < asked.length; from += RESOLVE_MAX) {
      const batch = asked.slice(from, from + RESOLVE_MAX);
      const values = await ask(batch);
      if (values.length !== batch.length) throw new GuanxiError("internal", "the server answered for another number of ids");
      batch.forEach((id, at) => {
        if (values[at] === undefined) return;
        known.set(id, values[at]);
        keep(id, values[at]);
      });
    }
    return known;
  }

  resolve(request) {
    // A repeat changes nothing, even one that makes uids; and what is answered is not older than what was seen.
    return this.callMethod({ ...METHODS.resolveIds, read: true, asks: true }, request);
  }

  /** The changes of relations after a position, without gap or repeat, however often the connection breaks. */
  watch(request = {}) {
    return this.resumed(METHODS.watch, request, (answer) => !answer.events?.length);
  }

  /** What becomes new in a home after the position of a page; `reset` asks to read the first page again. */
  streamHome(request = {}) {
    return this.resumed(METHODS.streamHomeTimeline, request, (answer) => !answer.postIds?.length && !answer.reset);
  }

  async *resumed(method, given, isHeartbeat) {
    const request = exact(given, requestOf(method));
    let token = request.token ?? "";
    let refused;
    for (let tried = 1; ; tried++) {
      let carried;
      try {
        carried = this.login_ ? await this.login_.access(refused) : this.token;
        for await (const answer of this.opened(method, { ...request, token }, carried)) {
          this.positions.replace(token, answer.token);
          token = answer.token;
          tried = 1;
          refused = undefined;
          if (!isHeartbeat(answer)) yield answer;
        }
        throw new GuanxiError("unavailable", "the stream ended");
      } catch (error) {
        if (!(error instanceof GuanxiError)) throw error;
        if (error.code === "unauthenticated" && this.login_ && refused === undefined) {
          refused = carried;
          continue;
        }
        // A stream waits for as long as its reader does.
        const pause = error.unavailable || error.refusal ? this.pause(tried, error, Infinity) : undefined;
        if (pause === undefined) throw error;
        await this.options.sleep(pause);
      }
    }
  }

  /** The answers of a stream, until it breaks. */
  async *opened(method, message, carried) {
    const headers = this.headers("application/connect+json", carried, method);
    const abort = new AbortController();
    let timer;
    const expect = () => {
      clearTimeout(timer);
      timer = setTimeout(() => abort.abort(), SILENCE_MAX_MS);
    };
    expect();
    try {
      let reader;
      const read = async (step) => {
        try {
          return await step();
        } catch (error) {
          if (error instanceof GuanxiError) throw error;
          throw broken(error);
        }
      };
      const answer = await read(() =>
        this.options.fetch(this.url + method.path, {
          method: "POST",
          headers,
          body: envelope(json(message)),
          signal: abort.signal,
        }),
      );
      if (!answer.ok) throw errorOf(answer.status, await read(() => answer.text()));
      reader = answer.body.getReader();
      let bytes = new Uint8Array(0);
      for (;;) {
        const { done, value } = await read(() => reader.read());
        if (done) return;
        expect();
        bytes = joined(bytes, value);
        let next;
        while ((next = unwrapped(bytes))) {
          bytes = next.rest;
          if (next.flags & 2) {
            if (next.message.error) throw GuanxiError.of(next.message.error);
            return;
          }
          yield next.message;
        }
      }
    } finally {
      clearTimeout(timer);
      abort.abort();
    }
  }
}

// A function for each RPC with one answer.
for (const [name, method] of Object.entries(METHODS)) {
  if (!method.stream) {
    GuanxiClient.prototype[name] = function (request) {
      return this.call(name, request);
    };
  }
}
