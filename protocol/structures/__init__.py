"""The structures of the wire, one file each; ``protocol.grammar`` says how one is written."""

from __future__ import annotations

from .bodies import Body
from .conauth import CAUT, CAUT_13, conauth_form, parse_conauth
from .initial_data import ID, SMALLEST_ID, initial_data, initial_data_size, parse_initial_data
from .md import MD, MD1, parse_md
from .message_headers import MESSAGE_HEADERS, SEGMENT_HEADERS, TRANSMISSION_HEADERS
from .msh import MSH
from .ping import PING, parse_ping, ping_data
from .reset import RESET, parse_reset, reset_data
from .status_data import STATUS, parse_status_data, status_data
from .tsh import TSH, TSHC, TSHM
from .userid import UID, parse_userid
from .xqh import XQH

__all__ = [
    "CAUT",
    "CAUT_13",
    "ID",
    "MD",
    "MD1",
    "MESSAGE_HEADERS",
    "MSH",
    "PING",
    "RESET",
    "SEGMENT_HEADERS",
    "SMALLEST_ID",
    "STATUS",
    "TRANSMISSION_HEADERS",
    "TSH",
    "TSHC",
    "TSHM",
    "UID",
    "XQH",
    "Body",
    "conauth_form",
    "initial_data",
    "initial_data_size",
    "parse_conauth",
    "parse_initial_data",
    "parse_md",
    "parse_ping",
    "parse_reset",
    "parse_status_data",
    "parse_userid",
    "ping_data",
    "reset_data",
    "status_data",
]
