"""Clients of the guanxi API over JSON, without dependencies: `Client`, and `AsyncClient` for asyncio."""

from .aio import AsyncClient
from .client import Client
from .errors import GuanxiError
from .state import SessionTokens

__all__ = ["AsyncClient", "Client", "GuanxiError", "SessionTokens"]
