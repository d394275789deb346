"""Users: names, groups and password hashes, and the text that keeps them.

One user a line, ``name:group,group:hash``; lines that begin with ``#`` and blank ones are passed over, but for the line
with the sum of all users: where that is there and differs, the file is not what was written. Names are case-sensitive.
`Users` is a value: changing one gives another.
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
"""The user, and the group, that may do everything (``*MQADMIN`` of CHLAUTH, channels.md 14)."""
EVERYBODY_ELSE: Final = "nobody"
"""The group of users that no line names."""
CHANNEL_USER: Final = "mca"
"""Whose authorities message channels have that receive and have no MCAUSER. Nobody connects as this user."""
SHOWN: Final = 12
"""Characters of a user that a message descriptor holds."""
MAX_USERS: Final = 100_000
MAX_NAME: Final = 64
"""Characters of a user or group; what MCAUSER and the long user id of a client hold."""
MAX_GROUPS: Final = 64
HEADER: Final = "# Users of a queue manager: name:groups:hash. Changed with 'mqbridge user'.\n"
SUM_LINE: Final = "# {} users, sum {:08x}"
_SUM_LINE = re.compile(r"# (\d{1,9}) users, sum ([0-9a-f]{8})")
_LIKE_SUM_LINE = re.compile(r"^.*users, sum.*$", re.MULTILINE)
NAMES: Final = f"1 to {MAX_NAME} letters, digits and . _ - @ + / \\, a letter or digit first"
_OF_ITS_OWN: Final = (CHANNEL_USER, EVERYBODY_ELSE)
"""Names that are no user's: those of channels, and of whoever says no name."""
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
        """The user of this name."""
        return self.by_name.get(name)

    def groups_of(self, name: str) -> tuple[str, ...]:
        """The groups of a user; one that no line names is in `EVERYBODY_ELSE`, `CHANNEL_USER` in none."""
        if name == CHANNEL_USER:
            return ()
        user = self.by_name.get(name)
        return user.groups if user is not None else (EVERYBODY_ELSE,)

    def is_privileged(self, name: str) -> bool:
        """Whether a user may do everything: `ADMINISTRATORS` itself or a member of that group."""
        return name == ADMINISTRATORS or ADMINISTRATORS in self.groups_of(name)

    def check_new(self, name: str, groups: Iterable[str]) -> None:
        """Raises `UserError` where a user of this name and these groups cannot be added: there is one of the name, or
        one that looks like it, or a name is none."""
        if name in self.by_name:
            raise UserError(f"user {name} exists already")
        if len(self.by_name) >= MAX_USERS:
            raise UserError(f"there are {MAX_USERS} users already")
        check_user(name, groups)
        check_distinct([*((user.name, user.groups) for user in self), (name, groups)])

    def check(self) -> None:
        """Raises `UserError` where some of them look like each other, or like a name with a meaning: a file that was
        written by hand, or by a release that took such names, whose operator must remove one of them."""
        for user in self.by_name.values():
            check_user(user.name, user.groups)
        check_distinct((user.name, user.groups) for user in self)

    def added(self, user: User) -> Users:
        """With one more user. Raises `UserError` as `check_new`."""
        self.check_new(user.name, user.groups)
        if len(user.groups) > MAX_GROUPS:
            raise UserError(f"more than {MAX_GROUPS} groups")
        return Users({**self.by_name, user.name: replace(user, groups=tuple(dict.fromkeys(user.groups)))})

    def removed(self, name: str) -> Users:
        """Without a user. Raises `UserError` where there is none."""
        self.existing(name)
        return Users({key: user for key, user in self.by_name.items() if key != name})

    def with_password(self, name: str, password: PasswordHash) -> Users:
        """With another password of a user. Raises `UserError` where there is none."""
        return Users({**self.by_name, name: replace(self.existing(name), password=password)})

    def existing(self, name: str) -> User:
        """The user of this name; raises `UserError` where there is none."""
        user = self.by_name.get(name)
        if user is None:
            raise UserError(f"there is no user {name}")
        return user

    def text(self) -> str:
        """What a file of them holds."""
        lines = [f"{user.name}:{','.join(user.groups)}:{user.password}" for user in self]
        return "\n".join([HEADER + SUM_LINE.format(len(lines), _sum_of(lines)), *lines, ""])


def is_user_name(name: str) -> bool:
    """Whether somebody may be called so who connects: printable ASCII without blanks, of no more than `MAX_NAME`
    characters, and not what the queue manager calls channels."""
    return 0 < len(name) <= MAX_NAME and all("!" <= each <= "~" for each in name) and name != CHANNEL_USER


def check_user(name: str, groups: Iterable[str]) -> None:
    """Raises `UserError` for names that no user or group can have, or that look like a name with a meaning."""
    check_name(name)
    lower = name.lower()
    if lower in _OF_ITS_OWN or (lower == ADMINISTRATORS and name != ADMINISTRATORS):
        raise UserError(f"'{name}' cannot name a user: {lower} is a name that the queue manager has given")
    for group in groups:
        check_name(group, "group")
        if group.lower() == ADMINISTRATORS and group != ADMINISTRATORS:
            raise UserError(f"'{group}' cannot name a group: it looks like {ADMINISTRATORS}")


def check_distinct(users: Iterable[tuple[str, Iterable[str]]]) -> None:
    """Raises `UserError` where two users, given with their groups, have the same first `SHOWN` characters, case aside,
    since descriptors show no more of them; and where two groups differ in case alone."""
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
    """Raises `UserError` for what cannot be the name of a user or group."""
    if not _NAME.fullmatch(name):
        raise UserError(f"'{name}' cannot name a {what}: {NAMES}")


def _sum_of(lines: Iterable[str]) -> int:
    """CRC32 of the lines of users."""
    return crc32("\n".join(lines).encode())


def _check_sum(text: str) -> None:
    """Raises `UserError` where the users are not those whose sum stands in the file, or only its front is left."""
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
    """The users of a file. Raises `UserError` that names the line."""
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
