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

  addNewest(token, most) {
    this.add(token);
    this.tokens = this.tokens.slice(-most);
  }

  remove(asked) {
    const included = new Set(asked.split("."));
    this.tokens = this.tokens.filter((known) => !included.has(known));
  }

  replace(asked, token) {
    if (!token) return;
    this.remove(asked);
    this.add(token);
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
