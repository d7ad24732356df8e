"""Calls that are repeated where that helps and does nothing twice, positions that are carried along, logins that are
kept alive, and streams that go on after a break."""

from __future__ import annotations

import http.client
import json
import random
import ssl
import struct
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from . import messages as m
from .calls import Calls
from .exact import exact, exact_id

# Tokens that are carried along at most: what the server takes in one request.
POSITIONS_MAX = 16
# How long a stream may say nothing: the server sends an empty message every 15 seconds.
SILENCE_MAX_S = 40.0
# How long before its end an access token is refreshed, at most; of short ones after three quarters of their time.
REFRESH_MARGIN_S = 60.0
# Ids of one ResolveIds: what the server takes.
RESOLVE_MAX = 1_000
# Pairs of ids that a client keeps unless it is told otherwise: some 20 MB of UUIDs.
EXTERNAL_IDS_KEPT = 65_536
# What was refused for want of room, before anything was done.
REFUSALS = frozenset({"OVERLOADED", "RATE_LIMITED", "TOO_MANY_CALLS", "TOO_MANY_STREAMS"})


class GuanxiError(Exception):
    """Why a call failed: `reason` never changes, the text is for people."""

    def __init__(
        self,
        code: str,
        message: str,
        reason: str = "",
        metadata: dict[str, str] | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(f"{reason}: {message}" if reason else message)
        self.code = code
        self.reason = reason
        self.metadata = metadata or {}
        self.retry_after = retry_after

    @staticmethod
    def of(error: dict[str, Any]) -> GuanxiError:
        """Reads an error as the API writes it."""
        shown = {detail.get("type"): detail.get("debug") or {} for detail in error.get("details", [])}
        info = shown.get("google.rpc.ErrorInfo", {})
        delay = shown.get("google.rpc.RetryInfo", {}).get("retryDelay")
        retry_after = None if delay is None else float(delay.rstrip("s"))
        code, message = error.get("code", "unknown"), error.get("message", "")
        return GuanxiError(code, message, info.get("reason", ""), info.get("metadata"), retry_after)

    @property
    def unavailable(self) -> bool:
        """Whether it may be tried again though it is not known what became of it."""
        return self.code == "unavailable"

    @property
    def refusal(self) -> bool:
        """Whether the server refused it before it began, for want of room."""
        return self.reason in REFUSALS


@dataclass(frozen=True)
class SessionTokens:
    """The secrets of a login. They are no less than the user's password."""

    access: str = field(repr=False)
    # When `access` is no longer taken, in Unix seconds.
    access_expires: float
    refresh: str = field(repr=False)

    @staticmethod
    def of(answer: m.LoginResponse) -> SessionTokens:
        expires = datetime.fromisoformat(answer["accessExpireTime"].replace("Z", "+00:00"))
        return SessionTokens(answer["accessToken"], expires.timestamp(), answer["refreshToken"])


class _Positions:
    """Positions of which none is known to include another. Tokens are opaque: a read's answer includes what it asked."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.tokens: list[str] = []

    def joined(self, more: str = "") -> str:
        with self.lock:
            return ".".join(dict.fromkeys(self.tokens + [one for one in more.split(".") if one]))

    def replace(self, asked: str, token: str) -> int:
        with self.lock:
            if token:
                gone = set(asked.split(".")) | set(token.split("."))
                self.tokens = [one for one in self.tokens if one not in gone]
                self.tokens += [one for one in token.split(".") if one]
            return len(self.tokens)

    def keep(self, newest: int) -> None:
        with self.lock:
            self.tokens = self.tokens[len(self.tokens) - newest :] if newest else []


class _Dictionary:
    """Pairs of external id and uid that were told. The one that was not asked for the longest is the first to go."""

    def __init__(self, limit: int) -> None:
        self.lock = threading.Lock()
        self.limit = limit
        self.clear()

    def clear(self) -> None:
        with self.lock:
            # Dictionaries are in the order in which their keys came.
            self.uids: dict[str, str] = {}
            self.ids: dict[str, str] = {}

    def uid(self, external_id: str) -> str | None:
        with self.lock:
            uid = self.uids.get(external_id)
            if uid is not None:
                self._put(external_id, uid)
            return uid

    def external_id(self, uid: str) -> str | None:
        with self.lock:
            external_id = self.ids.get(uid)
            if external_id is not None:
                self._put(external_id, uid)
            return external_id

    def put(self, external_id: str, uid: str) -> None:
        with self.lock:
            self._put(external_id, uid)

    def forget(self, uid: str) -> None:
        with self.lock:
            self._forget(uid)

    def _put(self, external_id: str, uid: str) -> None:
        self._forget(uid)
        if self.limit > 0:
            self.uids[external_id], self.ids[uid] = uid, external_id
        if len(self.ids) > self.limit:
            self._forget(next(iter(self.ids)))

    def _forget(self, uid: str) -> None:
        external_id = self.ids.pop(uid, None)
        if external_id is not None:
            self.uids.pop(external_id, None)


class _Session:
    """A login that is refreshed before it ends, once for all threads."""

    def __init__(self, client: Client, tokens: SessionTokens) -> None:
        self.client = client
        self.lock = threading.Lock()
        self.hold(tokens)

    def hold(self, tokens: SessionTokens) -> None:
        life = tokens.access_expires - self.client.now()
        self.tokens = tokens
        self.due = tokens.access_expires - min(REFRESH_MARGIN_S, life / 4)

    def access(self, refused: str | None) -> str:
        with self.lock:
            if self.client.now() >= self.due or refused == self.tokens.access:
                request = {"refreshToken": self.tokens.refresh}
                # A lost answer may be asked for again within half a minute, so it is repeated like a read.
                path = "/guanxi.v1.UserService/RefreshSession"
                self.hold(SessionTokens.of(self.client._repeated(path, request, may_repeat=True)))
                if self.client.on_session:
                    self.client.on_session(self.tokens)
            return self.tokens.access


class Client(Calls):
    """A client of one server, for one caller. Threads may share it."""

    def __init__(
        self,
        url: str,
        *,
        token: str | None = None,
        session: SessionTokens | None = None,
        on_session: Callable[[SessionTokens], None] | None = None,
        timeout: float = 5.0,
        tries: int = 5,
        first_pause: float = 0.1,
        longest_pause: float = 5.0,
        external_ids_kept: int = EXTERNAL_IDS_KEPT,
        tls: ssl.SSLContext | None = None,
        now: Callable[[], float] = time.time,
        rand: random.Random | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"an address begins with http:// or https:// and a host: {url}")
        self.on_session, self.now, self._sleep = on_session, now, sleep
        self._parts, self._tls, self._timeout = parts, tls, timeout
        self._tries, self._first, self._longest = tries, first_pause, longest_pause
        self._random = rand or random.SystemRandom()
        self._token = token
        self._positions = _Positions()
        self._dictionary = _Dictionary(external_ids_kept)
        self._options: dict[str, Any] = {
            "on_session": on_session, "timeout": timeout, "tries": tries, "first_pause": first_pause,
            "longest_pause": longest_pause, "external_ids_kept": external_ids_kept, "tls": tls, "now": now,
            "rand": rand, "sleep": sleep,
        }
        self._url = url
        self._session = _Session(Client(url, **self._options), session) if session else None

    def with_token(self, token: str) -> Client:
        """Returns a client that calls with a token, and has seen what this one has."""
        return self._called_by(token=token)

    def with_session(self, session: SessionTokens) -> Client:
        """Returns a client that calls as the user of a login, which it keeps alive."""
        return self._called_by(session=session)

    def _called_by(self, **credential: Any) -> Client:
        client = Client(self._url, **self._options, **credential)
        client.take_in(self.position())
        client._dictionary = self._dictionary
        return client

    def sign_in(self, request: m.LoginRequest) -> Client:
        """Logs a user in, and returns a client that calls as that user."""
        return self.with_session(SessionTokens.of(self.login(request)))

    def session(self) -> SessionTokens | None:
        """Returns the secrets of the login as they are now, to go on with later."""
        return self._session.tokens if self._session else None

    def position(self) -> str:
        """Returns the position of all that this client has seen, as one token."""
        return self._positions.joined()

    def take_in(self, position: str) -> None:
        """Takes in what another client has seen."""
        self._positions.replace("", position)

    def call(self, path: str, request: Any, *, read: bool, id: bool, asks: bool, tells: bool) -> Any:
        message = exact(dict(request), _request_of(path))
        given = message.get("token", "")
        if id and not message.get("requestId"):
            message["requestId"] = f"{self._random.getrandbits(128):032x}"
        asked = ""
        if asks:
            asked = message["token"] = self._positions.joined(given)
        try:
            answer = self._repeated(path, message, may_repeat=read or id)
        except GuanxiError as error:
            # The server was restored from a backup: what was seen before is of another history.
            if error.reason != "TOKEN_FROM_OTHER_HISTORY" or asked == given:
                raise
            self._positions.keep(0)
            self._dictionary.clear()
            asked = message["token"] = given
            answer = self._repeated(path, message, may_repeat=True)
        if tells and self._positions.replace(asked, answer.get("token", "")) >= POSITIONS_MAX:
            self._make_few()
        return answer

    def _make_few(self) -> None:
        """Makes one token of many, by a read that includes them all."""
        asked = self.position()
        request = {"uid": "1", "token": asked}
        try:
            answer = self._repeated("/guanxi.v1.RelationService/GetCounts", request, may_repeat=True)
            self._positions.replace(asked, answer["token"])
        except GuanxiError:
            # A caller that may not even read counts: the newest have room.
            self._positions.keep(POSITIONS_MAX // 2)

    def _pause(self, tried: int, error: GuanxiError) -> float | None:
        # All of it random, so that clients that broke off at once do not come back at once.
        pause = min(self._first * 2 ** min(tried - 1, 16), self._longest) * self._random.random()
        if error.retry_after is not None:
            pause = error.retry_after + pause / 4
        return pause if pause <= self._longest * 1.25 else None

    def _repeated(self, path: str, message: Any, *, may_repeat: bool) -> Any:
        refused = None
        tried = 0
        while True:
            carried = self._session.access(refused) if self._session else self._token
            try:
                return self._once(path, message, carried)
            except GuanxiError as error:
                tried += 1
                if error.code == "unauthenticated" and self._session and refused is None:
                    refused = carried
                    continue
                again = error.refusal or (error.unavailable and may_repeat)
                pause = self._pause(tried, error) if again and tried < self._tries else None
                if pause is None:
                    raise
                self._sleep(pause)

    def _connect(self, timeout: float) -> http.client.HTTPConnection:
        host, port = self._parts.hostname or "", self._parts.port
        if self._parts.scheme == "https":
            return http.client.HTTPSConnection(host, port, timeout=timeout, context=self._tls)
        return http.client.HTTPConnection(host, port, timeout=timeout)

    def _ask(
        self, connection: http.client.HTTPConnection, path: str, kind: str, body: bytes, carried: str | None
    ) -> http.client.HTTPResponse:
        headers = {"content-type": kind, "connect-protocol-version": "1"}
        if carried:
            headers["authorization"] = f"Bearer {carried}"
        connection.request("POST", self._parts.path.rstrip("/") + path, body, headers)
        return connection.getresponse()

    def _once(self, path: str, message: Any, carried: str | None) -> Any:
        connection = self._connect(self._timeout)
        try:
            body = json.dumps(message).encode()
            answer = self._ask(connection, path, "application/json", body, carried)
            text = answer.read()
        except TimeoutError as error:
            raise GuanxiError("deadline_exceeded", "no answer came in time") from error
        except (OSError, http.client.HTTPException) as error:
            raise GuanxiError("unavailable", str(error) or type(error).__name__) from error
        finally:
            connection.close()
        if answer.status != 200:
            raise _error_of(answer.status, text)
        return json.loads(text)

    def uids_of(self, external_ids: Sequence[str]) -> list[str | None]:
        """Returns the uids of ids of yours, in order; None for one that nobody has. For services. What this client, or one
        that was made from it, has been told before is not asked again; that nobody has an id is asked each time."""
        known = self._learn_uids(external_ids, create=False)
        return [known.get(one) for one in external_ids]

    def make_uids(self, external_ids: Sequence[str]) -> list[str]:
        """Returns the uids of ids of yours, in order; those that there are not are made. For services with user.write."""
        known = self._learn_uids(external_ids, create=True)
        return [known[one] for one in external_ids]

    def external_ids_of(self, uids: Sequence[str | int]) -> list[str | None]:
        """Returns your ids of uids, in order; None for one that was not made for an id of yours. For services."""
        asked = [exact_id(uid, f"uids[{at}]") for at, uid in enumerate(uids)]

        def ask(batch: list[str]) -> list[str | None]:
            found = self._resolve({"uids": batch})["byUid"]
            return [one.get("externalId") or None for one in found]

        def keep(uid: str, external_id: str) -> None:
            self._dictionary.put(external_id, uid)

        known = self._learn(asked, self._dictionary.external_id, ask, keep)
        return [known.get(uid) for uid in asked]

    def forget_external_id(self, uid: str | int) -> None:
        """Forgets the id of a user who is being erased: a new user may have it one day, with another uid."""
        self._dictionary.forget(exact_id(uid, "uid"))

    def _learn_uids(self, external_ids: Sequence[str], create: bool) -> dict[str, str]:
        def ask(batch: list[str]) -> list[str | None]:
            found = self._resolve({"externalIds": batch, "create": create})["byExternalId"]
            return [one["uid"] if one.get("uid", "0") != "0" else None for one in found]

        return self._learn(external_ids, self._dictionary.uid, ask, self._dictionary.put)

    def _learn(
        self,
        ids: Sequence[str],
        kept: Callable[[str], str | None],
        ask: Callable[[list[str]], list[str | None]],
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
            values = ask(batch)
            if len(values) != len(batch):
                raise GuanxiError("internal", "the server answered for another number of ids")
            for one, value in zip(batch, values):
                if value is not None:
                    known[one] = value
                    keep(one, value)
        return known

    def _resolve(self, request: m.ResolveIdsRequest) -> m.ResolveIdsResponse:
        # A repeat changes nothing, even one that makes uids; and what is answered is not older than what was seen.
        path = "/guanxi.v1.UserService/ResolveIds"
        return self.call(path, request, read=True, id=False, asks=True, tells=True)

    def watch(self, request: m.WatchRequest | None = None) -> Iterator[m.WatchResponse]:
        """Yields the changes of relations after a position, without gap or repeat, however often the connection breaks."""
        return self._resumed("/guanxi.v1.RelationService/Watch", request or {}, ("events",))

    def stream_home(self, request: m.StreamHomeTimelineRequest | None = None) -> Iterator[m.HomeNews]:
        """Yields what becomes new in a home after the position of a page; `reset` asks to read the first page again."""
        return self._resumed("/guanxi.v1.FeedService/StreamHomeTimeline", request or {}, ("postIds", "reset"))

    def _resumed(self, path: str, given: Any, says: tuple[str, ...]) -> Iterator[Any]:
        request = exact(given, _request_of(path))
        token = request.get("token", "")
        refused = carried = None
        tried = 0
        while True:
            try:
                carried = self._session.access(refused) if self._session else self._token
                for answer in self._opened(path, {**request, "token": token}, carried):
                    self._positions.replace(token, answer["token"])
                    token, tried, refused = answer["token"], 0, None
                    if any(answer.get(name) for name in says):
                        yield answer
                raise GuanxiError("unavailable", "the stream ended")
            except GuanxiError as error:
                tried += 1
                if error.code == "unauthenticated" and self._session and refused is None:
                    refused = carried
                    continue
                pause = self._pause(tried, error) if error.unavailable or error.refusal else None
                if pause is None:
                    raise
                self._sleep(pause)

    def _opened(self, path: str, message: Any, carried: str | None) -> Iterator[Any]:
        """Yields the answers of a stream, until it breaks."""
        connection = self._connect(SILENCE_MAX_S)
        try:
            body = json.dumps(message).encode()
            body = struct.pack(">BI", 0, len(body)) + body
            answer = self._ask(connection, path, "application/connect+json", body, carried)
            if answer.status != 200:
                raise _error_of(answer.status, answer.read())
            while True:
                head = answer.read(5)
                if len(head) < 5:
                    return
                flags, length = struct.unpack(">BI", head)
                read = json.loads(answer.read(length))
                if flags & 2:
                    if "error" in read:
                        raise GuanxiError.of(read["error"])
                    return
                yield read
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise GuanxiError("unavailable", str(error) or type(error).__name__) from error
        finally:
            connection.close()


def _request_of(path: str) -> str:
    """The name of what a method takes."""
    return path.rsplit("/", 1)[1] + "Request"


def _error_of(status: int, text: bytes) -> GuanxiError:
    try:
        error = json.loads(text)
        if "code" in error:
            return GuanxiError.of(error)
    except (ValueError, TypeError):
        pass  # What is between us and the server has answered.
    code = "unavailable" if status in (429, 502, 503, 504) else "unknown"
    return GuanxiError(code, f"HTTP status {status}")
