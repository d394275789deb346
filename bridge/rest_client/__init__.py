"""A blocking client of the admin endpoint, for the commands and for simple programs."""

from __future__ import annotations

from .address import DEFAULT_DATA, Address, find_address, parse_url
from .client import RestClient, RestResponse, Unit
from .errors import EndpointNotReachable, RestFailure

__all__ = [
    "DEFAULT_DATA",
    "Address",
    "EndpointNotReachable",
    "RestClient",
    "RestFailure",
    "RestResponse",
    "Unit",
    "find_address",
    "parse_url",
]
