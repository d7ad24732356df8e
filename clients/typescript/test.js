// What a client promises, through a proxy that loses every other answer and cuts every connection.

import assert from "node:assert/strict";
import { GuanxiClient, GuanxiError } from "guanxi-client";

const { exact } = await import(new URL("exact.js", import.meta.resolve("guanxi-client")));

const { API_URL, PROXY_URL, TOKEN } = process.env;
const direct = new GuanxiClient(API_URL, { token: TOKEN });
const client = new GuanxiClient(PROXY_URL, { token: TOKEN, firstPauseMs: 5 });

// A write whose answer is lost happens once.
for (let object = 100; object < 120; object++) {
  assert.equal((await client.follow({ subject: 1, object })).changed, true);
}
assert.equal((await client.getCounts({ uid: 1 })).counts.following, 20);
assert.equal(client.position().split(".").length, 1);
await assert.rejects(client.follow({ subject: 5n, object: "5" }), (error) => error instanceof GuanxiError && error.reason === "SELF");

// Reads ask for what was seen, and what is of another history is dropped.
client.takeIn("AQEAAAAAAAAACAAAAAAAAAAAAQ");
await assert.rejects(client.getCounts({ uid: 1 }), (error) => error.reason === "INVALID_TOKEN");
client.positions.tokens = [];

// A search waits for its index once for what was written, and not for what was only read.
const waited = [];
const searching = new GuanxiClient(API_URL, {
  token: TOKEN,
  fetch: (url, init) => {
    if (`${url}`.endsWith("/SearchPosts") || `${url}`.endsWith("/SearchUsers")) waited.push(JSON.parse(init.body).token);
    return fetch(url, init);
  },
});
await searching.getCounts({ uid: 1 });
await searching.searchPosts({ query: "harbour" });
const { token: written } = await searching.createPost({ author: 1, text: "harbour" });
// Users have an index of their own: what it includes, the index of posts may lack.
await searching.searchUsers({ query: "harbour" });
for (let again = 0; again < 2; again++) {
  assert.equal((await searching.searchPosts({ query: "harbour" })).posts.length, 1);
}
assert.deepEqual(waited, ["", written, written, ""]);

