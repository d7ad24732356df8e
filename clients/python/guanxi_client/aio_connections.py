"""How the client for asyncio waits: HTTP/1.1 over kept connections of asyncio."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable
from typing import Any
from urllib.parse import SplitResult

from .blocking import ENDED, IDLE_MAX_S, SILENCE_MAX_S
from .errors import GuanxiError, broken

# Bytes of an answer's head, and of a line between its pieces: the server's are a few hundred.
HEAD_MAX = 64 << 10
# Bytes that are read at once.
PIECE = 64 << 10
# What a connection may fail with besides its end: an answer that is none, or too long a line of it.
WRONG = (OSError, EOFError, ValueError, asyncio.LimitOverrunError)


class _Answer:
    """An answer whose head was read."""

    def __init__(self, reader: asyncio.StreamReader, head: bytes) -> None:
        first, *lines = head.decode("latin-1").split("\r\n")
        version, status, *_ = first.split(" ", 2)
        self.status = int(status)
        headers = {}
        for line in lines:
            name, colon, value = line.partition(":")
            if colon:
                headers[name.strip().lower()] = value.strip().lower()
        self._reader = reader
        self._is_chunked = "chunked" in headers.get("transfer-encoding", "")
        length = headers.get("content-length")
        # Bytes that are left of the body, or of its piece; None when it ends with the connection.
        self._left = 0 if self._is_chunked else None if length is None else int(length)
        self._is_over = self._left == 0 and not self._is_chunked
        says_close = "close" in headers.get("connection", "")
        self.may_stay = version == "HTTP/1.1" and not says_close and (self._is_chunked or length is not None)

    async def some(self) -> bytes:
        """Returns the next bytes of the body, none at the end."""
        if self._is_chunked and not self._is_over and self._left == 0:
            await self._next_piece()
        if self._is_over:
            return b""
        some = await self._reader.read(PIECE if self._left is None else min(PIECE, self._left))
        if self._left is None:
            return some
        if not some:
            raise EOFError("the answer is cut off")
        self._left -= len(some)
        if self._left == 0:
            if self._is_chunked:
                await self._reader.readexactly(2)
            else:
                self._is_over = True
        return some

    async def _next_piece(self) -> None:
        line = await self._reader.readuntil(b"\r\n")
        self._left = int(line.split(b";")[0], 16)
        if self._left == 0:
            self._is_over = True
            while await self._reader.readuntil(b"\r\n") != b"\r\n":
                pass  # A trailer.

    async def whole(self) -> bytes:
        """Returns the whole body."""
        pieces = []
        while some := await self.some():
            pieces.append(some)
        return b"".join(pieces)


class _Connection:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    def has_ended(self) -> bool:
        return self._reader.at_eof() or self._reader.exception() is not None or self._writer.is_closing()

    async def send(self, head: str, body: bytes) -> _Answer:
        self._writer.write(head.encode("latin-1") + body)
        await self._writer.drain()
        while True:
            try:
                answer = _Answer(self._reader, await self._reader.readuntil(b"\r\n\r\n"))
            except asyncio.IncompleteReadError as error:
                raise ConnectionResetError("the connection was closed without an answer") from error
            if answer.status >= 200:
                return answer

    def close(self) -> None:
        self._writer.close()


class AsyncConnections:
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
        self._parts, self._timeout, self._kept_max = parts, timeout, kept_max
        self._clock, self.sleep = clock, sleep or asyncio.sleep
        self._tls = (tls or ssl.create_default_context()) if parts.scheme == "https" else None
        # Each with the time of its last call; the latest is used first, so that those too many grow old.
        self._kept: list[tuple[float, _Connection]] = []
        self._loop: asyncio.AbstractEventLoop | None = None

    def lock(self) -> asyncio.Lock:
        """Returns a lock of tasks."""
        return asyncio.Lock()

    async def close(self) -> None:
        """Closes the connections that are idle. The next call opens one."""
        kept, self._kept = self._kept, []
        for _, connection in kept:
            connection.close()
        # Sockets close in the loop's next turn.
        await asyncio.sleep(0)

    async def _new(self) -> _Connection:
        host, port = self._parts.hostname or "", self._parts.port or (443 if self._tls else 80)
        return _Connection(*await asyncio.open_connection(host, port, ssl=self._tls, limit=HEAD_MAX))

    def _take(self) -> _Connection | None:
        if self._loop is not asyncio.get_running_loop():
            # Those of a loop that has ended are of no use in this one.
            self._loop, self._kept = asyncio.get_running_loop(), []
        while self._kept:
            last, connection = self._kept.pop()
            if self._clock() - last < IDLE_MAX_S and not connection.has_ended():
                return connection
            connection.close()
        return None

    def _keep(self, connection: _Connection) -> None:
        if len(self._kept) < self._kept_max:
            self._kept.append((self._clock(), connection))
        else:
            connection.close()

    def _head(self, path: str, headers: dict[str, str], body: bytes) -> str:
        target = self._parts.path.rstrip("/") + path
        # Without a name and password, which are no part of a host.
        host = self._parts.netloc.rpartition("@")[2]
        fields = {"host": host, "content-length": str(len(body)), **headers}
        if any("\r" in value or "\n" in value for value in fields.values()):
            raise ValueError("a token is one line")
        return f"POST {target} HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in fields.items()) + "\r\n"

    async def ask(self, path: str, headers: dict[str, str], body: bytes, may_repeat: bool) -> tuple[int, bytes]:
        """Returns the status and the body of an answer."""
        head = self._head(path, headers, body)
        try:
            async with asyncio.timeout(self._timeout):
                kept = self._take()
                if kept is not None:
                    try:
                        return await self._exchange(kept, head, body)
                    except ENDED:
                        # The server may have closed it just when we wrote. What became of the call is not known.
                        if not may_repeat:
                            raise
                return await self._exchange(await self._new(), head, body)
        except TimeoutError as error:
            raise GuanxiError("deadline_exceeded", "no answer came in time") from error
        except WRONG as error:
            raise broken(error) from error

    async def _exchange(self, connection: _Connection, head: str, body: bytes) -> tuple[int, bytes]:
        is_whole = False
        try:
            answer = await connection.send(head, body)
            text = await answer.whole()
            is_whole = answer.may_stay
            return answer.status, text
        finally:
            # A call that was cancelled is not whole, either.
            if is_whole:
                self._keep(connection)
            else:
                connection.close()

    async def open(self, path: str, headers: dict[str, str], body: bytes) -> AsyncStream:
        """Opens a stream on a connection of its own."""
        head = self._head(path, headers, body)
        connection = None
        try:
            async with asyncio.timeout(SILENCE_MAX_S):
                connection = await self._new()
                return AsyncStream(connection, await connection.send(head, body))
        except BaseException as error:
            if connection is not None:
                connection.close()
            if isinstance(error, WRONG):
                raise broken(error) from error
            raise


class AsyncStream:
    """A stream whose reader lets others have their turn."""

    def __init__(self, connection: _Connection, answer: _Answer) -> None:
        self._connection, self._answer = connection, answer
        self.status = answer.status

    async def some(self) -> bytes:
        """Returns the next bytes, none at the end."""
        try:
            async with asyncio.timeout(SILENCE_MAX_S):
                return await self._answer.some()
        except WRONG as error:
            raise broken(error) from error

    async def close(self) -> None:
        """Closes the connection."""
        self._connection.close()
