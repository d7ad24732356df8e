"""The client for asyncio."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from typing import Any, Self

from . import messages as m
from .aio_calls import AsyncCalls
from .aio_connections import AsyncConnections
from .base import Base
from .state import SessionTokens


class AsyncClient(Base, AsyncCalls):
    """A client for asyncio. `Base` says what it can be told.

    Tasks of one event loop may share it, and what is made from it. Connections are kept for later calls: `close`, or
    `async with`, closes them.
    """

    def _transport(self, *options: Any) -> AsyncConnections:
        self._connections = AsyncConnections(*options)
        return self._connections

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the connections that are idle, also those of clients that were made from this one."""
        await self._connections.close()

    async def call(self, path: str, request: Any, *, read: bool, id: bool, asks: str, tells: bool) -> Any:
        return await self._core.call(path, request, read=read, id=id, asks=asks, tells=tells)

    async def sign_in(self, request: m.LoginRequest) -> Self:
        """Logs a user in, and returns a client that calls as that user."""
        return self.with_session(SessionTokens.of(await self.login(request)))

    async def uids_of(self, external_ids: Sequence[str]) -> list[str | None]:
        """Returns the uids of ids of yours, in order; None for one that nobody has. For services. What this client, or one
        that was made from it, has been told before is not asked again; that nobody has an id is asked each time."""
        known = await self._core.uids_of(external_ids, create=False)
        return [known.get(one) for one in external_ids]

    async def make_uids(self, external_ids: Sequence[str]) -> list[str]:
        """Returns the uids of ids of yours, in order; those that there are not are made. For services with user.write."""
        known = await self._core.uids_of(external_ids, create=True)
        return [known[one] for one in external_ids]

    async def external_ids_of(self, uids: Sequence[str | int]) -> list[str | None]:
        """Returns your ids of uids, in order; None for one that was not made for an id of yours. For services."""
        return await self._core.external_ids_of(uids)

    def watch(self, request: m.WatchRequest | None = None) -> AsyncGenerator[m.WatchResponse, None]:
        """Yields the changes of relations after a position, without gap or repeat, however often the connection breaks."""
        return self._core.resumed("/guanxi.v1.RelationService/Watch", request or {}, ("events",))

    def stream_home(self, request: m.StreamHomeTimelineRequest | None = None) -> AsyncGenerator[m.HomeNews, None]:
        """Yields what becomes new in a home after the position of a page; `reset` asks to read the first page again."""
        path = "/guanxi.v1.FeedService/StreamHomeTimeline"
        return self._core.resumed(path, request or {}, ("postIds", "reset"))
