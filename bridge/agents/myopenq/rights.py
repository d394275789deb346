"""Who may do what at a door: the files ``user.allow`` and ``admin.allow``, by address (M-094 to M-098, M-111)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final, NamedTuple

from mqbridge.bridge.security.addresses import normal_address
from mqbridge.protocol.myopenq import Command, MoqError, queue_name

ADMINISTRATION: Final = frozenset({Command.CREATE, Command.DELETE, Command.SHUTDOWN})
"""Commands that only a line of ``admin.allow`` grants."""
ADMIN_FILE: Final = "admin.allow"
USER_FILE: Final = "user.allow"


class RightsFault(NamedTuple):
    """A line that grants nothing. ``file``: `ADMIN_FILE` or `USER_FILE`."""

    file: str
    line: int
    reason: str


class Places:
    """Addresses and networks."""

    __slots__ = ("_addresses", "_networks")

    def __init__(self, networks: Iterable[IPv4Network | IPv6Network] = ()) -> None:
        self._addresses: set[IPv4Address | IPv6Address] = set()
        self._networks: list[IPv4Network | IPv6Network] = []
        for each in networks:
            self.add(each)

    def add(self, network: IPv4Network | IPv6Network) -> None:
        """Add a network, or one address as the network of it alone."""
        if network.prefixlen == network.max_prefixlen:
            self._addresses.add(network.network_address)
        else:
            self._networks.append(network)

    def __contains__(self, address: object) -> bool:
        return address in self._addresses or any(address in each for each in self._networks)


class Rights:
    """What addresses may do. ``users``: by queue. ``admin_purge``: PURGE needs a line of ``admin.allow`` (K-24)."""

    __slots__ = ("_admin_only", "_admins", "_users")

    def __init__(self, admins: Places, users: dict[str, Places], *, admin_purge: bool = False) -> None:
        self._admins = admins
        self._users = users
        self._admin_only = ADMINISTRATION | ({Command.PURGE} if admin_purge else set())

    def admit(self, address: str, command: Command, queue: str) -> bool:
        """Whether the address may make the command on the queue."""
        found = _address(address)
        if found is None:
            return False
        if found in self._admins:
            return True
        return command not in self._admin_only and queue in self._users and found in self._users[queue]


def read_rights(admin: str, user: str, *, admin_purge: bool = False) -> tuple[Rights, list[RightsFault]]:
    """Read the texts of both files, ``IP`` and ``IP, queue`` a line, with networks and comments behind ``#``.

    A line that is neither grants nothing; the faults say which.
    """
    admins, users = Places(), dict[str, Places]()
    faults: list[RightsFault] = []
    for number, line in _lines(admin):
        try:
            admins.add(ip_network(line, strict=False))
        except ValueError:
            faults.append(RightsFault(ADMIN_FILE, number, f"{line!r} is no address"))
    for number, line in _lines(user):
        where, comma, queue = (part.strip() for part in line.partition(","))
        try:
            network = ip_network(where, strict=False)
            users.setdefault(queue_name(queue), Places()).add(network)
        except ValueError:
            faults.append(RightsFault(USER_FILE, number, f"{where!r} is no address"))
        except MoqError:
            faults.append(RightsFault(USER_FILE, number, f"{queue!r} is no queue" if comma else "no queue is named"))
    return Rights(admins, users, admin_purge=admin_purge), faults


def local_rights(*, admin_purge: bool = False) -> Rights:
    """The rights of a door without files: whoever is on this machine may do everything."""
    return Rights(Places([ip_network("127.0.0.0/8"), ip_network("::1")]), {}, admin_purge=admin_purge)


def _lines(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.splitlines(), 1):
        line = line.partition("#")[0].strip()
        if line:
            yield number, line


@lru_cache(maxsize=1024)
def _address(address: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(normal_address(address))
    except ValueError:
        return None
