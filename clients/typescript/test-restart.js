// The client, with a server that goes and comes back: whoever runs this reads `down` and `up`, and says when it is so.

import assert from "node:assert/strict";
import { createInterface } from "node:readline";
import { GuanxiClient } from "guanxi-client";

const { API_URL, TOKEN } = process.env;
// Longer than a few tries take, as a restart with much to read is.
const AWAY_MS = 2_500;
const said = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

async function server(does) {
  console.log(does);
  assert.equal((await said.next()).value, "ok");
}

const client = new GuanxiClient(API_URL, { token: TOKEN });
assert.equal((await client.follow({ subject: 1, object: 2 })).changed, true);
const start = (await client.getCounts({ uid: 1 })).token;
const seen = (async () => {
  const events = [];
  for await (const answer of client.watch({ uids: [1], token: start })) {
    events.push(...answer.events.map(({ object }) => object));
    if (events.length >= 3) return events;
  }
})();
await client.follow({ subject: 1, object: 3 });
await server("down");
// What may not be repeated fails at once.
await assert.rejects(client.bindEmail({ uid: 1, email: "c@example.org" }), (error) => error.unavailable);
let answered = 0;
const calls = [client.getCounts({ uid: 1 }), client.follow({ subject: 1, object: 4 })];
for (const call of calls) call.then(() => answered++);
await new Promise((done) => setTimeout(done, AWAY_MS));
assert.equal(answered, 0);
await server("up");
assert.equal((await calls[1]).changed, true);
await calls[0];
await client.follow({ subject: 1, object: 5 });
assert.deepEqual((await seen).slice(0, 3), ["3", "4", "5"]);
console.log("all is well");
process.exit(0);
