"""Users: names, groups and password hashes, and the text format of the file.

One user per line, ``name:group,group:hash``; blank lines and lines that begin with ``#`` are skipped, except for the
line with the checksum of all users: if it is there and differs, the file is not what was written. Names are
case-sensitive. `Users` is a value: changing one returns another.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final
from zlib import crc32

from .errors import UserError
from .passwords import PasswordHash, parse_hash

ADMINISTRATORS: Final = "mqm"
"""The user and the group that may do everything (``*MQADMIN`` of CHLAUTH, channels.md 14)."""
EVERYBODY_ELSE: Final = "nobody"
"""The group of users that are not in the file."""
CHANNEL_USER: Final = "mca"
"""The user of receiving message channels without MCAUSER. Nobody can connect as this user."""
SHOWN: Final = 12
"""Length of the user identifier in a message descriptor."""
MAX_USERS: Final = 100_000
MAX_NAME: Final = 64
"""Longest user or group name: the length of MCAUSER and of a client's long user id."""
MAX_GROUPS: Final = 64
HEADER: Final = "# Users of a queue manager: name:groups:hash. Changed with 'mqbridge user'.\n"
SUM_LINE: Final = "# {} users, sum {:08x}"
_SUM_LINE = re.compile(r"# (\d{1,9}) users, sum ([0-9a-f]{8})")
_LIKE_SUM_LINE = re.compile(r"^.*users, sum.*$", re.MULTILINE)
NAMES: Final = f"1 to {MAX_NAME} letters, digits and . _ - @ + / \\, a letter or digit first"
_OF_ITS_OWN: Final = (CHANNEL_USER, EVERYBODY_ELSE)
"""Reserved names: the user of channels, and the group of unknown users."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@+/\\-]{0,63}")


@dataclass(frozen=True, slots=True)
class User:
    """One user; ``groups`` in order, without duplicates."""

    name: str
    password: PasswordHash = field(repr=False)
    groups: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Users:
    """All users of a queue manager, by name."""

    by_name: Mapping[str, User] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.by_name)

    def __iter__(self) -> Iterator[User]:
        return iter(sorted(self.by_name.values(), key=lambda user: user.name))

    def find(self, name: str) -> User | None:
        """Return the user with this name, or None."""
        return self.by_name.get(name)

    def groups_of(self, name: str) -> tuple[str, ...]:
        """Return the groups of a user; an unknown user is in `EVERYBODY_ELSE`, `CHANNEL_USER` in none."""
        if name == CHANNEL_USER:
            return ()
        user = self.by_name.get(name)
        return user.groups if user is not None else (EVERYBODY_ELSE,)

    def is_privileged(self, name: str) -> bool:
        """Return whether a user may do everything: `ADMINISTRATORS` itself or a member of that group."""
        return name == ADMINISTRATORS or ADMINISTRATORS in self.groups_of(name)

    def check_new(self, name: str, groups: Iterable[str]) -> None:
        """Raise `UserError` if a user with this name and groups cannot be added: the name exists, resembles another, or
        is invalid."""
        if name in self.by_name:
            raise UserError(f"user {name} exists already")
        if len(self.by_name) >= MAX_USERS:
            raise UserError(f"there are {MAX_USERS} users already")
        check_user(name, groups)
        check_distinct([*((user.name, user.groups) for user in self), (name, groups)])

    def check(self) -> None:
        """Raise `UserError` if names resemble each other or a reserved name: such a file was edited by hand or written
        by an older release, and the operator must remove a user."""
        for user in self.by_name.values():
            check_user(user.name, user.groups)
        check_distinct((user.name, user.groups) for user in self)

    def added(self, user: User) -> Users:
        """Return the users with one more. Raises `UserError` as `check_new`."""
        self.check_new(user.name, user.groups)
        if len(user.groups) > MAX_GROUPS:
            raise UserError(f"more than {MAX_GROUPS} groups")
        return Users({**self.by_name, user.name: replace(user, groups=tuple(dict.fromkeys(user.groups)))})

    def removed(self, name: str) -> Users:
        """Return the users without one. Raises `UserError` if it does not exist."""
        self.existing(name)
        return Users({key: user for key, user in self.by_name.items() if key != name})

    def with_password(self, name: str, password: PasswordHash) -> Users:
        """Return the users with another password for one. Raises `UserError` if it does not exist."""
        return Users({**self.by_name, name: replace(self.existing(name), password=password)})

    def existing(self, name: str) -> User:
        """Return the user with this name. Raises `UserError` if it does not exist."""
        user = self.by_name.get(name)
        if user is None:
            raise UserError(f"there is no user {name}")
        return user

    def text(self) -> str:
        """Return the contents of their file."""
        lines = [f"{user.name}:{','.join(user.groups)}:{user.password}" for user in self]
        return "\n".join([HEADER + SUM_LINE.format(len(lines), _sum_of(lines)), *lines, ""])


def is_user_name(name: str) -> bool:
    """Return whether a connecting user may have this name: printable ASCII without blanks, at most `MAX_NAME`
    characters, and not the name of the channels' user."""
    return 0 < len(name) <= MAX_NAME and all("!" <= each <= "~" for each in name) and name != CHANNEL_USER


