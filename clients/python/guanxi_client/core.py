"""What both clients do: calls that are repeated where that does nothing twice, positions, logins, streams that resume.

It is written once, as coroutines that wait for nothing but their transport. With asyncio's transport they run in its
loop; with the blocking one they never wait, so that `run` has their result at once.
"""

from __future__ import annotations

import json
import random
import struct
from collections.abc import AsyncGenerator, Callable, Coroutine, Sequence
from contextlib import AbstractAsyncContextManager, aclosing
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from . import messages as m
from .errors import GuanxiError, error_of
from .exact import exact, exact_id
from .state import Dictionary, Positions, SessionTokens, Written

T = TypeVar("T")

# Tokens that are carried along at most: what the server takes in one request.
POSITIONS_MAX = 16
# How long before its end an access token is refreshed, at most; of short ones after three quarters of their time.
REFRESH_MARGIN_S = 60.0
# Ids of one ResolveIds: what the server takes.
RESOLVE_MAX = 1_000


class Stream(Protocol):
    """The answer to a call that answers again and again."""

    status: int

    async def some(self) -> bytes:
        """Returns the next bytes, none at the end. Raises GuanxiError when the connection breaks or says nothing."""

    async def close(self) -> None:
        """Ends the stream."""


class Transport(Protocol):
    """How a client waits."""

    async def ask(self, path: str, headers: dict[str, str], body: bytes, may_repeat: bool) -> tuple[int, bytes]:
        """Returns the status and the body of an answer. Raises GuanxiError when there is none."""

    async def open(self, path: str, headers: dict[str, str], body: bytes) -> Stream:
        """Opens a stream on a connection of its own."""

    async def sleep(self, seconds: float) -> None:
        """Waits."""

    def lock(self) -> AbstractAsyncContextManager[Any]:
        """Returns a lock for whoever shares the client."""


@dataclass(frozen=True)
class Options:
    """What clients are told when they are made."""

    on_session: Callable[[SessionTokens], None] | None
    timeout: float
    patience: float
    first_pause: float
    longest_pause: float
    external: bool
    now: Callable[[], float]
    clock: Callable[[], float]
    rand: random.Random


class Session:
    """A login that is refreshed before it ends, once for all who share it."""

    def __init__(self, core: Core, tokens: SessionTokens) -> None:
        self._core = core
        self._lock = core.transport.lock()
        self._hold(tokens)

    def _hold(self, tokens: SessionTokens) -> None:
        life = tokens.access_expires - self._core.options.now()
        self.tokens = tokens
        self._due = tokens.access_expires - min(REFRESH_MARGIN_S, life / 4)

    async def access(self, refused: str | None) -> str:
        """Returns an access token that holds, and is not the one that was refused."""
        async with self._lock:
            options = self._core.options
            if options.now() >= self._due or refused == self.tokens.access:
                request = {"refreshToken": self.tokens.refresh}
                # A lost answer may be asked for again within half a minute, so it is repeated like a read.
                path = "/guanxi.v1.UserService/RefreshSession"
                answer = await self._core.repeated(path, request, may_repeat=True, signed=False)
                self._hold(SessionTokens.of(answer))
                if options.on_session:
                    options.on_session(self.tokens)
            return self.tokens.access


