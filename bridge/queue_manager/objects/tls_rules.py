"""Rules on the attributes of TLS in channels and channel authentication records (tls.md T-11, T-12)."""

from __future__ import annotations

from mqbridge.bridge.security.tls import PeerNameError, parse_peer_name, problem_of

from .definition import Definition
from .errors import ObjectError
from .reasons import MQRCCF

_NAMED_OTHERWISE = ("MQTT",)
"""CHLTYPE of channels that are kept and never run, whose SSLCIPH has names of Java."""


def check_channel_tls(channel: Definition) -> None:
    """Raise `ObjectError` for an SSLCIPH that names no CipherSpec, or a deprecated one, and a malformed SSLPEER."""
    if channel.subtype in _NAMED_OTHERWISE:
        return
    problem = problem_of(channel.text("SSLCIPH"))
    if problem:
        raise ObjectError(f"SSLCIPH: {problem}", amq="AMQ8242", reason=MQRCCF.SSL_CIPHER_SPEC_ERROR)
    check_peer_name(channel, "SSLPEER")


def check_peer_name(definition: Definition, keyword: str) -> None:
    """Raise `ObjectError` for a pattern of distinguished names that is malformed; blank is none."""
    text = definition.text(keyword)
    if not text:
        return
    try:
        parse_peer_name(text)
    except PeerNameError as error:
        raise ObjectError(f"{keyword}: {error}", amq="AMQ8243", reason=MQRCCF.SSL_PEER_NAME_ERROR) from error
