"""The client that holds its thread up while it waits."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator, Sequence
from typing import Any, Self

from . import messages as m
from .base import Base
from .blocking import Connections
from .calls import Calls
from .core import run
from .state import SessionTokens


class Client(Base, Calls):
    """A client that holds its thread up while it waits. `Base` says what it can be told.

    Threads may share it, and what is made from it. Connections are kept for later calls: `close`, or `with`, closes them.
    """

    def _transport(self, *options: Any) -> Connections:
        self._connections = Connections(*options)
        return self._connections

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections that are idle, also those of clients that were made from this one."""
        self._connections.close()

    def call(self, path: str, request: Any, *, read: bool, id: bool, asks: str, tells: bool) -> Any:
        return run(self._core.call(path, request, read=read, id=id, asks=asks, tells=tells))

    def sign_in(self, request: m.LoginRequest) -> Self:
        """Logs a user in, and returns a client that calls as that user."""
        return self.with_session(SessionTokens.of(self.login(request)))

    def uids_of(self, external_ids: Sequence[str]) -> list[str | None]:
        """Returns the uids of ids of yours, in order; None for one that nobody has. For services. What this client, or one
        that was made from it, has been told before is not asked again; that nobody has an id is asked each time."""
        known = run(self._core.uids_of(external_ids, create=False))
        return [known.get(one) for one in external_ids]

    def make_uids(self, external_ids: Sequence[str]) -> list[str]:
        """Returns the uids of ids of yours, in order; those that there are not are made. For services with user.write."""
        known = run(self._core.uids_of(external_ids, create=True))
        return [known[one] for one in external_ids]

    def external_ids_of(self, uids: Sequence[str | int]) -> list[str | None]:
        """Returns your ids of uids, in order; None for one that was not made for an id of yours. For services."""
        return run(self._core.external_ids_of(uids))

    def watch(self, request: m.WatchRequest | None = None) -> Iterator[m.WatchResponse]:
        """Yields the changes of relations after a position, without gap or repeat, however often the connection breaks."""
        return _iterated(self._core.resumed("/guanxi.v1.RelationService/Watch", request or {}, ("events",)))

    def stream_home(self, request: m.StreamHomeTimelineRequest | None = None) -> Iterator[m.HomeNews]:
        """Yields what becomes new in a home after the position of a page; `reset` asks to read the first page again."""
        path = "/guanxi.v1.FeedService/StreamHomeTimeline"
        return _iterated(self._core.resumed(path, request or {}, ("postIds", "reset")))


def _iterated(answers: AsyncGenerator[Any, None]) -> Iterator[Any]:
    try:
        while True:
            try:
                answer = run(answers.__anext__())
            except StopAsyncIteration:
                return
            yield answer
    finally:
        run(answers.aclose())
