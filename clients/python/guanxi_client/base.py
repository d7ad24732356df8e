"""What the two clients have in common: how they are made, and what asks nobody."""

from __future__ import annotations

import copy
import random
import ssl
import time
from collections.abc import Callable
from typing import Any, Literal, Self
from urllib.parse import SplitResult, urlsplit

from .core import Core, Options, Transport
from .exact import exact_id
from .state import Dictionary, SessionTokens

# How long a call that may be repeated is repeated: a restart of the server takes less.
PATIENCE_S = 15.0
# Pairs of ids that a client keeps unless it is told otherwise: some 20 MB of UUIDs.
EXTERNAL_IDS_KEPT = 65_536
# Idle connections that a client keeps unless it is told otherwise: more calls at once open and close their own.
CONNECTIONS_KEPT = 16


class Base:
    """A client of one server, for one caller.

    - `token`: a service's token, an end user's, or a JWT; `session`: a login to go on with, whose new secrets `on_session`
      is told.
    - `timeout`: the deadline of each try, in seconds; the server takes 30 at most. Streams have none.
    - `patience`: for how many seconds a call is repeated that may be. What may not be repeated fails at once.
    - `first_pause`, `longest_pause`: between tries, in seconds; each pause is up to twice as long as the one before.
    - `connections_kept`: idle connections that are kept, at most.
    - `ids`: with "external" answers have your ids in place of uids, as "ext:ID", where there are such. Requests may have
      them always.
    - `external_ids_kept`: pairs of ids that `uids_of` and the like keep, at most.
    - `tls`: how certificates are verified; as the machine does, unless it is said.
    - `now`, `clock`, `rand`, `sleep`: the time, a clock that only goes forward, chance, and how to wait.

    Raises ValueError for a URL that is none.
    """

    _core: Core

    def __init__(
        self,
        url: str,
        *,
        token: str | None = None,
        session: SessionTokens | None = None,
        on_session: Callable[[SessionTokens], None] | None = None,
        timeout: float = 5.0,
        patience: float = PATIENCE_S,
        first_pause: float = 0.1,
        longest_pause: float = 5.0,
        connections_kept: int = CONNECTIONS_KEPT,
        ids: Literal["external"] | None = None,
        external_ids_kept: int = EXTERNAL_IDS_KEPT,
        tls: ssl.SSLContext | None = None,
        now: Callable[[], float] = time.time,
        clock: Callable[[], float] = time.monotonic,
        rand: random.Random | None = None,
        sleep: Callable[[float], Any] | None = None,
    ) -> None:
        if ids not in (None, "external"):
            raise ValueError(f'ids is "external" or left out, and not {ids!r}')
        options = Options(
            on_session, timeout, patience, first_pause, longest_pause, ids == "external", now, clock,
            rand or random.SystemRandom(),
        )
        transport = self._transport(_parts_of(url), tls, timeout, connections_kept, clock, sleep)
        self._core = Core(transport, options, Dictionary(external_ids_kept), token, session)

    def _transport(
        self,
        parts: SplitResult,
        tls: ssl.SSLContext | None,
        timeout: float,
        kept_max: int,
        clock: Callable[[], float],
        sleep: Callable[[float], Any] | None,
    ) -> Transport:
        raise NotImplementedError

    def with_token(self, token: str) -> Self:
        """Returns a client that calls with a token over the same connections, and has seen what this one has."""
        return self._called_by(token=token)

    def with_session(self, session: SessionTokens) -> Self:
        """Returns a client that calls as the user of a login, which it keeps alive, over the same connections."""
        return self._called_by(session=session)

    def _called_by(self, **credential: Any) -> Self:
        other = copy.copy(self)
        other._core = self._core.called_by(**credential)
        return other

    def session(self) -> SessionTokens | None:
        """Returns the secrets of the login as they are now, to go on with later."""
        return self._core.session.tokens if self._core.session else None

    def position(self) -> str:
        """Returns the position of all that this client has seen, as one token."""
        return self._core.positions.joined()

    def take_in(self, position: str) -> None:
        """Takes in what another client has seen."""
        self._core.positions.replace("", position)

    def forget_external_id(self, uid: str | int) -> None:
        """Forgets the id of a user who is being erased: a new user may have it one day, with another uid."""
        self._core.dictionary.forget(exact_id(uid, "uid"))


def _parts_of(url: str) -> SplitResult:
    wrong = f"a URL is like http://127.0.0.1:7420 or https://guanxi.example.org, and not {url!r}"
    try:
        parts = urlsplit(url)
        is_right = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        is_right = False
    if not is_right or parts.query or parts.fragment:
        raise ValueError(wrong)
    return parts
