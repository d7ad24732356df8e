"""What a client remembers between calls: what it has seen, ids that it was told, and its login."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from datetime import datetime

from . import messages as m


@dataclass(frozen=True)
class SessionTokens:
    """The secrets of a login. They are no less than the user's password."""

    access: str = field(repr=False)
    # When `access` is no longer taken, in Unix seconds.
    access_expires: float
    refresh: str = field(repr=False)

    @staticmethod
    def of(answer: m.LoginResponse) -> SessionTokens:
        """Reads the answer to a login or a refresh."""
        expires = datetime.fromisoformat(answer["accessExpireTime"].replace("Z", "+00:00"))
        return SessionTokens(answer["accessToken"], expires.timestamp(), answer["refreshToken"])


class Positions:
    """Positions of which none is known to include another. Tokens are opaque: a read's answer includes what it asked."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._tokens: list[str] = []

    def joined(self, more: str = "") -> str:
        """Returns all of them and those of another token as one token."""
        with self._lock:
            return ".".join(dict.fromkeys(self._tokens + [one for one in more.split(".") if one]))

    def replace(self, asked: str, token: str) -> int:
        """Puts an answer's token in the place of what its call asked for; returns how many there are."""
        with self._lock:
            if token:
                gone = set(asked.split(".")) | set(token.split("."))
                self._tokens = [one for one in self._tokens if one not in gone]
                self._tokens += [one for one in token.split(".") if one]
            return len(self._tokens)

    def keep(self, newest: int) -> None:
        """Forgets all but the newest."""
        with self._lock:
            self._tokens = self._tokens[len(self._tokens) - newest :] if newest else []


class Written:
    """Tokens of writes that searches are to include.

    Each method that waits has an index of its own, so that a method includes a write once, whatever other methods have
    included.
    """

    def __init__(self, most: int, other: Written | None = None) -> None:
        self._lock = threading.Lock()
        self._most = most
        # The paths of the methods that have included a token.
        self._included: dict[str, set[str]] = {}
        if other:
            with other._lock:
                self._included = {token: set(paths) for token, paths in other._included.items()}

    def add(self, token: str) -> None:
        """Takes in the token of a write; the newest stay."""
        with self._lock:
            for one in filter(None, token.split(".")):
                self._included.pop(one, None)
                self._included[one] = set()
            for oldest in list(self._included)[: -self._most]:
                del self._included[oldest]

    def awaited_by(self, path: str, more: str) -> str:
        """Returns what the next call of a method is to wait for, and another token, as one token."""
        with self._lock:
            awaited = [token for token, paths in self._included.items() if path not in paths]
            return ".".join(dict.fromkeys(awaited + [one for one in more.split(".") if one]))

    def included(self, path: str, asked: str) -> None:
        """Notes what an answer of a method was asked to include."""
        with self._lock:
            for one in asked.split("."):
                if one in self._included:
                    self._included[one].add(path)

    def forget(self) -> None:
        """Forgets all."""
        with self._lock:
            self._included = {}


class Dictionary:
    """Pairs of external id and uid that were told. The one that was not asked for the longest is the first to go."""

    def __init__(self, limit: int) -> None:
        self._lock = threading.Lock()
        self._limit = limit
        self.clear()

    def clear(self) -> None:
        """Forgets all."""
        with self._lock:
            # Dictionaries are in the order in which their keys came.
            self._uids: dict[str, str] = {}
            self._ids: dict[str, str] = {}

    def uid(self, external_id: str) -> str | None:
        """Returns the uid of an id, if it was told."""
        with self._lock:
            uid = self._uids.get(external_id)
            if uid is not None:
                self._put(external_id, uid)
            return uid

    def external_id(self, uid: str) -> str | None:
        """Returns the id of a uid, if it was told."""
        with self._lock:
            external_id = self._ids.get(uid)
            if external_id is not None:
                self._put(external_id, uid)
            return external_id

    def put(self, external_id: str, uid: str) -> None:
        """Keeps a pair."""
        with self._lock:
            self._put(external_id, uid)

    def forget(self, uid: str) -> None:
        """Forgets the pair of a uid."""
        with self._lock:
            self._forget(uid)

    def _put(self, external_id: str, uid: str) -> None:
        self._forget(uid)
        if self._limit > 0:
            self._uids[external_id], self._ids[uid] = uid, external_id
        if len(self._ids) > self._limit:
            self._forget(next(iter(self._ids)))

    def _forget(self, uid: str) -> None:
        external_id = self._ids.pop(uid, None)
        if external_id is not None:
            self._uids.pop(external_id, None)