// Ids are exact, wherever they stand: next to each other they are two users.
const big = 2n ** 53n + 1n;
for (const object of [big, big + 1n, `${big + 2n}`]) {
  assert.equal((await client.follow({ subject: 2n ** 63n - 1n, object })).relation.uid, `${object}`);
}
const { following } = await client.listFollowing({ uid: 2n ** 63n - 1n });
assert.deepEqual(following.map(({ uid }) => BigInt(uid)), [big + 2n, big + 1n, big]);
await client.batchFollow({ actor: big, objects: [2n ** 60n + 1n, 2n ** 60n + 3n] });
const pairs = [1n, 2n, 3n].map((one) => ({ subject: big, object: 2n ** 60n + one }));
const { relations } = await client.batchCheckPairs({ pairs });
assert.deepEqual(relations.map(({ state }) => state ?? "NONE"), ["FOLLOWING", "NONE", "FOLLOWING"]);
const left = (await client.batchUnfollow({ subject: big, objects: [2n ** 60n + 3n, 2n ** 60n + 5n] })).outcomes;
assert.deepEqual(left.map(({ uid, changed }) => [uid, changed]), [[`${2n ** 60n + 3n}`, true], [`${2n ** 60n + 5n}`, false]]);
for (const answerMany of ["batchApproveFollow", "batchRejectFollow"]) {
  const { outcomes } = await client[answerMany]({ subject: big, objects: [2n ** 60n + 1n] });
  assert.equal(outcomes[0].changed, false);
}
const shared = (await client.createPost({ author: big, text: "shared" })).postId;
const quote = (await client.createPost({ author: big + 1n, text: "look", repostOf: BigInt(shared) })).postId;
assert.deepEqual((await client.listReposters({ postId: shared })).reposters, [{ uid: `${big + 1n}`, postId: quote, quote: true }]);
await client.recordInteractions({ interactions: [{ subject: big, object: big + 1n, kind: "VISIT" }] });
assert.deepEqual((await client.listTopAffinity({ uid: big })).items.map(({ uid }) => uid), [`${big + 1n}`]);
let sent = 0;
const silent = new GuanxiClient(API_URL, { fetch: () => (sent++, Promise.reject(new Error("nothing is sent"))) });
for (const [call, request, place] of [
  ["follow", { subject: 9007199254740993, object: 2 }, "subject:"],
  ["follow", { subject: 1.5, object: 2 }, "subject:"],
  ["batchFollow", { subject: 1, objects: ["2", 2 ** 60] }, "objects[1]:"],
  ["batchCheckPairs", { pairs: [{ subject: 1, object: NaN }] }, "pairs[0].object:"],
  ["batchGetPosts", { post_ids: [2 ** 53] }, "post_ids[0]:"],
  ["follow", { subject: true, object: 2 }, "subject:"],
]) {
  await assert.rejects(silent[call](request), (error) => error instanceof TypeError && error.message.startsWith(place));
}
await assert.rejects(silent.externalIdsOf([2 ** 53]), TypeError);
await assert.rejects(silent.watch({ uids: [2 ** 53] }).next(), TypeError);
assert.equal(sent, 0);
// A table of another API: maps, and what is in them.
const table = { Some: { sizes: "{}#", pairs: "{}Pair" }, Pair: { postId: "#" } };
assert.deepEqual(exact({ sizes: { a: big }, pairs: { b: { post_id: big } }, count: 5 }, "Some", table), {
  sizes: { a: `${big}` },
  pairs: { b: { post_id: `${big}` } },
  count: 5,
});

// A stream has every event once and in order.
const start = (await direct.getCounts({ uid: 1 })).token;
const seen = [];
const writes = (async () => {
  for (let object = 0; object < 100; object++) {
    await direct.follow({ subject: 3, object: 1000 + object });
    await new Promise((done) => setTimeout(done, 5));
  }
})();
for await (const { events, token } of client.watch({ token: start })) {
  seen.push(...events.map((event) => Number(event.object)));
  assert.ok(token);
  if (seen.length >= 100) break;
}
await writes;
assert.deepEqual(seen, Array.from({ length: 100 }, (_, at) => 1000 + at));

// Ids of another product are asked for in batches, each once, and kept; a lost answer that made uids is asked for again.
const asked = [];
const counting = (options) =>
  new GuanxiClient(PROXY_URL, {
    token: TOKEN,
    firstPauseMs: 5,
    fetch: async (url, init) => {
      const answer = await fetch(url, init);
      await answer.clone().text();
      if (url.endsWith("/ResolveIds")) asked.push(JSON.parse(init.body));
      return answer;
    },
    ...options,
  });
const resolver = counting({});
const ids = Array.from({ length: 1500 }, (_, at) => `ts-${at}`);
assert.deepEqual(await resolver.uidsOf(["ts-0", "ts-0"]), [undefined, undefined]);
const made = await resolver.makeUids([...ids, ...ids]);
assert.equal(new Set(made).size, 1500);
assert.deepEqual(asked.map((request) => request.externalIds.length), [1, 1000, 500]);
assert.deepEqual(await resolver.withToken(TOKEN).uidsOf(["ts-7"]), [made[7]]);
assert.deepEqual(await resolver.externalIdsOf([BigInt(made[9]), made[1499], 5]), ["ts-9", "ts-1499", undefined]);
assert.deepEqual(asked.slice(3).map((request) => request.uids), [["5"]]);
resolver.forgetExternalId(BigInt(made[9]));
assert.deepEqual(await resolver.uidsOf(["ts-8", "ts-9"]), [made[8], made[9]]);
assert.equal(asked.length, 5);
// What is kept is bounded, and what was asked for last stays.
const small = counting({ externalIdsKept: 3 });
await small.uidsOf(["ts-1", "ts-2", "ts-3"]);
await small.externalIdsOf([made[1]]);
await small.uidsOf(["ts-4"]);
asked.length = 0;
await small.uidsOf(["ts-1", "ts-3", "ts-4"]);
assert.equal(asked.length, 0);
await small.uidsOf(["ts-2"]);
assert.equal(asked.length, 1);
const none = counting({ externalIdsKept: 0 });
assert.deepEqual(await none.makeUids(["ts-1"]), await none.uidsOf(["ts-1"]));
assert.equal(asked.length, 3);

