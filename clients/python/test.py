"""What a client promises, through a proxy that loses every other answer and cuts every connection."""

import os
import threading
import time

from guanxi_client import Client, GuanxiError

direct = Client(os.environ["API_URL"], token=os.environ["TOKEN"])
client = Client(os.environ["PROXY_URL"], token=os.environ["TOKEN"], first_pause=0.005, tries=10)


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
