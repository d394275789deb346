"""A blocking client of the admin endpoint, for the commands and for simple programs."""

from __future__ import annotations

from .address import DEFAULT_DATA, Address, find_address, parse_url
from .client import Answer, RestClient, Unit
from .errors import NotReachable, RestFailure

__all__ = [
    "DEFAULT_DATA",
    "Address",
    "Answer",
    "NotReachable",
    "RestClient",
    "RestFailure",
    "Unit",
    "find_address",
    "parse_url",
]