// With ids of its own a program sees no uids, in calls as in streams; the dictionary is asked in both.
const own = new GuanxiClient(PROXY_URL, { token: TOKEN, firstPauseMs: 5, ids: "external" });
const before = (await own.getCounts({ uid: 1 })).token;
const followedByOwn = await own.follow({ subject: "ext:ts-11", object: "ext:ts-12" });
assert.equal(followedByOwn.relation.uid, "ext:ts-12");
assert.deepEqual(await own.uidsOf(["ts-11"]), [made[11]]);
for await (const { events } of own.watch({ uids: ["ext:ts-11"], token: before })) {
  assert.deepEqual([events[0].subject, events[0].object], ["ext:ts-11", "ext:ts-12"]);
  break;
}
assert.throws(() => new GuanxiClient(API_URL, { ids: "mine" }), TypeError);

// A URL that is none is told of when the client is made.
for (const wrong of ["127.0.0.1:7420", "localhost:7420", "", "http://", "ftp://x", "http://x?y=1", undefined]) {
  assert.throws(() => new GuanxiClient(wrong), (error) => error instanceof TypeError && error.message.includes("http://127.0.0.1:7420"));
}

// A token of two lines is sent to nobody.
await assert.rejects(new GuanxiClient(API_URL, { token: "a\nb" }).getCounts({ uid: 1 }), TypeError);

// A server that is away is waited for as long as was said, with pauses that grow, and no longer.
const away = { time: 100, slept: [] };
const patient = new GuanxiClient("http://127.0.0.1:7420/below/", {
  fetch: (url, { headers }) => {
    // The server knows how long we wait.
    assert.deepEqual([headers["connect-timeout-ms"], url.startsWith("http://127.0.0.1:7420/below/guanxi")], ["5000", true]);
    return Promise.reject(new TypeError("nobody listens"));
  },
  clock: () => away.time,
  sleep: async (ms) => {
    away.time += ms;
    away.slept.push(ms);
  },
});
for (const name of ["getCounts", "follow"]) {
  away.slept = [];
  await assert.rejects(patient[name]({}), (error) => error.unavailable);
  const whole = away.slept.reduce((sum, ms) => sum + ms, 0);
  assert.ok(Math.abs(whole - 15_000) < 1e-3 && away.slept.length >= 6, `${away.slept}`);
  assert.ok(Math.max(...away.slept.slice(0, 3)) <= 400, `${away.slept}`);
}
away.slept = [];
await assert.rejects(patient.bindEmail({}), (error) => error.unavailable);
assert.equal(away.slept.length, 0);

// A login is refreshed before it ends, once for all calls.
await direct.register({ loginName: "ts", password: "correct horse battery" });
const user = await direct.signIn({ loginName: "TS", password: "correct horse battery" });
const first = user.session();
let late = false;
let refreshed = 0;
const now = () => (late ? first.accessExpiresMs - 1000 : Date.now());
const again = new GuanxiClient(API_URL, { session: first, now, onSession: () => refreshed++ });
assert.equal((await again.listSessions({})).sessions.length, 1);
late = true;
await Promise.all(Array.from({ length: 10 }, () => again.listSessions({})));
assert.ok(refreshed >= 1 && again.session().refresh !== first.refresh);
console.log("all is well");
