"""Settings of one queue manager: one class per TOML table, one field per key."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from mqbridge.bridge.config import values
from mqbridge.bridge.config.bus_settings import BusSettings
from mqbridge.bridge.config.carrier_settings import LinkSettings, RouteSettings
from mqbridge.bridge.config.declarations import named_tables, optional_table, setting, table, tables
from mqbridge.bridge.config.everyplace_settings import EveryplaceSettings
from mqbridge.bridge.config.myopenq_settings import MyOpenQSettings
from mqbridge.bridge.config.partner_settings import PartnerSettings

DEFAULT_QUEUE_MANAGER = "MQBRIDGE"
DEFAULT_DATA = "mqbridge-data"
DEFAULT_LISTENER = "tcp:1414:interface=127.0.0.1"
USERS_FILE = "users"
"""Default name of the file of users in the data folder."""
KEY_FOLDER = "ssl"
"""Default name of the folder of certificates in the data folder."""
ADMIN_SOCKET = "admin.sock"
"""Default name of the admin socket in the data folder."""
MIN_MAP_SIZE = 1 << 20
DEFAULT_MAP_SIZE = 64 << 30
DEFAULT_KEEP_FREE = 1 << 20
MAX_CHANNELS = 1_000_000
MAX_LOGINS = 1_000
MIN_UNSENT = 1 << 20
DEFAULT_UNSENT = 64 << 20
MIN_CAPTURE = 1 << 16
DEFAULT_FILE_SIZE = 100 << 20
DEFAULT_FILE_TIME = 3600.0
DEFAULT_KEEP = 10 << 30


@dataclass(slots=True, kw_only=True)
class QueueManagerSettings:
    """``[queue_manager]``: its name and data."""

    name: str = setting(values.object_name, DEFAULT_QUEUE_MANAGER)
    """Name of the queue manager; case-sensitive."""
    data: Path = setting(values.path, Path(DEFAULT_DATA))
    """Folder of its messages and objects, used by one process at a time."""
    mqsc: list[Path] = setting(values.list_of(values.path), [])
    """MQSC files to run at every start, in this order."""
    stop_wait: float = setting(values.seconds(0), 10.0)
    """Seconds that a stop waits for batches and clients to end before it forces them."""


@dataclass(slots=True, kw_only=True)
class StoreSettings:
    """``[store]``: storage of messages."""

    kind: str = setting(values.choice("lmdb", "memory"), "lmdb")
    """``lmdb`` keeps persistent messages on disk, ``memory`` keeps nothing after a stop."""
    map_size: int = setting(values.size(MIN_MAP_SIZE), DEFAULT_MAP_SIZE)
    """Address space of the store in bytes, which bounds its contents. Disk space is used only as it fills."""
    keep_free: int = setting(values.size(0), DEFAULT_KEEP_FREE)
    """Bytes of disk reserved for a start, so that it succeeds on a full disk."""


@dataclass(slots=True, kw_only=True)
class ListenerSettings:
    """``[[listener]]``: an endpoint for channels and clients."""

    endpoint: str = setting(values.endpoint)
    """Twisted endpoint string, such as ``tcp:1414:interface=127.0.0.1``."""


@dataclass(slots=True, kw_only=True)
class ChannelSettings:
    """``[channels]``: limits for all channels together."""

    adopt: str = setting(values.choice("all", "no"), "all")
    """``all``: a second instance from the same channel, queue manager and address replaces the old one, whose batch is
    backed out. ``no``: the second one is refused (AMQ9514)."""
    max: int = setting(values.whole_number(1, MAX_CHANNELS), 10_000)
    """Maximum number of connections."""
    max_per_address: int = setting(values.whole_number(1, MAX_CHANNELS), 1_000)
    """Maximum number of connections from one network address."""
    handshake_timeout: float = setting(values.seconds(0.1), 30.0)
    """Seconds until a new connection must have finished its negotiation."""
    stalled_timeout: float = setting(values.seconds(1), 120.0)
    """Seconds after which a connection is ended whose partner does not read."""


@dataclass(slots=True, kw_only=True)
class LimitSettings:
    """``[limits]``: limits for all connections together."""

    unsent: int = setting(values.size(MIN_UNSENT), DEFAULT_UNSENT)
    """Bytes of memory for data that partners have not read yet."""


@dataclass(slots=True, kw_only=True)
class SecuritySettings:
    """``[security]``: who may connect."""

    users: Path | None = setting(values.path, None)
    """File of users and password hashes; None: ``users`` in the data folder."""


@dataclass(slots=True, kw_only=True)
class TlsSettings:
    """``[tls]``: TLS of channels; their certificates are in the folder that SSLKEYR of the queue manager names."""

    outbound_sni: str = setting(values.choice("channel", "hostname", "none"), "channel")
    """The server name that channels send when they call: the channel's, the partner's host name, or none."""
    crl: str = setting(values.choice("optional", "required"), "optional")
    """``required``: a certificate is refused if there is no revocation list of its issuer."""
    key_log: Path | None = setting(values.path, None)
    """File to which the keys of all sessions are appended, for Wireshark; None: no file."""


@dataclass(slots=True, kw_only=True)
class AdminSettings:
    """``[admin]``: the REST endpoint that the commands use."""

    endpoint: str | None = setting(values.endpoint, None)
    """Twisted endpoint string; None: a Unix socket in the data folder, for its owner only."""
    hosts: list[str] = setting(values.list_of(values.text), [])
    """Host names accepted in requests, besides localhost, the machine's name and the address itself."""


