"""Numbers of 64 bits, as the API takes them: as texts, since a number of JSON is exact up to 2^53 alone."""

from __future__ import annotations

import operator
import re
from collections.abc import Mapping
from typing import Any

from .fields import FIELDS


def exact_id(value: Any, path: str) -> Any:
    """Returns a number of 64 bits as text. `path` says where it stands, for the error.

    Raises TypeError for what is neither a string nor a whole number."""
    if value is None or isinstance(value, str):
        return value
    try:
        if isinstance(value, bool):
            raise TypeError
        return str(operator.index(value))
    except TypeError:
        raise TypeError(f"{path}: an id is a str or an int, and not {value!r}") from None


def exact(message: Any, kind: str, fields: dict[str, dict[str, str]] = FIELDS, path: str = "") -> Any:
    """Returns a message of a request whose numbers of 64 bits are texts; `kind` is its name in the table."""
    kinds = fields.get(kind)
    if kinds is None or not isinstance(message, Mapping):
        return message
    copy = dict(message)
    for name, value in copy.items():
        # The API takes the names of the protos, too.
        of_field = kinds.get(name) or kinds.get(re.sub("_([a-z])", lambda found: found[1].upper(), name))
        if of_field:
            copy[name] = _exact_value(value, of_field, fields, f"{path}.{name}" if path else name)
    return copy


def _exact_value(value: Any, kind: str, fields: dict[str, dict[str, str]], path: str) -> Any:
    if kind.startswith("{}"):
        if not isinstance(value, Mapping):
            return value
        return {key: _exact_value(one, kind[2:], fields, f"{path}.{key}") for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_exact_value(one, kind, fields, f"{path}[{at}]") for at, one in enumerate(value)]
    return exact_id(value, path) if kind == "#" else exact(value, kind, fields, path)