class Core:
    """A caller of one server."""

    def __init__(
        self,
        transport: Transport,
        options: Options,
        dictionary: Dictionary,
        token: str | None = None,
        session: SessionTokens | None = None,
    ) -> None:
        self.transport, self.options, self.dictionary = transport, options, dictionary
        self.positions = Positions()
        self.written = Written(POSITIONS_MAX // 2)
        self._token = token
        self.session = Session(self, session) if session else None

    def called_by(self, token: str | None = None, session: SessionTokens | None = None) -> Core:
        """Returns another caller over the same connections, which has seen what this one has."""
        core = Core(self.transport, self.options, self.dictionary, token, session)
        core.positions.replace("", self.positions.joined())
        core.written = Written(POSITIONS_MAX // 2, self.written)
        return core

    async def call(self, path: str, request: Any, *, read: bool, id: bool, asks: str, tells: bool) -> Any:
        """Calls a method, again where that helps and does nothing twice."""
        message = exact(dict(request), _request_of(path))
        given = message.get("token", "")
        if id and not message.get("requestId"):
            message["requestId"] = f"{self.options.rand.getrandbits(128):032x}"
        asked = ""
        if asks:
            # A search waits for its index: for what was written alone, and not for what was only read.
            waits = asks == "written"
            asked = self.written.awaited_by(path, given) if waits else self.positions.joined(given)
            message["token"] = asked
        try:
            answer = await self.repeated(path, message, may_repeat=read or id)
        except GuanxiError as error:
            # The server was restored from a backup: what was seen before is of another history.
            if error.reason != "TOKEN_FROM_OTHER_HISTORY" or asked == given:
                raise
            self.positions.keep(0)
            self.written.forget()
            self.dictionary.clear()
            asked = message["token"] = given
            answer = await self.repeated(path, message, may_repeat=True)
        if asks == "written":
            self.written.included(path, asked)
        elif tells and not read:
            self.written.add(answer.get("token", ""))
        if tells and self.positions.replace(asked, answer.get("token", "")) >= POSITIONS_MAX:
            await self._make_few()
        return answer

    async def _make_few(self) -> None:
        """Makes one token of many, by a read that includes them all."""
        asked = self.positions.joined()
        request = {"uid": "1", "token": asked}
        try:
            answer = await self.repeated("/guanxi.v1.RelationService/GetCounts", request, may_repeat=True)
            self.positions.replace(asked, answer["token"])
        except GuanxiError:
            # A caller that may not even read counts: the newest have room.
            self.positions.keep(POSITIONS_MAX // 2)

    async def repeated(self, path: str, message: Any, *, may_repeat: bool, signed: bool = True) -> Any:
        """Asks until there is an answer, within the patience of the client. Without `signed` nobody calls."""
        refused = None
        tried, start = 0, self.options.clock()
        while True:
            carried = await self._carried(refused) if signed else None
            try:
                return await self._once(path, message, carried, may_repeat)
            except GuanxiError as error:
                tried += 1
                if error.code == "unauthenticated" and self.session and signed and refused is None:
                    refused = carried
                    continue
                again = error.refusal or (error.unavailable and may_repeat)
                left = self.options.patience - (self.options.clock() - start)
                pause = self._pause(tried, error, left) if again else None
                if pause is None:
                    raise
                await self.transport.sleep(pause)

    async def _carried(self, refused: str | None) -> str | None:
        return await self.session.access(refused) if self.session else self._token

    def _pause(self, tried: int, error: GuanxiError, left: float) -> float | None:
        """How long to wait before the next try; None when it is of no use. The last try is at the end of what is left."""
        options = self.options
        # All of it random, so that clients that broke off at once do not come back at once.
        pause = min(options.first_pause * 2 ** min(tried - 1, 16), options.longest_pause) * options.rand.random()
        if error.retry_after is not None:
            pause = error.retry_after + pause / 4
            return pause if pause <= min(options.longest_pause * 1.25, left) else None
        return min(pause, left) if left > 0 else None

    def _headers(self, kind: str, carried: str | None, *, as_they_are: bool = False) -> dict[str, str]:
        headers = {"content-type": kind, "connect-protocol-version": "1"}
        if carried:
            headers["authorization"] = f"Bearer {carried}"
        if self.options.external and not as_they_are:
            headers["guanxi-ids"] = "external"
        return headers

    async def _once(self, path: str, message: Any, carried: str | None, may_repeat: bool) -> Any:
        # The dictionary itself is asked in both kinds of ids.
        headers = self._headers("application/json", carried, as_they_are=path.endswith("/ResolveIds"))
        # The server gives up when we do, and not before.
        headers["connect-timeout-ms"] = str(round(self.options.timeout * 1000))
        status, text = await self.transport.ask(path, headers, json.dumps(message).encode(), may_repeat)
        if status != 200:
            raise error_of(status, text)
        return json.loads(text)

    async def uids_of(self, external_ids: Sequence[str], *, create: bool) -> dict[str, str]:
        """Returns the uids of ids that are known."""

        async def ask(batch: list[str]) -> list[str | None]:
            found = (await self._resolve({"externalIds": batch, "create": create}))["byExternalId"]
            return [one["uid"] if one.get("uid", "0") != "0" else None for one in found]

        return await self._learn(external_ids, self.dictionary.uid, ask, self.dictionary.put)

    async def external_ids_of(self, uids: Sequence[str | int]) -> list[str | None]:
        """Returns the ids of uids, in order."""
        asked = [exact_id(uid, f"uids[{at}]") for at, uid in enumerate(uids)]

        async def ask(batch: list[str]) -> list[str | None]:
            found = (await self._resolve({"uids": batch}))["byUid"]
            return [one.get("externalId") or None for one in found]

        def keep(uid: str, external_id: str) -> None:
            self.dictionary.put(external_id, uid)

        known = await self._learn(asked, self.dictionary.external_id, ask, keep)
        return [known.get(uid) for uid in asked]

    async def _learn(
        self,
        ids: Sequence[str],
        kept: Callable[[str], str | None],
        ask: Callable[[list[str]], Coroutine[Any, Any, list[str | None]]],
        keep: Callable[[str, str], None],
    ) -> dict[str, str]:
        """What is known of ids, the others asked for in batches, each once."""
        known, asked = {}, []
        for one in dict.fromkeys(ids):
            value = kept(one)
            if value is None:
                asked.append(one)
            else:
                known[one] = value
        for start in range(0, len(asked), RESOLVE_MAX):
            batch = asked[start : start + RESOLVE_MAX]
            values = await ask(batch)
            if len(values) != len(batch):
                raise GuanxiError("internal", "the server answered for another number of ids")
            for one, value in zip(batch, values):
                if value is not None:
                    known[one] = value
                    keep(one, value)
        return known

    async def _resolve(self, request: m.ResolveIdsRequest) -> m.ResolveIdsResponse:
        # A repeat changes nothing, even one that makes uids; and what is answered is not older than what was seen.
        path = "/guanxi.v1.UserService/ResolveIds"
        return await self.call(path, request, read=True, id=False, asks="seen", tells=True)

    async def resumed(self, path: str, given: Any, says: tuple[str, ...]) -> AsyncGenerator[Any, None]:
        """Yields the answers of a stream that say something, however often the connection breaks."""
        request = exact(given, _request_of(path))
        token = request.get("token", "")
        refused = carried = None
        tried = 0
        while True:
            try:
                carried = await self._carried(refused)
                async with aclosing(self._opened(path, {**request, "token": token}, carried)) as answers:
                    async for answer in answers:
                        self.positions.replace(token, answer["token"])
                        token, tried, refused = answer["token"], 0, None
                        if any(answer.get(name) for name in says):
                            yield answer
                raise GuanxiError("unavailable", "the stream ended")
            except GuanxiError as error:
                tried += 1
                if error.code == "unauthenticated" and self.session and refused is None:
                    refused = carried
                    continue
                # A stream waits for as long as its reader does.
                again = error.unavailable or error.refusal
                pause = self._pause(tried, error, float("inf")) if again else None
                if pause is None:
                    raise
                await self.transport.sleep(pause)

    async def _opened(self, path: str, message: Any, carried: str | None) -> AsyncGenerator[Any, None]:
        """Yields the answers of a stream, until it breaks."""
        body = json.dumps(message).encode()
        headers = self._headers("application/connect+json", carried)
        stream = await self.transport.open(path, headers, struct.pack(">BI", 0, len(body)) + body)
        try:
            read = b""
            if stream.status != 200:
                while some := await stream.some():
                    read += some
                raise error_of(stream.status, read)
            while some := await stream.some():
                read += some
                while len(read) >= 5 and len(read) >= 5 + (length := struct.unpack(">I", read[1:5])[0]):
                    flags, answer = read[0], json.loads(read[5 : 5 + length])
                    read = read[5 + length :]
                    if flags & 2:
                        if "error" in answer:
                            raise GuanxiError.of(answer["error"])
                        return
                    yield answer
        finally:
            await stream.close()


def _request_of(path: str) -> str:
    """The name of what a method takes."""
    return path.rsplit("/", 1)[1] + "Request"


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """Returns the result of a coroutine over the blocking transport, which never waits for a loop."""
    try:
        coroutine.send(None)
    except StopIteration as done:
        return done.value
    coroutine.close()
    raise RuntimeError("a coroutine of a blocking client waited")
