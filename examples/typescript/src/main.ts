import { createClient, type Interceptor } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { FeedService } from "./gen/guanxi/v1/feed_pb.js";
import { PostService } from "./gen/guanxi/v1/post_pb.js";
import { RelationService } from "./gen/guanxi/v1/relation_pb.js";

const authorize: Interceptor = (next) => (request) => {
  request.header.set("authorization", `Bearer ${process.env.TOKEN ?? ""}`);
  return next(request);
};
const baseUrl = process.env.API_URL ?? "http://127.0.0.1:7420";
const transport = createConnectTransport({ baseUrl, httpVersion: "2", interceptors: [authorize] });

const followed = await createClient(RelationService, transport).follow({ subject: 1n, object: 2n });
console.log("newly followed:", followed.changed);
const written = await createClient(PostService, transport).createPost({ author: 2n, text: "hello from TypeScript" });
// A read with the token of a write sees that write.
const home = await createClient(FeedService, transport).getHomeTimeline({ viewer: 1n, token: written.token });
for (const item of home.posts) console.log(`${item.post?.author}: ${item.post?.text}`);
