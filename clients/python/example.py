"""Follows, posts, reads a home, and listens to it: a client in Python."""

import os

from guanxi_client import Client

client = Client(os.environ.get("API_URL", "http://127.0.0.1:7420"), token=os.environ.get("TOKEN"))

followed = client.follow({"subject": 1, "object": "2"})
print("newly followed:", followed["changed"])
client.create_post({"author": 2, "text": "hello from Python"})
# What was written is seen, whichever machine answers: the client carries the position along.
home = client.get_home_timeline({"viewer": "1"})
for item in home["posts"]:
    print(f"{item['post']['author']}: {item['post']['text']}")
# The stream goes on where the page ended, and again after every break.
news = client.stream_home({"viewer": "1", "token": home["token"]})
client.create_post({"author": 2, "text": "and again"})
print("new:", len(next(news)["postIds"]), "post")
# Ids of your own, such as UUIDs, have uids: made once, and then known to the client.
client.make_uids(["anna"])
uids = client.uids_of(["anna", "bert"])
print(len([uid for uid in uids if uid]), "of anna and bert is known")
