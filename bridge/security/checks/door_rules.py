"""Rules of ``mqbridge check`` about users and doors: each a function from what is known to findings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from mqbridge.bridge.security.addresses import is_host_name
from mqbridge.bridge.security.channel_rules import describe

from .entrances import Entrance, check_of, entrances
from .facts import Estate
from .finding import Finding

_TLS: Final = "SSLCIPH(ANY_TLS12_OR_HIGHER)"

# Users


def _unusable_users(estate: Estate) -> Iterator[Finding]:
    if estate.users_problem:
        yield Finding("users", estate.users_problem, "nobody can give a password until this is mended")


def _no_users(estate: Estate) -> Iterator[Finding]:
    check = check_of(estate)
    if estate.is_exposed and check.problem:
        yield Finding("users", check.problem, "no client can connect; ALTER QMGR CONNAUTH(DEV.AUTHINFO)")
    elif estate.users is not None and not len(estate.users) and check.word == "REQUIRED":
        yield Finding("users", "clients need a password, and there is no user", "mqbridge user add NAME")


# Doors


def _disabled_rules(estate: Estate) -> Iterator[Finding]:
    if estate.is_exposed and estate.queue_manager.text("CHLAUTH") == "DISABLED":
        yield Finding(
            "channel authentication", "no CHLAUTH record counts: it is disabled", "ALTER QMGR CHLAUTH(ENABLED)"
        )


def _host_names(estate: Estate) -> Iterator[Finding]:
    for record in estate.channel_rules:
        patterns = (record.text("ADDRESS"), *record.texts("ADDRLIST"))
        if any(is_host_name(pattern) for pattern in patterns):
            yield Finding(
                describe(record), "addresses are not resolved, so a host name matches nobody", "give addresses"
            )


def _open_entrances(estate: Estate) -> Iterator[Finding]:
    seen: set[tuple[str, str]] = set()
    for each in entrances(estate):
        if each.refused_by:
            continue
        for kind, found in _faults(each, estate):
            if (each.channel, kind) not in seen:
                seen.add((each.channel, kind))
                yield found


def _faults(entrance: Entrance, estate: Estate) -> Iterator[tuple[str, Finding]]:
    """What is wrong with an entrance that is open; each kind is reported once for a channel."""
    subject, channel = f"channel {entrance.channel}", entrance.channel
    exposed = estate.is_exposed and not entrance.is_local
    proves = entrance.password == "REQUIRED" or (entrance.certificate and bool(entrance.cipher))
    if entrance.is_for_clients and entrance.is_privileged and not proves:
        yield (
            "privileged",
            Finding(
                subject,
                f"{entrance.who} act as {entrance.user}, an administrator, without password or certificate",
                f"SET CHLAUTH('{channel}') TYPE(BLOCKUSER) USERLIST('*MQADMIN'), or another MCAUSER",
            ),
        )
    if not exposed:
        return
    if not entrance.cipher:
        yield (
            "plain",
            Finding(
                subject,
                f"{entrance.who} send {'passwords and ' if entrance.is_for_clients else ''}messages in clear",
                f"ALTER CHANNEL('{channel}') CHLTYPE({entrance.kind}) {_TLS}",
            ),
        )
    if entrance.is_for_clients and not proves:
        yield (
            "unproved",
            Finding(
                subject,
                f"{entrance.who} enter without password or certificate",
                f"SET CHLAUTH('{channel}') TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(CHANNEL) CHCKCLNT(REQUIRED), or "
                "SSLCAUTH(REQUIRED) with SSLCIPH",
            ),
        )
    anybody = entrance.address in ("", "*") and not entrance.is_named
    trusts_few = entrance.certificate and bool(entrance.cipher)
    if not entrance.is_for_clients and anybody and not trusts_few:
        yield (
            "anybody",
            Finding(
                subject,
                f"any queue manager may open it, {f'as {entrance.user}' if entrance.user else 'with all authority'}",
                f"ALTER CHANNEL('{channel}') CHLTYPE({entrance.kind}) {_TLS} SSLCAUTH(REQUIRED), or SET CHLAUTH with "
                "its addresses and a last record for '*' with USERSRC(NOACCESS)",
            ),
        )


def _administration(estate: Estate) -> Iterator[Finding]:
    admin = estate.admin
    if admin is None:
        return
    if admin.is_socket and admin.mode & 0o077:
        yield Finding(
            "admin endpoint",
            f"others than its owner may use {admin.place} (mode {admin.mode:o}), as administrators",
            "end its endpoint with :mode=600",
        )
    if not admin.is_socket and not admin.is_local:
        yield Finding(
            "admin endpoint",
            f"{admin.place} can be reached from other machines, in clear",
            "use the Unix socket, and [web] for others",
        )


def _web(estate: Estate) -> Iterator[Finding]:
    web = estate.web
    if web is None:
        return
    if web.plain and not web.is_local:
        yield Finding("web endpoint", f"{web.place} can be reached in clear", "remove plain = true from [web]")
    label = (web.label or estate.queue_manager.text("CERTLABL") or estate.default_label).lower()
    if not web.plain and all(each.label.lower() != label for each in estate.certificates if each.role == "own"):
        yield Finding(
            "web endpoint", f"there is no certificate {label}", f"mqbridge certificate create --label {label}"
        )


def _inputs(estate: Estate) -> Iterator[Finding]:
    for each in estate.inputs:
        subject = f"input of route {each.route}"
        if not each.is_local and not each.users:
            yield Finding(
                subject, f"anybody may send messages to {each.place}", "name users in place of anonymous = true"
            )
        if not each.is_local and each.plain:
            yield Finding(subject, f"{each.place} can be reached in clear", "remove plain = true from its input")


def _open_files(estate: Estate) -> Iterator[Finding]:
    for place, command in estate.open_places:
        yield Finding(place, "others than its owner may read it", command)


def _revealing_settings(estate: Estate) -> Iterator[Finding]:
    if estate.key_log:
        yield Finding(
            "[tls] key_log",
            f"whoever reads {estate.key_log} can decrypt all traffic",
            "remove it from the configuration, and the file, once it is not needed",
        )
    if estate.recorded_passwords:
        yield Finding(
            "[record] passwords",
            f"captures in {estate.recorded_passwords} have passwords in clear",
            "remove it from the configuration",
        )


DOOR_RULES: Final[tuple[Callable[[Estate], Iterator[Finding]], ...]] = (
    _unusable_users,
    _no_users,
    _disabled_rules,
    _host_names,
    _open_entrances,
    _administration,
    _web,
    _inputs,
    _open_files,
    _revealing_settings,
)
