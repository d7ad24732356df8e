import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "gen"))

import grpc
from guanxi.v1.feed_pb2 import GetHomeTimelineRequest
from guanxi.v1.feed_pb2_grpc import FeedServiceStub
from guanxi.v1.post_pb2 import CreatePostRequest
from guanxi.v1.post_pb2_grpc import PostServiceStub
from guanxi.v1.relation_pb2 import FollowRequest
from guanxi.v1.relation_pb2_grpc import RelationServiceStub

authorize = [("authorization", f"Bearer {os.environ.get('TOKEN', '')}")]
with grpc.insecure_channel(os.environ.get("API_ADDRESS", "127.0.0.1:7420")) as channel:
    followed = RelationServiceStub(channel).Follow(FollowRequest(subject=1, object=2), metadata=authorize)
    print("newly followed:", followed.changed)
    post = CreatePostRequest(author=2, text="hello from Python")
    written = PostServiceStub(channel).CreatePost(post, metadata=authorize)
    # A read with the token of a write sees that write.
    page = GetHomeTimelineRequest(viewer=1, token=written.token)
    for item in FeedServiceStub(channel).GetHomeTimeline(page, metadata=authorize).posts:
        print(f"{item.post.author}: {item.post.text}")
