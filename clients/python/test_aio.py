"""What the client for asyncio promises, through a proxy that loses every other answer and cuts every connection."""

import asyncio
import os
import time
import warnings

from guanxi_client import AsyncClient, GuanxiError

TOKEN = os.environ["TOKEN"]


async def main(direct: AsyncClient, client: AsyncClient) -> None:
    # A write whose answer is lost happens once, also when there are many at once.
    async with asyncio.TaskGroup() as group:
        follows = [group.create_task(client.follow({"subject": 11, "object": 100 + at})) for at in range(20)]
    assert all(follow.result()["changed"] for follow in follows)
    assert (await client.get_counts({"uid": 11}))["counts"]["following"] == 20
    try:
        await client.follow({"subject": 5, "object": "5"})
        raise AssertionError("it was not refused")
    except GuanxiError as error:
        assert error.reason == "SELF"
    # Ids are exact, and what is no id is not sent.
    assert (await client.follow({"subject": 11, "object": 2**60 + 1}))["relation"]["uid"] == str(2**60 + 1)
    try:
        await client.follow({"subject": 1.0, "object": 2})
        raise AssertionError("it was sent")
    except TypeError as error:
        assert str(error).startswith("subject")

    # A stream has every event once and in order, beside other tasks.
    start = (await direct.get_counts({"uid": 11}))["token"]

    async def write() -> None:
        for at in range(100):
            await direct.follow({"subject": 13, "object": 1000 + at})
            await asyncio.sleep(0.005)

    writes = asyncio.create_task(write())
    seen: list[int] = []
    async for answer in client.watch({"token": start}):
        seen += [int(event["object"]) for event in answer["events"]]
        if len(seen) >= 100:
            break
    await writes
    assert seen == list(range(1000, 1100)), seen
    # A task that waits for a stream can be cancelled at once.
    waits = asyncio.create_task(anext(aiter(direct.watch({}))))
    await asyncio.sleep(0.05)
    waits.cancel()
    assert isinstance((await asyncio.gather(waits, return_exceptions=True))[0], asyncio.CancelledError)
    # So can a call, and the next one does not get its answer.
    for at in range(50):
        call = asyncio.create_task(direct.get_counts({"uid": 11}))
        await asyncio.sleep(at / 50_000)
        call.cancel()
        assert (await direct.get_counts({"uid": 7}))["counts"]["uid"] == "7"

    ids = [f"aio-{at}" for at in range(1500)]
    assert await client.uids_of(["aio-0"]) == [None]
    made = await client.make_uids(ids)
    assert len(set(made)) == 1500 and await client.uids_of(ids) == made
    assert await client.external_ids_of([int(made[9]), 5]) == ["aio-9", None]

    # A login is refreshed before it ends, once for all tasks.
    account = {"loginName": "aio", "password": "correct horse battery"}
    await direct.register(account)
    first = (await direct.sign_in(account)).session()
    assert first
    late, refreshed = [False], []
    again = AsyncClient(
        os.environ["API_URL"],
        session=first,
        now=lambda: first.access_expires - 1 if late[0] else time.time(),
        on_session=refreshed.append,
    )
    assert len((await again.list_sessions({}))["sessions"]) == 1
    late[0] = True
    lists = await asyncio.gather(*[again.list_sessions({}) for _ in range(10)])
    assert all(len(listed["sessions"]) == 1 for listed in lists)
    assert refreshed and again.session() != first
    await again.close()


async def run() -> None:
    async with AsyncClient(os.environ["API_URL"], token=TOKEN) as direct:
        async with AsyncClient(os.environ["PROXY_URL"], token=TOKEN, first_pause=0.005) as client:
            await main(direct, client)


async def call_in_another_loop(client: AsyncClient) -> None:
    assert (await client.get_counts({"uid": 7}))["counts"]["uid"] == "7"


asyncio.run(run())
# What is left of a loop that has ended is of no use in the next one, and says so.
warnings.simplefilter("ignore", ResourceWarning)
client = AsyncClient(os.environ["API_URL"], token=TOKEN)
for _ in range(2):
    asyncio.run(call_in_another_loop(client))
print("all is well")
