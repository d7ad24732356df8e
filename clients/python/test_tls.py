"""Both clients over TLS: connections are kept, and a certificate of somebody else is told of at once."""

import asyncio
import http.client
import os
import ssl

from guanxi_client import AsyncClient, Client, GuanxiError

URL = os.environ["API_URL"]
trusted = ssl.create_default_context(cafile=os.environ["CA"])
opened = {"blocking": 0, "asyncio": 0}


def counted(kind, function):
    def call(*given, **named):
        opened[kind] += 1
        return function(*given, **named)

    return call


http.client.HTTPSConnection.connect = counted("blocking", http.client.HTTPSConnection.connect)
asyncio.open_connection = counted("asyncio", asyncio.open_connection)


def slept(seconds: float) -> None:
    raise AssertionError("it was tried again")


async def for_asyncio() -> None:
    async with AsyncClient(URL, tls=trusted) as client:
        for at in range(30):
            assert (await client.follow({"subject": 2, "object": 100 + at}))["changed"]
        start = (await client.get_counts({"uid": 2}))["token"]
        await client.follow({"subject": 2, "object": 200})
        assert [event["object"] for event in (await anext(client.watch({"token": start})))["events"]] == ["200"]
    try:
        await AsyncClient(URL, sleep=slept).get_counts({"uid": 1})
        raise AssertionError("anybody is trusted")
    except GuanxiError as error:
        assert "certificate" in str(error).lower(), error


with Client(URL, tls=trusted) as client:
    for at in range(30):
        assert client.follow({"subject": 1, "object": 100 + at})["changed"]
    start = client.get_counts({"uid": 1})["token"]
    client.follow({"subject": 1, "object": 200})
    news = client.watch({"token": start})
    assert [event["object"] for event in next(news)["events"]] == ["200"]
    news.close()
try:
    Client(URL, sleep=slept).get_counts({"uid": 1})
    raise AssertionError("anybody is trusted")
except GuanxiError as error:
    assert "certificate" in str(error).lower(), error
asyncio.run(for_asyncio())
# One for calls, one for the stream, one that was not trusted.
assert opened == {"blocking": 3, "asyncio": 3}, opened
print("all is well")
