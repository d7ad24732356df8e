// Follows, posts, reads a home, and listens to it: a client in TypeScript.

import { GuanxiClient } from "guanxi-client";
import type { FollowRequest } from "guanxi-client";

const client = new GuanxiClient(process.env.API_URL ?? "http://127.0.0.1:7420", { token: process.env.TOKEN });

const request: FollowRequest = { subject: 1n, object: "2" };
const followed = await client.follow(request);
console.log("newly followed:", followed.changed);
await client.createPost({ author: 2, text: "hello from TypeScript" });
// What was written is seen, whichever machine answers: the client carries the position along.
const home = await client.getHomeTimeline({ viewer: "1" });
for (const item of home.posts) console.log(`${item.post?.author}: ${item.post?.text}`);
// The stream goes on where the page ended, and again after every break.
const news = client.streamHome({ viewer: "1", token: home.token });
await client.createPost({ author: 2, text: "and again" });
for await (const { postIds } of news) {
  console.log("new:", postIds.length, "post");
  break;
}
// Ids of your own, such as UUIDs, have uids: made once, and then known to the client.
await client.makeUids(["anna"]);
const uids = await client.uidsOf(["anna", "bert"]);
console.log(uids.filter((uid) => uid !== undefined).length, "of anna and bert is known");
