"""Rules for security: passwords, encryption, default channels and users (C-6nn; C-611 is with the reason codes)."""

from __future__ import annotations

from typing import Final

from mqbridge.captures.rules.catalogue import Deviation, Severity, rule
from mqbridge.protocol.constants import MQOO
from mqbridge.protocol.observer.client import ClientEnded, ClientObserver, CredentialsSeen, ObjectOpened
from mqbridge.protocol.observer.connection import Observer
from mqbridge.protocol.observer.observations import ConnectionEnded, ConnectionKind

DEFAULT_CHANNELS: Final = ("SYSTEM.DEF.", "SYSTEM.AUTO.", "SYSTEM.ADMIN.", "SYSTEM.BKR.")
"""Prefixes of channel names that every queue manager has."""
POWERFUL_USERS: Final = frozenset(
    ("mqm", "musr_mqadmin", "qmqm", "root", "administrator", "system", "mqsystem", "qsecofr", "localsystem")
)
"""User ids, in lower case, with all authorities in a usual installation."""
_COMMAND_QUEUES: Final = frozenset(("SYSTEM.ADMIN.COMMAND.QUEUE", "SYSTEM.COMMAND.INPUT"))
_POWERS: Final = (
    (MQOO.ALTERNATE_USER_AUTHORITY, "MQOO_ALTERNATE_USER_AUTHORITY"),
    (MQOO.SET_IDENTITY_CONTEXT, "MQOO_SET_IDENTITY_CONTEXT"),
    (MQOO.SET_ALL_CONTEXT, "MQOO_SET_ALL_CONTEXT"),
)
_OPENS: Final = frozenset(("MQOPEN", "SPI OPEN"))


@rule("C-601", Severity.SECURITY, "Password in clear", spec="client-observed.md O-023")
def password_in_clear(seen: CredentialsSeen, connection: Observer) -> Deviation | None:
    """Always in USERID_DATA; in CONAUTH_INFO up to FAP 12, or without an agreed algorithm.

    expected: TLS, or a protected password; seen: CONAUTH_INFO of user app with a password in clear
    """
    if not seen.password or seen.protected is not False or connection.encrypted or seen.repeated:
        return None
    actual = f"{seen.kind} of user {seen.user or 'unknown'} with a password in clear"
    return Deviation("TLS, or a protected password", actual)


@rule("C-602", Severity.SECURITY, "Password protected by MQ only", spec="client-observed.md O-022")
def password_without_tls(seen: CredentialsSeen, connection: Observer) -> Deviation | None:
    """The algorithm protects the password, but not the connection, and does not authenticate the server.

    expected: TLS; seen: CONAUTH_INFO of user app with a password that MQ protects
    """
    if not seen.password or not seen.protected or connection.encrypted or seen.repeated:
        return None
    return Deviation("TLS", f"{seen.kind} of user {seen.user or 'unknown'} with a password that MQ protects")


@rule("C-603", Severity.SECURITY, "Connection without TLS", spec="mq-wire.md 1.1")
def no_tls(seen: ConnectionEnded, connection: Observer) -> Deviation | None:
    """All traffic can be read and modified on the network.

    expected: TLS; seen: channel APP.SVRCONN in clear
    """
    if connection.encrypted or connection.kind is ConnectionKind.UNKNOWN or connection.part is None:
        return None
    return Deviation("TLS", f"channel {connection.overview.channel or 'unknown'} in clear")


@rule("C-604", Severity.SECURITY, "Default channel in use", spec="channels.md 3")
def default_channel(seen: ConnectionEnded, connection: Observer) -> Deviation | None:
    """Default channels have no rules of their own; attackers try them first.

    expected: a channel of its own for each application; seen: SYSTEM.DEF.SVRCONN
    """
    overview = connection.overview
    if overview.outcome == "refused" or not overview.channel.startswith(DEFAULT_CHANNELS):
        return None
    return Deviation("a channel of its own for each application", overview.channel)


@rule("C-605", Severity.SECURITY, "Administrative user", spec="channels.md 14")
def powerful_user(seen: CredentialsSeen, connection: Observer) -> Deviation | None:
    """A client states the user id of an administrator.

    expected: a user of the application; seen: mqm in USERID_DATA
    """
    if seen.repeated or seen.user.strip().lower() not in POWERFUL_USERS:
        return None
    return Deviation("a user of the application", f"{seen.user} in {seen.kind}")


@rule("C-606", Severity.SECURITY, "Client connected without a user id", spec="mq-wire.md 5.2")
def blank_user(seen: ClientEnded, connection: Observer) -> Deviation | None:
    """The client works under the user id of the channel, often that of the queue manager itself.

    expected: a user id; seen: none, and MQCONN was accepted
    """
    overview = connection.overview
    if overview.user or not seen.connects or overview.uncertain:
        return None
    return Deviation("a user id", "none, and MQCONN was accepted")


@rule("C-607", Severity.SECURITY, "Unauthenticated user id", spec="client-observed.md O-008")
def asserted_user(seen: ClientEnded, connection: Observer) -> Deviation | None:
    """Any program can claim to be any user.

    expected: a password, or TLS with a certificate; seen: user app by USERID_DATA alone
    """
    part, overview = connection.part, connection.overview
    if not isinstance(part, ClientObserver) or part.sign_on.password_given or connection.encrypted:
        return None
    if not seen.connects or not overview.user or overview.uncertain:
        return None
    return Deviation("a password, or TLS with a certificate", f"user {overview.user} by USERID_DATA alone")


@rule("C-608", Severity.SECURITY, "Client acts for other users", spec="mqi.md 2.1")
def acts_for_others(seen: ObjectOpened, connection: Observer) -> Deviation | None:
    """With these options a program sets the origin of a message, or uses another user's authority.

    expected: messages under the client's own user; seen: MQOPEN of Q1 with MQOO_SET_ALL_CONTEXT
    """
    powers = [name for bit, name in _POWERS if seen.options & bit] if seen.name in _OPENS else []
    if not powers:
        return None
    return Deviation(
        "messages under the client's own user", f"{seen.name} of {seen.object_name} with {', '.join(powers)}"
    )


@rule("C-610", Severity.SECURITY, "Client administers the queue manager", spec="mq-wire.md 5.16")
def administers(seen: ObjectOpened, connection: Observer) -> Deviation | None:
    """Users who can put to the command queue can issue commands.

    expected: no commands by this channel; seen: SYSTEM.ADMIN.COMMAND.QUEUE opened for output by user app
    """
    if seen.name not in _OPENS or seen.object_name not in _COMMAND_QUEUES or not seen.options & MQOO.OUTPUT:
        return None
    user = connection.overview.user
    actual = f"{seen.object_name} opened for output by user {user or 'unknown'}"
    return Deviation("no commands by this channel", actual)
