"""Channel authentication: which record of SET CHLAUTH decides about an inbound channel (channels.md 14).

The order: BLOCKADDR for the address; then the best mapping record, by kind SSLPEERMAP, USERMAP or QMGRMAP,
ADDRESSMAP, inside a kind the most specific channel profile, then user or queue manager, then address; then BLOCKUSER
for the user that results, on server connections. Without TLS there is no certificate, so that SSLPEERMAP records
match nobody.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from .addresses import address_specificity, is_host_name, matches_address
from .login import Line
from .records import Record
from .specificity import matches_pattern, specificity
from .users import CHANNEL_USER

ADMINISTRATORS_WORD: Final = "*MQADMIN"
"""Entry of a USERLIST for every privileged user."""
_MATCHED_BY: Final = {"USERMAP": "CLNTUSER", "QMGRMAP": "QMNAME", "ADDRESSMAP": ""}
"""TYPE → the attribute it matches on besides the address, in two ranks: the first two go before the last."""
_KIND_RANKS: Final = {"USERMAP": 0, "QMGRMAP": 0, "ADDRESSMAP": 1}


RECEIVING: Final = frozenset(("RCVR", "RQSTR", "CLUSRCVR"))
"""CHLTYPE of channels that put messages."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Who opens a channel from outside.

    ``channel``: the name asked for. ``address``: as text, ``host_names``: its names where they were looked up.
    ``client``: a server connection is asked for; ``user`` is then what the client says it is. ``queue_manager``: the
    partner's name on message channels.
    """

    channel: str
    address: str
    client: bool = False
    user: str = ""
    queue_manager: str = ""
    host_names: Sequence[str] = ()


@dataclass(slots=True)
class Admission:
    """What the records say: ``allowed``, and under which ``user`` the channel then runs.

    ``record``: the one that decided, None if none did. ``check``: CHCKCLNT of the mapping record. ``log``: lines for
    the operator.
    """

    allowed: bool
    user: str
    record: Record | None = None
    check: str = "ASQMGR"
    log: list[Line] = field(default_factory=list)


def channel_user(channel: Record) -> str:
    """Who a message channel runs as where no record maps it: its MCAUSER. One that receives and has none is
    `CHANNEL_USER`, one that sends the queue manager itself (blank)."""
    return channel.text("MCAUSER") or (CHANNEL_USER if channel.text("CHLTYPE") in RECEIVING else "")


class ChannelRules:
    """The CHLAUTH records of a queue manager, sorted for use. Rules that are ``disabled`` decide nothing."""

    __slots__ = ("_blocked_addresses", "_blocked_users", "_mappings", "enabled", "needs_host_names")

    def __init__(self, records: Iterable[Record], *, enabled: bool = True) -> None:
        self.enabled = enabled
        self._blocked_addresses: list[Record] = []
        self._blocked_users: list[Record] = []
        mappings: list[Record] = []
        for record in records:
            kind = record.text("TYPE")
            if kind == "BLOCKADDR":
                self._blocked_addresses.append(record)
            elif kind == "BLOCKUSER":
                self._blocked_users.append(record)
            elif kind in _KIND_RANKS:
                mappings.append(record)
        self._mappings = sorted(mappings, key=_mapping_key)
        self._blocked_users.sort(key=lambda record: specificity(record.name))
        patterns = [record.text("ADDRESS") for record in self._mappings]
        patterns += [pattern for record in self._blocked_addresses for pattern in record.texts("ADDRLIST")]
        self.needs_host_names = enabled and any(is_host_name(pattern) for pattern in patterns)
        """Whether a record is about host names, so that those of a caller must be looked up."""

    def blocking_address(self, address: str, host_names: Sequence[str] = ()) -> Record | None:
        """The BLOCKADDR record that names an address."""
        if not self.enabled:
            return None
        for record in self._blocked_addresses:
            if any(matches_address(pattern, address, host_names) for pattern in record.texts("ADDRLIST")):
                return record
        return None

    def mapping(self, caller: Caller) -> Record | None:
        """The mapping record that decides about a caller."""
        if not self.enabled:
            return None
        return next((record for record in self._mappings if _means(record, caller)), None)

    def may_ask_for_password(self, channel: str) -> bool:
        """Whether a mapping record that means the channel has a CHCKCLNT of its own."""
        return self.enabled and any(
            record.text("CHCKCLNT") in ("REQUIRED", "REQDADM") and matches_pattern(record.name, channel)
            for record in self._mappings
        )

    def blocking_user(self, channel: str, user: str, is_privileged: Callable[[str], bool]) -> Record | None:
        """The BLOCKUSER record of the channel if it names a user.

        The most specific profile alone counts: a list for one channel takes the place of that for all channels.
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
        """What the records say of a caller; ``channel_user`` is who the channel runs as without a mapping.

        BLOCKADDR is not looked at: that was done when the connection came. A record with WARN(YES) only tells.
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
                if record.text("WARN") != "YES":
                    admission.allowed = False
                    return admission
        if caller.client:
            blocker = self.blocking_user(caller.channel, admission.user, is_privileged)
            if blocker is not None:
                admission.log.append(
                    ("AMQ9776", (caller.channel, admission.user, caller.address, describe(blocker, warns=True)))
                )
                if blocker.text("WARN") != "YES":
                    admission.allowed, admission.record = False, blocker
        return admission


def blocked_address(address: str, record: Record) -> Line:
    """The line that tells of an address that BLOCKADDR names."""
    return "AMQ9777", ("(not known yet)", address, describe(record, warns=True))


def describe(record: Record, *, warns: bool = False) -> str:
    """A record as the command that made it names it, and whether it only warns."""
    kind = record.text("TYPE")
    matched = [
        f" {keyword}({record.text(keyword)})" for keyword in ("CLNTUSER", "QMNAME", "ADDRESS") if record.text(keyword)
    ]
    warning = ", which only warns" if warns and record.text("WARN") == "YES" else ""
    return f"CHLAUTH({record.name}) TYPE({kind}){''.join(matched)}{warning}"


def _blocked(caller: Caller, record: Record) -> Line:
    who = f"client user '{caller.user}'" if caller.client else f"queue manager '{caller.queue_manager}'"
    return "AMQ9777", (caller.channel, caller.address, who, describe(record, warns=True))


def _mapping_key(record: Record) -> tuple[object, ...]:
    kind = record.text("TYPE")
    name = record.text(_MATCHED_BY[kind])
    return (
        _KIND_RANKS[kind],
        specificity(record.name),
        specificity(name),
        address_specificity(record.text("ADDRESS")),
        kind,
        record.name,
        name,
        record.text("ADDRESS"),
    )


def _means(record: Record, caller: Caller) -> bool:
    if not matches_pattern(record.name, caller.channel):
        return False
    kind = record.text("TYPE")
    if kind == "USERMAP" and not (caller.client and matches_pattern(record.text("CLNTUSER"), caller.user)):
        return False
    if kind == "QMGRMAP" and (caller.client or not matches_pattern(record.text("QMNAME"), caller.queue_manager)):
        return False
    return matches_address(record.text("ADDRESS"), caller.address, caller.host_names)
