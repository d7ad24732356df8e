"""A client of the guanxi API over JSON, without dependencies."""

from .client import Client, GuanxiError, SessionTokens

__all__ = ["Client", "GuanxiError", "SessionTokens"]
