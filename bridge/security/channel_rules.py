"""Channel authentication: which CHLAUTH record decides about an inbound channel (channels.md 14).

The order: BLOCKADDR for the address; then the best mapping record, by kind (SSLPEERMAP; USERMAP or QMGRMAP;
ADDRESSMAP), within a kind by the most specific channel profile, then certificate, user or queue manager, then address;
then BLOCKUSER for the resulting user, on server connections. SSLPEERMAP records match callers with a certificate, whose
chain has been checked; of two with the same SSLPEER one with SSLCERTI goes first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from mqbridge.protocol.constants import MQRQ

from .addresses import address_specificity, is_host_name, matches_address
from .login import Line
from .records import SecurityRecord
from .specificity import matches_pattern, specificity
from .tls.connection import PeerCertificate
from .tls.peer_names import PeerNameError, PeerPattern, parse_peer_name
from .users import CHANNEL_USER

ADMINISTRATORS_WORD: Final = "*MQADMIN"
"""Entry of a USERLIST that stands for every privileged user."""
_MATCHED_BY: Final = {"USERMAP": "CLNTUSER", "QMGRMAP": "QMNAME", "ADDRESSMAP": ""}
"""Attribute besides the address that a TYPE matches on, SSLPEERMAP aside."""
_KIND_RANKS: Final = {"SSLPEERMAP": 0, "USERMAP": 1, "QMGRMAP": 1, "ADDRESSMAP": 2}
"""Precedence of the types of mapping records."""
_IDENTIFYING: Final = ("SSLPEER", "SSLCERTI", "CLNTUSER", "QMNAME", "ADDRESS")

RECEIVING: Final = frozenset(("RCVR", "RQSTR", "CLUSRCVR"))
"""CHLTYPE of channels that put messages."""


@dataclass(frozen=True, slots=True)
class Caller:
    """The partner that opens an inbound channel.

    ``channel``: the requested name. ``address``: as text; ``host_names``: its names, if they were looked up.
    ``client``: a server connection; ``user`` is then the user that the client states. ``queue_manager``: the partner's
    name on message channels. ``certificate``: the partner's, None if it has sent none or the connection is plain.
    """

    channel: str
    address: str
    client: bool = False
    user: str = ""
    queue_manager: str = ""
    host_names: Sequence[str] = ()
    certificate: PeerCertificate | None = None


@dataclass(frozen=True, slots=True)
class Block:
    """A refusal, for an event. ``qualifier``: MQRQ_CHANNEL_BLOCKED_USERID or _NOACCESS. ``user``: who was refused.
    ``warning``: the record only warns."""

    qualifier: int
    user: str
    warning: bool


@dataclass(slots=True)
class Admission:
    """Decision of the records: ``allowed``, and the ``user`` that the channel runs as.

    ``record``: the one that decided, or None. ``check``: CHCKCLNT of the mapping record. ``log``: lines for the
    operator. ``blocks``: the same refusals for events.
    """

    allowed: bool
    user: str
    record: SecurityRecord | None = None
    check: str = "ASQMGR"
    log: list[Line] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)


def channel_user(channel: SecurityRecord) -> str:
    """Return the user of a message channel that no record maps: its MCAUSER; by default `CHANNEL_USER` for a receiving
    channel, and the queue manager itself (blank) for a sending one."""
    return channel.text("MCAUSER") or (CHANNEL_USER if channel.text("CHLTYPE") in RECEIVING else "")


class ChannelRules:
    """The CHLAUTH records of a queue manager, sorted for use. Rules that are ``disabled`` decide nothing."""

    __slots__ = ("_blocked_addresses", "_blocked_users", "_mappings", "enabled", "needs_host_names")

    def __init__(self, records: Iterable[SecurityRecord], *, enabled: bool = True) -> None:
        self.enabled = enabled
        self._blocked_addresses: list[SecurityRecord] = []
        self._blocked_users: list[SecurityRecord] = []
        mappings: list[SecurityRecord] = []
        for record in records:
            kind = record.text("TYPE")
            if kind == "BLOCKADDR":
                self._blocked_addresses.append(record)
            elif kind == "BLOCKUSER":
                self._blocked_users.append(record)
            elif kind in _KIND_RANKS and _is_usable(record):
                mappings.append(record)
        self._mappings = sorted(mappings, key=_mapping_key)
        self._blocked_users.sort(key=lambda record: specificity(record.name))
        patterns = [record.text("ADDRESS") for record in self._mappings]
        patterns += [pattern for record in self._blocked_addresses for pattern in record.texts("ADDRLIST")]
        self.needs_host_names = enabled and any(is_host_name(pattern) for pattern in patterns)
        """Whether a record has a host name, so that those of a caller must be looked up."""

    def blocking_address(self, address: str, host_names: Sequence[str] = ()) -> SecurityRecord | None:
        """Return the BLOCKADDR record that matches an address."""
        if not self.enabled:
            return None
        for record in self._blocked_addresses:
            if any(matches_address(pattern, address, host_names) for pattern in record.texts("ADDRLIST")):
                return record
        return None

    def mapping(self, caller: Caller) -> SecurityRecord | None:
        """Return the mapping record that decides about a caller."""
        if not self.enabled:
            return None
        return next((record for record in self._mappings if _means(record, caller)), None)

    def refuses_everybody(self, caller: Caller) -> bool:
        """Return whether a mapping record refuses a client whatever its user is."""
        for record in self._mappings if self.enabled else ():
            kind = record.text("TYPE")
            if kind == "USERMAP" and _means_place(record, caller):
                return False
            if kind != "USERMAP" and _means(record, caller):
                return record.text("USERSRC") == "NOACCESS" and record.text("WARN") != "YES"
        return False

    def mappings_of(self, channel: str) -> tuple[SecurityRecord, ...]:
        """Return the mapping records for a channel, in the order in which they are tried."""
        found = self._mappings if self.enabled else ()
        return tuple(record for record in found if matches_pattern(record.name, channel))

    def blocked_users_of(self, channel: str) -> tuple[str, ...]:
        """Return the users that BLOCKUSER refuses on a channel."""
        found = (each for each in self._blocked_users if matches_pattern(each.name, channel))
        record = next(found, None) if self.enabled else None
        return () if record is None or record.text("WARN") == "YES" else record.texts("USERLIST")

    def may_ask_for_password(self, channel: str) -> bool:
        """Return whether a mapping record for the channel has its own CHCKCLNT."""
        return self.enabled and any(
            record.text("CHCKCLNT") in ("REQUIRED", "REQDADM") and matches_pattern(record.name, channel)
            for record in self._mappings
        )

    def blocking_user(self, channel: str, user: str, is_privileged: Callable[[str], bool]) -> SecurityRecord | None:
        """Return the channel's BLOCKUSER record if it names the user.

        Only the most specific profile counts: a list for one channel replaces the one for all channels.
        """
        if not self.enabled:
            return None
        for record in self._blocked_users:
            if not matches_pattern(record.name, channel):
                continue
            listed = record.texts("USERLIST")
            blocked = user in listed or (ADMINISTRATORS_WORD in listed and is_privileged(user))
            return record if blocked else None
        return None

    def admit(self, caller: Caller, channel_user: str, is_privileged: Callable[[str], bool]) -> Admission:
        """Return the decision about a caller; ``channel_user``: the user that the channel runs as without a mapping.

        BLOCKADDR is not checked here but when the connection arrives. A record with WARN(YES) only logs.
        """
        record = self.mapping(caller)
        admission = Admission(True, channel_user, record)
        if record is not None:
            admission.check = record.text("CHCKCLNT") or "ASQMGR"
            source = record.text("USERSRC")
            if source == "MAP":
                admission.user = record.text("MCAUSER")
            elif source == "NOACCESS":
                admission.log.append(_blocked(caller, record))
                warns = record.text("WARN") == "YES"
                admission.blocks.append(Block(MQRQ.CHANNEL_BLOCKED_NOACCESS, caller.user, warns))
                if not warns:
                    admission.allowed = False
                    return admission
        if caller.client:
            blocker = self.blocking_user(caller.channel, admission.user, is_privileged)
            if blocker is not None:
                admission.log.append(
                    ("AMQ9776", (caller.channel, admission.user, caller.address, describe(blocker, warns=True)))
                )
                warns = blocker.text("WARN") == "YES"
                admission.blocks.append(Block(MQRQ.CHANNEL_BLOCKED_USERID, admission.user, warns))
                if not warns:
                    admission.allowed, admission.record = False, blocker
        return admission


def blocked_address(address: str, record: SecurityRecord) -> Line:
    """Return the log line about an address that BLOCKADDR matches."""
    return "AMQ9777", ("(not known yet)", address, describe(record, warns=True))


def describe(record: SecurityRecord, *, warns: bool = False) -> str:
    """Return a record as its SET CHLAUTH command identifies it, and whether it only warns."""
    kind = record.text("TYPE")
    matched = [f" {keyword}({record.text(keyword)})" for keyword in _IDENTIFYING if record.text(keyword)]
    warning = ", which only warns" if warns and record.text("WARN") == "YES" else ""
    return f"CHLAUTH({record.name}) TYPE({kind}){''.join(matched)}{warning}"


def _blocked(caller: Caller, record: SecurityRecord) -> Line:
    who = f"client user '{caller.user}'" if caller.client else f"queue manager '{caller.queue_manager}'"
    if caller.certificate is not None:
        who += f" with certificate {caller.certificate.peer_name}"
    return "AMQ9777", (caller.channel, caller.address, who, describe(record, warns=True))


def _is_usable(record: SecurityRecord) -> bool:
    """Return whether a record can match. Patterns are checked when they are entered, but not by releases before that;
    a malformed one matches nobody, as then."""
    try:
        _patterns(record)
    except PeerNameError:
        return False
    return True


def _patterns(record: SecurityRecord) -> tuple[PeerPattern | None, PeerPattern | None]:
    """Return SSLPEER and SSLCERTI of a record, None for a blank one. Raises `PeerNameError`."""
    peer_name, issuer = record.text("SSLPEER"), record.text("SSLCERTI")
    return (parse_peer_name(peer_name) if peer_name else None, parse_peer_name(issuer) if issuer else None)


def _mapping_key(record: SecurityRecord) -> tuple[object, ...]:
    kind = record.text("TYPE")
    if kind == "SSLPEERMAP":
        peer_name, issuer = _patterns(record)
        matched: tuple[object, ...] = (
            () if peer_name is None else peer_name.specificity,
            issuer is None,
            () if issuer is None else issuer.specificity,
        )
    else:
        matched = (specificity(record.text(_MATCHED_BY[kind])),)
    return (
        _KIND_RANKS[kind],
        specificity(record.name),
        matched,
        address_specificity(record.text("ADDRESS")),
        kind,
        record.name,
        *(record.text(keyword) for keyword in _IDENTIFYING),
    )


def _means(record: SecurityRecord, caller: Caller) -> bool:
    if not _means_place(record, caller):
        return False
    kind = record.text("TYPE")
    if kind == "SSLPEERMAP" and not _means_certificate(record, caller.certificate):
        return False
    if kind == "USERMAP" and not (caller.client and matches_pattern(record.text("CLNTUSER"), caller.user)):
        return False
    if kind == "QMGRMAP":
        return not caller.client and matches_pattern(record.text("QMNAME"), caller.queue_manager)
    return True


def _means_place(record: SecurityRecord, caller: Caller) -> bool:
    """Return whether a record is about the channel and address of a caller."""
    if not matches_pattern(record.name, caller.channel):
        return False
    return matches_address(record.text("ADDRESS"), caller.address, caller.host_names)


def _means_certificate(record: SecurityRecord, certificate: PeerCertificate | None) -> bool:
    """Return whether subject and issuer of a certificate match SSLPEER and SSLCERTI."""
    if certificate is None:
        return False
    peer_name, issuer = _patterns(record)
    if peer_name is None or not peer_name.matches_certificate(certificate):
        return False
    return issuer is None or issuer.matches(certificate.issuer)
