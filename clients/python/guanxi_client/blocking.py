"""How the blocking client waits: kept connections, which threads share."""

from __future__ import annotations

import http.client
import os
import selectors
import ssl
import threading
import time
import weakref
from collections.abc import Callable
from typing import Any
from urllib.parse import SplitResult

from .errors import GuanxiError, broken

# How long a stream may say nothing: the server sends an empty message every 15 seconds.
SILENCE_MAX_S = 40.0
# How long a connection is kept without a call: less than the server keeps it (`head_timeout_s`, 30).
IDLE_MAX_S = 20.0
# How a connection fails that the other side has closed.
ENDED = (ConnectionError, ssl.SSLEOFError, ssl.SSLZeroReturnError)

_Selector = getattr(selectors, "PollSelector", selectors.SelectSelector)


class Lock:
    """A lock of threads, in the form of asyncio's."""

    def __init__(self) -> None:
        self._lock = threading.Lock()

    async def __aenter__(self) -> None:
        self._lock.acquire()

    async def __aexit__(self, *_: object) -> None:
        self._lock.release()


def _close_all(kept: list[tuple[float, http.client.HTTPConnection]]) -> None:
    while kept:
        kept.pop()[1].close()


def _has_ended(connection: http.client.HTTPConnection) -> bool:
    """Whether there is something to read though nothing was asked: the end, or an error."""
    if connection.sock is None:
        return True
    with _Selector() as selector:
        selector.register(connection.sock, selectors.EVENT_READ)
        return bool(selector.select(0))


class Connections:
    """Connections to one server, of which the idle ones are kept for the next call."""

    def __init__(
        self,
        parts: SplitResult,
        tls: ssl.SSLContext | None,
        timeout: float,
        kept_max: int,
        clock: Callable[[], float],
        sleep: Callable[[float], Any] | None,
    ) -> None:
        self._parts, self._tls, self._timeout, self._kept_max = parts, tls, timeout, kept_max
        self._clock, self._sleep = clock, sleep or time.sleep
        if parts.scheme == "https" and tls is None:
            # One context for all: making it reads the machine's certificates each time.
            self._tls = ssl.create_default_context()
        self._lock = threading.Lock()
        # Each with the time of its last call; the latest is used first, so that those too many grow old.
        self._kept: list[tuple[float, http.client.HTTPConnection]] = []
        self._process = os.getpid()
        weakref.finalize(self, _close_all, self._kept)

    def lock(self) -> Lock:
        """Returns a lock of threads."""
        return Lock()

    async def sleep(self, seconds: float) -> None:
        """Holds the thread up."""
        self._sleep(seconds)

    def close(self) -> None:
        """Closes the connections that are idle. The next call opens one."""
        with self._lock:
            _close_all(self._kept)

    def _new(self, timeout: float) -> http.client.HTTPConnection:
        host, port = self._parts.hostname or "", self._parts.port
        if self._parts.scheme == "https":
            return http.client.HTTPSConnection(host, port, timeout=timeout, context=self._tls)
        return http.client.HTTPConnection(host, port, timeout=timeout)

    def _take(self) -> http.client.HTTPConnection | None:
        """Takes a connection that was kept and has not ended meanwhile."""
        with self._lock:
            if self._process != os.getpid():
                # A fork has the sockets of its parent, which goes on using them.
                self._process = os.getpid()
                _close_all(self._kept)
            while self._kept:
                last, connection = self._kept.pop()
                if self._clock() - last < IDLE_MAX_S and not _has_ended(connection):
                    return connection
                connection.close()
        return None

    def _keep(self, connection: http.client.HTTPConnection) -> None:
        with self._lock:
            if len(self._kept) < self._kept_max and connection.sock is not None:
                self._kept.append((self._clock(), connection))
                return
        connection.close()

    def _send(
        self, connection: http.client.HTTPConnection, path: str, headers: dict[str, str], body: bytes
    ) -> http.client.HTTPResponse:
        connection.request("POST", self._parts.path.rstrip("/") + path, body, headers)
        return connection.getresponse()

    async def ask(self, path: str, headers: dict[str, str], body: bytes, may_repeat: bool) -> tuple[int, bytes]:
        """Returns the status and the body of an answer."""
        kept = self._take()
        if kept is not None:
            try:
                return self._exchange(kept, path, headers, body)
            except ENDED as error:
                # The server may have closed it just when we wrote. What became of the call is not known.
                if not may_repeat:
                    raise broken(error) from error
        try:
            return self._exchange(self._new(self._timeout), path, headers, body)
        except ENDED as error:
            raise broken(error) from error

    def _exchange(
        self, connection: http.client.HTTPConnection, path: str, headers: dict[str, str], body: bytes
    ) -> tuple[int, bytes]:
        is_whole = False
        try:
            answer = self._send(connection, path, headers, body)
            text = answer.read()
            is_whole = not answer.will_close
            return answer.status, text
        except ENDED:
            raise
        except TimeoutError as error:
            raise GuanxiError("deadline_exceeded", "no answer came in time") from error
        except (OSError, http.client.HTTPException) as error:
            raise broken(error) from error
        finally:
            if is_whole:
                self._keep(connection)
            else:
                connection.close()

    async def open(self, path: str, headers: dict[str, str], body: bytes) -> BlockingStream:
        """Opens a stream on a connection of its own."""
        connection = self._new(SILENCE_MAX_S)
        try:
            return BlockingStream(connection, self._send(connection, path, headers, body))
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            raise broken(error) from error


class BlockingStream:
    """A stream whose reader holds its thread up."""

    def __init__(self, connection: http.client.HTTPConnection, answer: http.client.HTTPResponse) -> None:
        self._connection, self._answer = connection, answer
        self.status = answer.status

    async def some(self) -> bytes:
        """Returns the next bytes, none at the end."""
        try:
            return self._answer.read1()
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise broken(error) from error

    async def close(self) -> None:
        """Closes the connection."""
        self._answer.close()
        self._connection.close()