@dataclass(slots=True, kw_only=True)
class WebSettings:
    """``[web]``: the REST endpoint for users of other machines; roles and logins apply to an ``[admin]`` port too."""

    endpoint: str | None = setting(values.endpoint, None)
    """Twisted endpoint string, such as ``tcp:9443``; None: there is no such endpoint."""
    certificate: str | None = setting(values.text, None)
    """Label of its certificate; None: the queue manager's own."""
    plain: bool = setting(values.yes_or_no, False)
    """HTTP without TLS; only on a loopback address or a Unix socket."""
    administrators: list[str] = setting(values.list_of(values.text), ["mqm"])
    """Groups whose members may do everything (MQWebAdmin)."""
    readers: list[str] = setting(values.list_of(values.text), [])
    """Groups whose members may read everything and change nothing (MQWebAdminRO)."""
    hosts: list[str] = setting(values.list_of(values.text), [])
    """Host names accepted in requests, besides localhost, the machine's name and the address itself."""
    origins: list[str] = setting(values.list_of(values.origin), [])
    """Origins whose pages may use the endpoint from a browser (CORS), such as ``https://console.example.com``."""
    login_time: float = setting(values.seconds(1), 7200.0)
    """Seconds that a login is valid."""
    logins: int = setting(values.whole_number(1, MAX_LOGINS), 10)
    """Maximum number of logins of one user; one more ends the oldest."""


@dataclass(slots=True, kw_only=True)
class ServiceSettings:
    """``[services]``: programs of SERVICE objects."""

    enabled: bool = setting(values.yes_or_no, False)
    """Whether to run them; whoever may define a service can then run any program as the queue manager's user."""


@dataclass(slots=True, kw_only=True)
class RecordSettings:
    """``[record]``: recording of all connections, as captures for ``mqbridge replay`` and Wireshark."""

    directory: Path | None = setting(values.path, None)
    """Folder of the captures; None: no recording."""
    file_size: int = setting(values.size(MIN_CAPTURE), DEFAULT_FILE_SIZE)
    """Size of a capture in bytes after which new connections are written to the next one."""
    file_time: float = setting(values.seconds(1), DEFAULT_FILE_TIME)
    """Seconds after which new connections are written to the next capture."""
    keep: int = setting(values.size(MIN_CAPTURE), DEFAULT_KEEP)
    """Total size of captures to keep, in bytes; beyond it the oldest are deleted."""
    passwords: bool = setting(values.yes_or_no, False)
    """Whether to record passwords; otherwise they are replaced by asterisks."""


@dataclass(slots=True, kw_only=True)
class LogSettings:
    """``[log]``: output on standard error."""

    level: str = setting(values.choice("debug", "info", "warning", "error"), "info")
    """The least severe messages to write."""
    format: str = setting(values.choice("text", "json"), "text")
    """``text`` for people, ``json`` for programs, one object per line."""


@dataclass(slots=True, kw_only=True)
class Configuration:
    """All settings of a queue manager; the defaults are those of a start without a file."""

    queue_manager: QueueManagerSettings = table(QueueManagerSettings)
    """``[queue_manager]``"""
    store: StoreSettings = table(StoreSettings)
    """``[store]``"""
    listeners: list[ListenerSettings] = tables(
        ListenerSettings, "listener", lambda: [ListenerSettings(endpoint=DEFAULT_LISTENER)]
    )
    """``[[listener]]``, any number; without one, port 1414 of the loopback interface. ``listener = []``: none."""
    channels: ChannelSettings = table(ChannelSettings)
    """``[channels]``"""
    limits: LimitSettings = table(LimitSettings)
    """``[limits]``"""
    security: SecuritySettings = table(SecuritySettings)
    """``[security]``"""
    tls: TlsSettings = table(TlsSettings)
    """``[tls]``"""
    admin: AdminSettings = table(AdminSettings)
    """``[admin]``"""
    web: WebSettings = table(WebSettings)
    """``[web]``"""
    services: ServiceSettings = table(ServiceSettings)
    """``[services]``"""
    routes: list[RouteSettings] = tables(RouteSettings, "route", list)
    """``[[route]]``, any number; those with the same source in the order in which they are asked."""
    links: list[LinkSettings] = tables(LinkSettings, "link", list)
    """``[[link]]``, any number."""
    partners: list[PartnerSettings] = tables(PartnerSettings, "partner", list)
    """``[[partner]]``, any number."""
    buses: dict[str, BusSettings] = named_tables(BusSettings, "bus")
    """``[bus.NAME]``, any number, by name."""
    everyplace: EveryplaceSettings | None = optional_table(EveryplaceSettings)
    """``[everyplace]``; None: this is no gateway for devices."""
    myopenq: list[MyOpenQSettings] = tables(MyOpenQSettings, "myopenq", list)
    """``[[myopenq]]``, any number."""
    record: RecordSettings = table(RecordSettings)
    """``[record]``"""
    log: LogSettings = table(LogSettings)
    """``[log]``"""
    source: Path | None = field(default=None)
    """The file that was read, or None."""

    @property
    def users_file(self) -> Path:
        """The file of users: the configured one, or that in the data folder."""
        return self.security.users or self.queue_manager.data / USERS_FILE

    @property
    def key_folder(self) -> Path:
        """The folder of certificates of a queue manager whose SSLKEYR is blank."""
        return self.queue_manager.data / KEY_FOLDER

    @property
    def admin_endpoint(self) -> str:
        """The admin endpoint: the configured one, or a socket in the data folder, for its owner only."""
        socket = self.queue_manager.data / ADMIN_SOCKET
        return self.admin.endpoint or values.unix_endpoint(socket) + ":mode=600"
