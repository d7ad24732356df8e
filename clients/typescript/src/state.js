// What a client remembers between calls: what it has seen, and ids that it was told.

/** Positions of which none is known to include another. Tokens are opaque: what a read answers includes what it asked. */
export class Positions {
  constructor(tokens = []) {
    this.tokens = tokens;
  }

  joined() {
    return this.tokens.join(".");
  }

  add(token) {
    for (const one of (token ?? "").split(".").filter(Boolean)) {
      this.tokens = [...this.tokens.filter((known) => known !== one), one];
    }
  }

  replace(asked, token) {
    if (!token) return;
    const included = new Set(asked.split("."));
    this.tokens = this.tokens.filter((known) => !included.has(known));
    this.add(token);
  }
}

/**
 * Tokens of writes that searches are to include. Each method that waits has an index of its own, so that a method includes
 * a write once, whatever other methods have included.
 */
export class Written {
  constructor(most, writes = []) {
    this.most = most;
    this.writes = writes.map(({ token, includedBy }) => ({ token, includedBy: new Set(includedBy) }));
  }

  add(token) {
    for (const one of (token ?? "").split(".").filter(Boolean)) {
      this.writes = this.writes.filter((known) => known.token !== one);
      this.writes.push({ token: one, includedBy: new Set() });
    }
    this.writes = this.writes.slice(-this.most);
  }

  awaitedBy(path) {
    return this.writes.filter(({ includedBy }) => !includedBy.has(path)).map(({ token }) => token);
  }

  included(path, asked) {
    const tokens = new Set(asked.split("."));
    for (const write of this.writes) if (tokens.has(write.token)) write.includedBy.add(path);
  }
}

/** Pairs of external id and uid that were told. The one that was not asked for the longest is the first to go. */
export class Dictionary {
  constructor(limit) {
    this.limit = limit;
    this.clear();
  }

  clear() {
    this.uids = new Map();
    this.ids = new Map();
  }

  uid(id) {
    const uid = this.uids.get(id);
    if (uid !== undefined) this.put(id, uid);
    return uid;
  }

  externalId(uid) {
    const id = this.ids.get(uid);
    if (id !== undefined) this.put(id, uid);
    return id;
  }

  put(id, uid) {
    // A map is in the order in which its keys came.
    this.forget(uid);
    if (this.limit <= 0) return;
    this.uids.set(id, uid);
    this.ids.set(uid, id);
    if (this.ids.size > this.limit) this.forget(this.ids.keys().next().value);
  }

  forget(uid) {
    const id = this.ids.get(uid);
    if (id === undefined) return;
    this.ids.delete(uid);
    this.uids.delete(id);
  }
}
