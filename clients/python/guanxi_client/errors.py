"""Why a call failed, in the words of the API."""

from __future__ import annotations

import json
import ssl
from typing import Any

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


def error_of(status: int, text: bytes) -> GuanxiError:
    """Reads the error of an answer over plain HTTP."""
    try:
        error = json.loads(text)
        if "code" in error:
            return GuanxiError.of(error)
    except (ValueError, TypeError):
        pass  # What is between us and the server has answered.
    code = "unavailable" if status in (429, 502, 503, 504) else "unknown"
    return GuanxiError(code, f"HTTP status {status}")


def broken(error: Exception) -> GuanxiError:
    """Says that a connection broke: what became of the call is not known."""
    if isinstance(error, ssl.SSLCertVerificationError):
        # The next try would find the same certificate.
        return GuanxiError("unknown", str(error))
    return GuanxiError("unavailable", str(error) or type(error).__name__)
