"""What is known of a queue manager and its doors before it is judged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from mqbridge.bridge.security.records import SecurityRecord
from mqbridge.bridge.security.users import Users


@dataclass(slots=True)
class Record:
    """A definition as it was displayed: ``attributes`` by MQSC keyword."""

    name: str
    attributes: Mapping[str, str | int | tuple[str, ...]] = field(default_factory=dict)

    def text(self, keyword: str) -> str:
        """Return a keyword or text; empty if there is no such attribute."""
        value = self.attributes.get(keyword, "")
        return "" if isinstance(value, tuple) else str(value)

    def texts(self, keyword: str) -> tuple[str, ...]:
        """Return a list; empty if there is no such attribute."""
        value = self.attributes.get(keyword, ())
        if isinstance(value, tuple):
            return value
        return (str(value),) if value else ()

    def integer(self, keyword: str) -> int:
        """Return a number; 0 if there is no such attribute."""
        value = self.attributes.get(keyword, 0)
        return value if isinstance(value, int) else 0


@dataclass(frozen=True, slots=True)
class ListeningAddress:
    """An address at which channels are accepted. ``place``: as shown. ``host``: blank for all addresses; a path counts
    as this machine."""

    place: str
    host: str
    is_local: bool


@dataclass(frozen=True, slots=True)
class AdminDoor:
    """The admin endpoint. ``is_socket``: a Unix socket, with ``mode``. ``is_local``: only this machine reaches it."""

    place: str
    is_socket: bool
    is_local: bool = True
    mode: int = 0o600


@dataclass(frozen=True, slots=True)
class WebDoor:
    """The web endpoint. ``label``: of its certificate, blank for the default one. ``plain``: without TLS."""

    place: str
    is_local: bool
    label: str = ""
    plain: bool = False


@dataclass(frozen=True, slots=True)
class InputDoor:
    """The endpoint of an HTTP input. ``users``: who may send, nobody is asked if there are none."""

    route: str
    place: str
    is_local: bool
    users: tuple[str, ...] = ()
    plain: bool = False


@dataclass(frozen=True, slots=True)
class CertificateFact:
    """A certificate of the key repository.

    ``role``: ``own``, ``above`` (in the chain of an own one), ``trusted`` or ``authority``. ``not_before``,
    ``not_after``: seconds since the epoch. ``key``: ``RSA``, ``ECDSA`` or another word. ``problem``: why the file
    cannot be used, and what to do; the other fields then mean nothing. ``missing_issuer``: the first one that is
    missing above it, blank if its chain is complete.
    """

    label: str
    role: str
    subject: str = ""
    not_before: float = 0.0
    not_after: float = 0.0
    key: str = ""
    problem: str = ""
    missing_issuer: str = ""


@dataclass(frozen=True, slots=True)
class RevocationFact:
    """A list of revoked certificates. ``next_update``: seconds since the epoch, None if it has no end."""

    issuer: str
    next_update: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Estate:
    """One queue manager, its certificates and its doors.

    ``now``: when it was looked at, in seconds since the epoch. ``users``: None if their file cannot be used, for
    ``users_problem``. ``repository_problem``: why the folder of certificates cannot be used. ``issuers_without_list``:
    trusted authorities without a list of revoked certificates, where those are required. ``open_places``: files and
    folders that others may read, and what to do. ``key_log``: a file with the keys of sessions. ``recorded_passwords``:
    a folder of captures with passwords.
    """

    now: float
    queue_manager: SecurityRecord
    channels: tuple[SecurityRecord, ...] = ()
    channel_rules: tuple[SecurityRecord, ...] = ()
    authentications: tuple[SecurityRecord, ...] = ()
    listeners: tuple[ListeningAddress, ...] = ()
    admin: AdminDoor | None = None
    web: WebDoor | None = None
    inputs: tuple[InputDoor, ...] = ()
    users: Users | None = None
    users_problem: str = ""
    repository_problem: str = ""
    default_label: str = ""
    certificates: tuple[CertificateFact, ...] = ()
    revocations: tuple[RevocationFact, ...] = ()
    issuers_without_list: tuple[str, ...] = ()
    open_places: tuple[tuple[str, str], ...] = ()
    key_log: str = ""
    recorded_passwords: str = ""

    @property
    def is_exposed(self) -> bool:
        """Whether other machines can reach a listener."""
        return any(not each.is_local for each in self.listeners)

    def label_of(self, channel: SecurityRecord) -> str:
        """The label of the certificate that a channel uses."""
        return (channel.text("CERTLABL") or self.queue_manager.text("CERTLABL") or self.default_label).lower()
