"""Authority records: what a user may do with an object (SET AUTHREC).

A record grants authorities to a principal or group, for one object or for all that its profile matches. A user has the
union of its own authorities and those of its groups; of several matching profiles of one entity, only the most specific
counts, even if it grants nothing. Administrators may do everything.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from .login import Line
from .records import SecurityRecord
from .specificity import matches_profile, specificity
from .users import ADMINISTRATORS, EVERYBODY_ELSE, Users

MAX_CACHED: Final = 20_000
"""Number of cached answers: names come from programs, which may send any."""
SELF: Final = "self"
"""Profile of the queue manager's own records."""
NOTHING: Final[frozenset[str]] = frozenset()
DEVICES: Final = "devices"
"""Group of the devices of Everyplace, which put messages over the bridge."""


@dataclass(frozen=True, slots=True)
class Denial:
    """Why something is not authorized: text for the log; a program only gets 2035."""

    user: str
    object_type: str
    name: str
    missing: tuple[str, ...]

    @property
    def log(self) -> Line:
        """Return the line for the operator."""
        return "AMQ8077", (self.user, self.name, self.object_type, ", ".join(self.missing).lower())

    def __str__(self) -> str:
        needed = ", ".join(self.missing).lower()
        return f"user '{self.user}' has no authority {needed} for {self.object_type} {self.name}"


class Authorities:
    """The AUTHREC records of a queue manager, sorted for use, applied to ``users``."""

    __slots__ = ("_answers", "_devices", "_owners", "_profiles", "generation", "users")

    def __init__(self, users: Users | None = None) -> None:
        self.users = users if users is not None else Users()
        self.generation = 0
        """Number of changes to records and users; a cached permission is valid for one generation."""
        self._profiles: dict[tuple[str, str, str], list[tuple[str, frozenset[str]]]] = {}
        self._owners: dict[str, str] = {}
        self._devices: set[str] = set()
        self._answers: dict[tuple[str, str, str], tuple[frozenset[str], bool]] = {}

    def take(self, records: Iterable[SecurityRecord]) -> None:
        """Replace the records."""
        self.generation += 1
        self._answers.clear()
        self._profiles = {}
        for record in records:
            whose = (record.text("ENTTYPE"), record.text("ENTITY"), record.text("OBJTYPE"))
            self._profiles.setdefault(whose, []).append((record.name, frozenset(record.texts("AUTHLIST"))))
        for profiles in self._profiles.values():
            profiles.sort(key=lambda profile: specificity(profile[0], "*?"))

    def take_users(self, users: Users) -> None:
        """Replace the users and their groups."""
        self.generation += 1
        self.users = users
        self._answers.clear()

    def admit_device(self, name: str) -> None:
        """Let a device of Everyplace be a user: a member of group `DEVICES`, and of those that the file gives it."""
        if name not in self._devices:
            self._devices.add(name)
            self.generation += 1
            self._answers.clear()

    def dismiss_device(self, name: str) -> None:
        """Take a name out of group `DEVICES`; what the file of users gives it stays."""
        if name in self._devices:
            self._devices.remove(name)
            self.generation += 1
            self._answers.clear()

    def _groups_of(self, user: str) -> tuple[str, ...]:
        if user not in self._devices:
            return self.users.groups_of(user)
        return (DEVICES, *(self.users.groups_of(user) if self.users.find(user) is not None else ()))

    def own(self, queue: str, user: str) -> None:
        """Give the creator of a dynamic queue all authorities for it, until `disown`."""
        self._owners[queue] = user

    def disown(self, queue: str) -> None:
        """Forget a deleted dynamic queue."""
        self._owners.pop(queue, None)

    def held(self, user: str, object_type: str, name: str) -> frozenset[str]:
        """Return the authorities that a user who is not an administrator has for an object."""
        return self._answer(user, object_type, name)[0]

    def held_by_group(self, group: str, object_type: str, name: str) -> frozenset[str]:
        """Return the authorities that the records of a group grant for an object."""
        return self._most_specific(("GROUP", group, object_type), name) or NOTHING

    def has_all(self, kind: str, entity: str, object_type: str, name: str) -> bool:
        """Return whether a PRINCIPAL or GROUP has all authorities for an object regardless of records."""
        if kind == "GROUP":
            return entity == ADMINISTRATORS
        return self.users.is_privileged(entity) or (object_type == "QUEUE" and self._owners.get(name) == entity)

    def knows(self, kind: str, entity: str) -> bool:
        """Return whether a PRINCIPAL or GROUP occurs in users or records."""
        if any(each[:2] == (kind, entity) for each in self._profiles):
            return True
        if kind == "GROUP":
            given = (ADMINISTRATORS, EVERYBODY_ELSE, DEVICES)
            return entity in given or any(entity in user.groups for user in self.users)
        return self.users.find(entity) is not None or self.users.is_privileged(entity)

    def withheld(self, user: str, object_type: str, name: str) -> bool:
        """Return whether records match user and object, and none of the decisive ones grants anything."""
        held, spoken = self._answer(user, object_type, name)
        return spoken and not held

    def missing(self, user: str, object_type: str, name: str, needed: Iterable[str]) -> Denial | None:
        """Return None if a user has all the needed authorities for an object, else what is missing."""
        if self.users.is_privileged(user) or (object_type == "QUEUE" and self._owners.get(name) == user and user):
            return None
        lacking = frozenset(needed) - self.held(user, object_type, name)
        return Denial(user, object_type, name, tuple(sorted(lacking))) if lacking else None

    def missing_on_path(self, user: str, path: Sequence[str], needed: str) -> Denial | None:
        """Check an authority for a topic: at the nearest topic object first, then at its parents up to the root.

        The first object that grants the authority decides. One for which records grant nothing at all ends the search:
        so a branch can be denied to a user who has the root.
        """
        if self.users.is_privileged(user):
            return None
        for name in path:
            if needed in self.held(user, "TOPIC", name):
                return None
            if self.withheld(user, "TOPIC", name):
                break
        return Denial(user, "TOPIC", path[0] if path else "", (needed,))

    def _answer(self, user: str, object_type: str, name: str) -> tuple[frozenset[str], bool]:
        key = (user, object_type, name)
        answer = self._answers.get(key)
        if answer is None:
            if len(self._answers) >= MAX_CACHED:
                self._answers.clear()
            answer = self._answers[key] = self._find(user, object_type, name)
        return answer

    def _find(self, user: str, object_type: str, name: str) -> tuple[frozenset[str], bool]:
        entities = [("PRINCIPAL", user), *(("GROUP", group) for group in self._groups_of(user))]
        found = [
            authorities
            for entity in entities
            if (authorities := self._most_specific((*entity, object_type), name)) is not None
        ]
        return NOTHING.union(*found), bool(found)

    def _most_specific(self, whose: tuple[str, str, str], name: str) -> frozenset[str] | None:
        for profile, authorities in self._profiles.get(whose, ()):
            if matches_profile(profile, name):
                return authorities
        return None
