"""What a client promises, through a proxy that loses every other answer and cuts every connection."""

import os
import threading
import time

from guanxi_client import Client, GuanxiError
from guanxi_client.exact import exact

direct = Client(os.environ["API_URL"], token=os.environ["TOKEN"])
client = Client(os.environ["PROXY_URL"], token=os.environ["TOKEN"], first_pause=0.005)


def reason(call, request) -> str:
    try:
        call(request)
    except GuanxiError as error:
        return error.reason
    raise AssertionError("it was not refused")


# A write whose answer is lost happens once.
for object in range(100, 120):
    assert client.follow({"subject": 1, "object": object})["changed"]
assert client.get_counts({"uid": 1})["counts"]["following"] == 20
assert len(client.position().split(".")) == 1
assert reason(client.follow, {"subject": 5, "object": "5"}) == "SELF"

# Reads ask for what was seen.
other = client.with_token(os.environ["TOKEN"])
other.take_in("AQEAAAAAAAAACAAAAAAAAAAAAQ")
assert reason(other.get_counts, {"uid": 1}) == "INVALID_TOKEN"

# A search waits for its index once for what was written, and not for what was only read.
searching = Client(os.environ["API_URL"], token=os.environ["TOKEN"])
waited, repeated = [], searching._core.repeated


async def noted(path, message, **options):
    if path.endswith(("/SearchPosts", "/SearchUsers")):
        waited.append(message["token"])
    return await repeated(path, message, **options)


searching._core.repeated = noted
searching.get_counts({"uid": 1})
searching.search_posts({"query": "lighthouse"})
written = searching.create_post({"author": 1, "text": "lighthouse"})["token"]
# Users have an index of their own: what it includes, the index of posts may lack.
searching.search_users({"query": "lighthouse"})
for _ in range(2):
    assert len(searching.search_posts({"query": "lighthouse"})["posts"]) == 1
assert waited == ["", written, written, ""], waited

# Ids are exact, wherever they stand: next to each other they are two users.
big = 2**53 + 1
for object in (big, big + 1, str(big + 2)):
    assert client.follow({"subject": 2**63 - 1, "object": object})["relation"]["uid"] == str(object)
listed = client.list_following({"uid": 2**63 - 1})["following"]
assert [int(item["uid"]) for item in listed] == [big + 2, big + 1, big]
client.batch_follow({"actor": big, "objects": [2**60 + 1, 2**60 + 3]})
checked = client.batch_check_pairs({"pairs": [{"subject": big, "object": 2**60 + one} for one in (1, 2, 3)]})
assert [one.get("state", "NONE") for one in checked["relations"]] == ["FOLLOWING", "NONE", "FOLLOWING"], checked
left = client.batch_unfollow({"subject": big, "objects": [2**60 + 3, 2**60 + 5]})["outcomes"]
assert [(one["uid"], one["changed"]) for one in left] == [(str(2**60 + 3), True), (str(2**60 + 5), False)], left
for answer_many in (client.batch_approve_follow, client.batch_reject_follow):
    assert answer_many({"subject": big, "objects": [2**60 + 1]})["outcomes"][0]["changed"] is False
shared = client.create_post({"author": big, "text": "shared"})["postId"]
quote = client.create_post({"author": big + 1, "text": "look", "repostOf": int(shared)})["postId"]
assert client.list_reposters({"postId": shared})["reposters"] == [{"uid": str(big + 1), "postId": quote, "quote": True}]
client.record_interactions({"interactions": [{"subject": big, "object": big + 1, "kind": "VISIT"}]})
assert [item["uid"] for item in client.list_top_affinity({"uid": big})["items"]] == [str(big + 1)]
for wrong in (1.0, True, [True], {"a": 1}):
    try:
        client.follow({"subject": 1, "object": wrong})
    except TypeError as error:
        assert str(error).startswith("object"), error
    else:
        raise AssertionError(f"{wrong!r} was sent")
