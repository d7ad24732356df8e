"""Both clients, with a server that goes and comes back: whoever runs this reads `down` and `up`, and says when it is so."""

import asyncio
import os
import threading
import time

from guanxi_client import AsyncClient, Client, GuanxiError

URL, TOKEN = os.environ["API_URL"], os.environ["TOKEN"]
# Longer than a few tries take, as a restart with much to read is.
AWAY_S = 2.5


def server(does: str) -> None:
    print(does, flush=True)
    assert input() == "ok"


def blocking() -> None:
    client = Client(URL, token=TOKEN)
    assert client.follow({"subject": 1, "object": 2})["changed"]
    events: list[str] = []

    def watch() -> None:
        for answer in client.watch({"uids": [1], "token": start}):
            events.extend(event["object"] for event in answer["events"])
            if len(events) >= 3:
                return

    start = client.get_counts({"uid": 1})["token"]
    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    client.follow({"subject": 1, "object": 3})
    server("down")
    began = time.monotonic()
    # What may not be repeated fails at once.
    try:
        client.bind_email({"uid": 1, "email": "a@example.org"})
        raise AssertionError("nobody answers")
    except GuanxiError as error:
        assert error.unavailable
    answers: list[dict] = []
    calls = [(client.get_counts, {"uid": 1}), (client.follow, {"subject": 1, "object": 4})]
    threads = [threading.Thread(target=lambda call=call: answers.append(call[0](call[1])), daemon=True) for call in calls]
    for thread in threads:
        thread.start()
    time.sleep(AWAY_S)
    assert not answers
    server("up")
    for thread in threads:
        thread.join()
    assert len(answers) == 2 and time.monotonic() - began >= AWAY_S
    assert any(answer.get("changed") for answer in answers), answers
    client.follow({"subject": 1, "object": 5})
    watcher.join()
    assert events[:3] == ["3", "4", "5"], events
    # The connections of before have ended: nothing is written to them.
    server("down")
    server("up")
    assert client.bind_email({"uid": 1, "email": "a@example.org"})["token"]
    client.close()


async def for_asyncio() -> None:
    async with AsyncClient(URL, token=TOKEN) as client:
        start = (await client.get_counts({"uid": 1}))["token"]
        events: list[str] = []

        async def watch() -> None:
            async for answer in client.watch({"uids": [1], "token": start}):
                events.extend(event["object"] for event in answer["events"])
                if len(events) >= 2:
                    return

        watcher = asyncio.create_task(watch())
        await client.follow({"subject": 1, "object": 6})
        await asyncio.to_thread(server, "down")
        try:
            await client.bind_email({"uid": 1, "email": "b@example.org"})
            raise AssertionError("nobody answers")
        except GuanxiError as error:
            assert error.unavailable
        calls = [client.get_counts({"uid": 1}), client.follow({"subject": 1, "object": 7})]
        tasks = [asyncio.create_task(call) for call in calls]
        await asyncio.sleep(AWAY_S)
        assert not any(task.done() for task in tasks)
        await asyncio.to_thread(server, "up")
        assert (await tasks[1])["changed"]
        await asyncio.gather(*tasks, watcher)
        assert events[:2] == ["6", "7"], events
        await asyncio.to_thread(server, "down")
        await asyncio.to_thread(server, "up")
        assert (await client.bind_email({"uid": 1, "email": "b@example.org"}))["token"]


blocking()
asyncio.run(for_asyncio())
print("all is well")
