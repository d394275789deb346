"""Settings of doors for callers of MyOpenQ, ``[[myopenq]]`` (myopenq.md M-112 to M-117)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from mqbridge.bridge.config import values
from mqbridge.bridge.config.declarations import place, setting
from mqbridge.bridge.config.errors import TablePlace

DEFAULT_ENDPOINT: Final = "tcp:9803:interface=127.0.0.1"
MAX_NUMBER: Final = 99_999
"""Largest number in five digits."""
MAX_DIGESTS: Final = 1_000_000
MAX_CONNECTIONS: Final = 1_000_000


@dataclass(slots=True, kw_only=True)
class MyOpenQSettings:
    """``[[myopenq]]``: a door for callers that speak MyOpenQ."""

    name: str = setting(values.object_name, "MYOPENQ")
    """Its name; unique."""
    endpoint: str = setting(values.endpoint, DEFAULT_ENDPOINT)
    """Twisted endpoint string."""
    mode: str = setting(values.choice("plain", "framed"), "plain")
    """``plain``: one packet a connection, as the thesis has it. ``framed``: any number, answers with their length."""
    admin_allow: Path | None = setting(values.path, None)
    """File of the addresses that may do everything. Without both files, programs on this machine may."""
    user_allow: Path | None = setting(values.path, None)
    """File of the addresses that may put, get, browse, display, count and purge, each with a queue."""
    admin_purge: bool = setting(values.yes_or_no, False)
    """Whether PURGE needs a line of ``admin_allow``."""
    address_only: bool = setting(values.yes_or_no, False)
    """Whether other machines may come with nothing but their address to prove who they are."""
    secret_file: Path | None = setting(values.path, None)
    """File whose first line is the secret that keys every digest; packets without it are refused."""
    tls: bool = setting(values.yes_or_no, False)
    """Whether callers speak TLS."""
    certificate: str | None = setting(values.text, None)
    """Our certificate: a file in PEM form if ``key`` is given, else a label of the queue manager's key repository;
    None: the queue manager's own."""
    key: Path | None = setting(values.path, None)
    """File of the certificate's private key in PEM form."""
    authorities: Path | None = setting(values.path, None)
    """Certificates of the authorities that callers' certificates must come from; None: those that the queue manager's
    key repository trusts."""
    client_certificates: bool = setting(values.yes_or_no, True)
    """Whether callers need a certificate, inside TLS."""
    mcauser: str | None = setting(values.text, None)
    """User with whose authorities it gets and puts; None: the queue manager's own."""
    md5_list: int = setting(values.whole_number(1, MAX_DIGESTS), 1000)
    """Digests that are kept for each address."""
    max_queues: int = setting(values.whole_number(1, MAX_NUMBER), 1024)
    """Most queues that CREATE makes, of all doors together."""
    max_message: int = setting(values.whole_number(1, MAX_NUMBER), 1024)
    """Longest message in bytes."""
    ccsid: int = setting(values.whole_number(1, 65_535), 1208)
    """Coded character set of messages, which MQ programs see; their bytes are not changed."""
    max: int = setting(values.whole_number(1, MAX_CONNECTIONS), 1000)
    """Maximum number of connections."""
    timeout: float = setting(values.seconds(0.1), 30.0)
    """Seconds within which a packet must be whole."""
    allow_shutdown: bool = setting(values.yes_or_no, True)
    """Whether SHUTDOWN ends the queue manager."""
    data: Path | None = setting(values.path, None)
    """Folder of ``queues.data`` and message files of MyOpenQ; the log says how they are brought in."""
    write_interval: float | None = setting(values.seconds(0), None)
    """Taken and named in the log: every change is on disk before its answer."""
    place: TablePlace = place()
