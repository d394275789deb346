"""Who can enter by which channel: for each channel that partners open, the records that decide, in their order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from mqbridge.bridge.security.addresses import is_host_name, is_loopback
from mqbridge.bridge.security.channel_rules import ChannelRules, channel_user, describe
from mqbridge.bridge.security.connection_checks import ConnectionCheck, connection_check, stricter
from mqbridge.bridge.security.records import SecurityRecord
from mqbridge.bridge.security.users import Users

from .facts import Estate

CLIENTS: Final = "SVRCONN"
INBOUND: Final = frozenset((CLIENTS, "RCVR", "RQSTR", "SVR", "CLUSRCVR"))
"""CHLTYPE of channels that partners can open."""
_EVERYWHERE: Final = ("", "*")
_FITTING: Final = {True: "QMGRMAP", False: "USERMAP"}
"""By whether a channel is for clients: the kind of record that never matches there."""


@dataclass(frozen=True, slots=True)
class Entrance:
    """Those whom one record, or none, lets in or keeps out.

    ``channel``, ``kind``: CHLTYPE. ``who``: in words. ``address``: a pattern, ``*`` for any. ``user``: as whom they
    act; blank for the user that a client states, or for a channel the queue manager itself. ``refused_by``: the record
    that refuses them, else blank. ``decided_by``: the record that maps them, blank without one. ``password``: CHCKCLNT
    that results, for clients; ``adopts``: who gives one acts as its user. ``cipher``: SSLCIPH. ``certificate``: one is
    required; ``is_named``: with a name that is required too. ``blocked_users``: who is refused among the users that
    clients state.
    """

    channel: str
    kind: str
    who: str
    address: str
    user: str = ""
    refused_by: str = ""
    decided_by: str = ""
    password: str = "NONE"
    cipher: str = ""
    certificate: bool = False
    is_named: bool = False
    is_privileged: bool = False
    blocked_users: tuple[str, ...] = ()
    adopts: bool = False

    @property
    def is_for_clients(self) -> bool:
        """Whether programs enter here, not queue managers."""
        return self.kind == CLIENTS

    @property
    def is_local(self) -> bool:
        """Whether only programs on this machine are meant."""
        return is_loopback(self.address) or self.address.startswith("127.")

    @property
    def _acting(self) -> str:
        """As whom they act, in words."""
        if not self.is_for_clients:
            return f"as {self.user or 'the queue manager'}"
        without = self.user or "the user that it states"
        if not self.adopts:
            return f"as {without}"
        return "as the user of the password" + ("" if self.password == "REQUIRED" else f", else as {without}")

    def __str__(self) -> str:
        if self.refused_by:
            return f"{self.who}: refused by {self.refused_by}"
        parts = [self._acting]
        if self.blocked_users:
            parts[0] += f", but not {', '.join(self.blocked_users)}"
        if self.is_for_clients:
            parts.append(_PASSWORDS[self.password])
        if self.cipher:
            wanted = "certificate required" if self.certificate else "certificate optional"
            parts.append(f"TLS {self.cipher}, {wanted}")
        else:
            parts.append("no TLS")
        by = f" ({self.decided_by})" if self.decided_by else ""
        return f"{self.who}: {', '.join(parts)}{by}"


_PASSWORDS: Final = {
    "NONE": "no password",
    "OPTIONAL": "password checked if given",
    "REQDADM": "password of administrators",
    "REQUIRED": "password",
}


def check_of(estate: Estate) -> ConnectionCheck:
    """The settings of CONNAUTH."""
    name = estate.queue_manager.text("CONNAUTH")
    found = next((each for each in estate.authentications if each.name == name), None)
    return connection_check(name, found, exposed=estate.is_exposed)


def entrances(estate: Estate) -> tuple[Entrance, ...]:
    """Return the entrances of all channels that partners can open, by channel and in the order of decision."""
    enabled = estate.queue_manager.text("CHLAUTH") != "DISABLED"
    rules = ChannelRules(estate.channel_rules, enabled=enabled)
    check, users = check_of(estate), estate.users or Users()
    channels = sorted((each for each in estate.channels if each.text("CHLTYPE") in INBOUND), key=lambda each: each.name)
    return tuple(each for channel in channels for each in _of_channel(channel, rules, check, users))


def _of_channel(
    channel: SecurityRecord, rules: ChannelRules, check: ConnectionCheck, users: Users
) -> Iterator[Entrance]:
    is_for_clients = channel.text("CHLTYPE") == CLIENTS
    own = channel.text("MCAUSER") if is_for_clients else channel_user(channel)
    for record in rules.mappings_of(channel.name):
        kind, address = record.text("TYPE"), record.text("ADDRESS")
        if kind == _FITTING[is_for_clients] or is_host_name(address):
            continue  # a host name matches nobody, since addresses are not resolved
        if kind == "SSLPEERMAP" and not channel.text("SSLCIPH"):
            continue
        yield _entrance(channel, own, record, rules, check, users)
        if kind == "ADDRESSMAP" and address in _EVERYWHERE:
            return  # it decides about everybody else
    yield _entrance(channel, own, None, rules, check, users)


def _entrance(
    channel: SecurityRecord,
    own: str,
    record: SecurityRecord | None,
    rules: ChannelRules,
    check: ConnectionCheck,
    users: Users,
) -> Entrance:
    is_for_clients = channel.text("CHLTYPE") == CLIENTS
    user, refused, word = own, "", check.word if is_for_clients else "NONE"
    address = "*" if record is None else record.text("ADDRESS") or "*"
    if record is not None:
        user = record.text("MCAUSER") if record.text("USERSRC") == "MAP" else own
        refused = describe(record) if record.text("USERSRC") == "NOACCESS" and record.text("WARN") != "YES" else ""
        word = stricter(word, record.text("CHCKCLNT")) if is_for_clients else word
    is_mapped = record is not None and record.text("USERSRC") == "MAP"
    adopts = is_for_clients and check.adopts and word != "NONE" and not is_mapped
    blocked: tuple[str, ...] = ()
    if is_for_clients and not refused:
        blocker = rules.blocking_user(channel.name, user, users.is_privileged) if user else None
        if blocker is not None and blocker.text("WARN") != "YES" and not adopts:
            refused = describe(blocker)
        if adopts or not user:
            blocked = rules.blocked_users_of(channel.name)
    return Entrance(
        channel.name,
        channel.text("CHLTYPE"),
        _who(record, is_for_clients, address),
        address,
        user,
        refused,
        "" if record is None else describe(record),
        word,
        channel.text("SSLCIPH"),
        channel.text("SSLCAUTH") == "REQUIRED" or bool(channel.text("SSLPEER")) or _names_certificate(record),
        bool(channel.text("SSLPEER")) or _names_certificate(record),
        bool(user) and users.is_privileged(user),
        blocked,
        adopts,
    )


def _names_certificate(record: SecurityRecord | None) -> bool:
    return record is not None and record.text("TYPE") == "SSLPEERMAP"


def _who(record: SecurityRecord | None, is_for_clients: bool, address: str) -> str:
    kind = "" if record is None else record.text("TYPE")
    who = "clients" if is_for_clients else "queue managers"
    if record is not None:
        named = {"USERMAP": "CLNTUSER", "QMGRMAP": "QMNAME", "SSLPEERMAP": "SSLPEER"}.get(kind)
        if named:
            said = {"USERMAP": "clients of user", "QMGRMAP": "queue manager", "SSLPEERMAP": f"{who} with certificate"}
            who = f"{said[kind]} {record.text(named)}"
    return f"{who} from {'anywhere' if address in _EVERYWHERE else address}"