# A table of another API: maps, and what is in them.
table = {"Some": {"sizes": "{}#", "pairs": "{}Pair"}, "Pair": {"postId": "#"}}
assert exact({"sizes": {"a": big}, "pairs": {"b": {"post_id": big}}, "count": 5}, "Some", table) == {
    "sizes": {"a": str(big)}, "pairs": {"b": {"post_id": str(big)}}, "count": 5,
}

# A stream has every event once and in order.
start = direct.get_counts({"uid": 1})["token"]


def write() -> None:
    for object in range(100):
        direct.follow({"subject": 3, "object": 1000 + object})
        time.sleep(0.005)


writes = threading.Thread(target=write)
writes.start()
seen: list[int] = []
for answer in client.watch({"token": start}):
    seen += [int(event["object"]) for event in answer["events"]]
    if len(seen) >= 100:
        break
writes.join()
assert seen == list(range(1000, 1100)), seen

# Ids of another product are asked for in batches, each once, and kept; a lost answer that made uids is asked for again.
asked: list[dict] = []


def counting(**options) -> Client:
    made = Client(os.environ["PROXY_URL"], token=os.environ["TOKEN"], first_pause=0.005, **options)
    call = made._core.call

    async def counted(path, request, **kind):
        answer = await call(path, request, **kind)
        if path.endswith("/ResolveIds"):
            asked.append(request)
        return answer

    made._core.call = counted
    return made


resolver = counting()
ids = [f"py-{at}" for at in range(1500)]
assert resolver.uids_of(["py-0", "py-0"]) == [None, None]
made = resolver.make_uids(ids + ids)
assert len(set(made)) == 1500 and made[:1500] == made[1500:]
assert [len(request["externalIds"]) for request in asked] == [1, 1000, 500]
assert resolver.with_token(os.environ["TOKEN"]).uids_of(["py-7"]) == [made[7]]
assert resolver.external_ids_of([int(made[9]), made[1499], 5]) == ["py-9", "py-1499", None]
assert [request["uids"] for request in asked[3:]] == [["5"]]
resolver.forget_external_id(int(made[9]))
assert resolver.uids_of(["py-8", "py-9"]) == [made[8], made[9]]
assert len(asked) == 5
# What is kept is bounded, and what was asked for last stays.
small = counting(external_ids_kept=3)
small.uids_of(["py-1", "py-2", "py-3"])
small.external_ids_of([made[1]])
small.uids_of(["py-4"])
asked.clear()
small.uids_of(["py-1", "py-3", "py-4"])
assert not asked
small.uids_of(["py-2"])
assert len(asked) == 1
none = counting(external_ids_kept=0)
assert none.make_uids(["py-1"]) == none.uids_of(["py-1"])
assert len(asked) == 3

# With ids of its own a program sees no uids, in calls as in streams; the dictionary is asked in both.
own = Client(os.environ["PROXY_URL"], token=os.environ["TOKEN"], first_pause=0.005, ids="external")
before = own.get_counts({"uid": 1})["token"]
assert own.follow({"subject": "ext:py-11", "object": "ext:py-12"})["relation"]["uid"] == "ext:py-12"
assert own.uids_of(["py-11"]) == [made[11]]
news = own.watch({"uids": ["ext:py-11"], "token": before})
assert [(event["subject"], event["object"]) for event in next(news)["events"]] == [("ext:py-11", "ext:py-12")]
news.close()
try:
    Client(os.environ["API_URL"], ids="mine")
    raise AssertionError("it was taken")
except ValueError:
    pass

# A login is refreshed before it ends, once for all threads.
account = {"loginName": "py", "password": "correct horse battery"}
direct.register(account)
first = direct.sign_in(account).session()
assert first and "gxs_" not in repr(first)
late = threading.Event()
refreshed = []
again = Client(
    os.environ["API_URL"],
    session=first,
    now=lambda: first.access_expires - 1 if late.is_set() else time.time(),
    on_session=refreshed.append,
)
assert len(again.list_sessions({})["sessions"]) == 1
late.set()
threads = [threading.Thread(target=again.list_sessions, args=({},)) for _ in range(10)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert refreshed and again.session() != first
print("all is well")