def check_user(name: str, groups: Iterable[str]) -> None:
    """Raise `UserError` for invalid user or group names, and for those that resemble a reserved name."""
    check_name(name)
    lower = name.lower()
    if lower in _OF_ITS_OWN or (lower == ADMINISTRATORS and name != ADMINISTRATORS):
        raise UserError(f"'{name}' cannot name a user: {lower} is a name that the queue manager has given")
    for group in groups:
        check_name(group, "group")
        if group.lower() == ADMINISTRATORS and group != ADMINISTRATORS:
            raise UserError(f"'{group}' cannot name a group: it looks like {ADMINISTRATORS}")


def check_distinct(users: Iterable[tuple[str, Iterable[str]]]) -> None:
    """Raise `UserError` if two users agree in their first `SHOWN` characters, ignoring case, because descriptors hold
    no more; or if two groups differ in case only."""
    names: dict[str, str] = {}
    known: dict[str, str] = {}
    for name, groups in users:
        other = names.setdefault(name[:SHOWN].lower(), name)
        if other != name:
            raise UserError(
                f"users {other} and {name} cannot be told from each other by their first {SHOWN} characters, "
                "case aside, which are all that a message descriptor holds"
            )
        for group in groups:
            other = known.setdefault(group.lower(), group)
            if other != group:
                raise UserError(f"groups {other} and {group} differ in case alone")


def check_name(name: str, what: str = "user") -> None:
    """Raise `UserError` for an invalid name of a user or group."""
    if not _NAME.fullmatch(name):
        raise UserError(f"'{name}' cannot name a {what}: {NAMES}")


def _sum_of(lines: Iterable[str]) -> int:
    """Return the CRC32 of the lines of users."""
    return crc32("\n".join(lines).encode())


def _check_sum(text: str) -> None:
    """Raise `UserError` if the users do not match the checksum in the file, or the file is truncated."""
    lines = [line for line in text.split("\n") if line.strip() and not line.startswith("#")]
    sum_line = _LIKE_SUM_LINE.search(text)
    if sum_line is None and not lines and (HEADER.startswith(text) or text.startswith(HEADER)):
        raise UserError("cut short: no user is in it; where there are none there is no file")
    if sum_line is None:
        return
    found = _SUM_LINE.fullmatch(sum_line[0])
    if found is None:
        raise UserError(f"not what was written: the line with the sum is {sum_line[0][:80]!r}")
    if (len(lines), _sum_of(lines)) != (int(found[1]), int(found[2], 16)):
        raise UserError(
            f"not what was written: {found[1]} users were, {len(lines)} are there or their sum differs. Take a copy of "
            "the file; or, if you changed it by hand, remove the line with the sum"
        )


def parse_users(text: str) -> Users:
    """Parse a file of users. Raises `UserError` that names the line."""
    if "\0" in text:  # a comment whose end is gone would hide the users behind it
        raise UserError("not what was written: zeros where text was")
    _check_sum(text)
    users: dict[str, User] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        try:
            user = _user(line)
            if user.name in users:
                raise UserError(f"user {user.name} stands there twice")
            if len(users) >= MAX_USERS:
                raise UserError(f"more than {MAX_USERS} users")
        except UserError as error:
            raise UserError(f"line {number}: {error}") from error
        users[user.name] = user
    return Users(users)


def _user(line: str) -> User:
    parts = line.strip().split(":")
    if len(parts) != 3:
        raise UserError("not name:groups:hash")
    name, groups, password = parts
    check_name(name)
    names = tuple(dict.fromkeys(group for group in groups.split(",") if group))
    for group in names:
        check_name(group, "group")
    if len(names) > MAX_GROUPS:
        raise UserError(f"more than {MAX_GROUPS} groups")
    return User(name, parse_hash(password), names)
