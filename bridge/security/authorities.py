"""Authority records: what a user may do with an object (SET AUTHREC).

A record gives authorities to a principal or a group, for one object or for all that its profile means. What counts
for a user is the sum of what it and each of its groups have; of several profiles of one of them that mean the object,
the most specific counts alone, even where it gives nothing. Administrators may do everything.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from .login import Line
from .records import Record
from .specificity import matches_profile, specificity
from .users import ADMINISTRATORS, EVERYBODY_ELSE, Users

MAX_CACHED: Final = 20_000
"""Answers that are remembered: names come from programs, which may send any."""
SELF: Final = "self"
"""Profile of the records of the queue manager itself."""
NOTHING: Final[frozenset[str]] = frozenset()


@dataclass(frozen=True, slots=True)
class Denial:
    """Why somebody may not do something: what the log says; a program only learns 2035."""

    user: str
    object_type: str
    name: str
    missing: tuple[str, ...]

    @property
    def log(self) -> Line:
        """The line for the operator."""
        return "AMQ8077", (self.user, self.name, self.object_type, ", ".join(self.missing).lower())

    def __str__(self) -> str:
        needed = ", ".join(self.missing).lower()
        return f"user '{self.user}' has no authority {needed} for {self.object_type} {self.name}"


class Authorities:
    """The AUTHREC records of a queue manager, sorted for use, for the users of ``users``."""

    __slots__ = ("_answers", "_owners", "_profiles", "generation", "users")

    def __init__(self, users: Users | None = None) -> None:
        self.users = users if users is not None else Users()
        self.generation = 0
        """Counts the changes of records and users: what was allowed before one of them may not be allowed any more."""
        self._profiles: dict[tuple[str, str, str], list[tuple[str, frozenset[str]]]] = {}
        self._owners: dict[str, str] = {}
        self._answers: dict[tuple[str, str, str], tuple[frozenset[str], bool]] = {}

    def take(self, records: Iterable[Record]) -> None:
        """Takes over the records as they are now."""
        self.generation += 1
        self._answers.clear()
        self._profiles = {}
        for record in records:
            whose = (record.text("ENTTYPE"), record.text("ENTITY"), record.text("OBJTYPE"))
            self._profiles.setdefault(whose, []).append((record.name, frozenset(record.texts("AUTHLIST"))))
        for profiles in self._profiles.values():
            profiles.sort(key=lambda profile: specificity(profile[0], "*?"))

    def take_users(self, users: Users) -> None:
        """Takes over who is in which groups."""
        self.generation += 1
        self.users = users
        self._answers.clear()

    def own(self, queue: str, user: str) -> None:
        """A user made a dynamic queue: it has all authorities for it, until `disown`."""
        self._owners[queue] = user

    def disown(self, queue: str) -> None:
        """A queue is gone."""
        self._owners.pop(queue, None)

    def held(self, user: str, object_type: str, name: str) -> frozenset[str]:
        """The authorities that a user who is no administrator has for an object."""
        return self._answer(user, object_type, name)[0]

    def held_by_group(self, group: str, object_type: str, name: str) -> frozenset[str]:
        """The authorities that the records of a group give for an object."""
        return self._most_specific(("GROUP", group, object_type), name) or NOTHING

    def has_all(self, kind: str, entity: str, object_type: str, name: str) -> bool:
        """Whether a PRINCIPAL or GROUP has all authorities for an object, whatever the records say."""
        if kind == "GROUP":
            return entity == ADMINISTRATORS
        return self.users.is_privileged(entity) or (object_type == "QUEUE" and self._owners.get(name) == entity)

    def knows(self, kind: str, entity: str) -> bool:
        """Whether users or records speak of a PRINCIPAL or GROUP."""
        if any(each[:2] == (kind, entity) for each in self._profiles):
            return True
        if kind == "GROUP":
            return entity in (ADMINISTRATORS, EVERYBODY_ELSE) or any(entity in user.groups for user in self.users)
        return self.users.find(entity) is not None or self.users.is_privileged(entity)

    def withheld(self, user: str, object_type: str, name: str) -> bool:
        """Whether records speak of user and object, and none of those that count gives anything."""
        held, spoken = self._answer(user, object_type, name)
        return spoken and not held

    def missing(self, user: str, object_type: str, name: str, needed: Iterable[str]) -> Denial | None:
        """None if a user has all the authorities needed for an object, else what is missing."""
        if self.users.is_privileged(user) or (object_type == "QUEUE" and self._owners.get(name) == user and user):
            return None
        lacking = frozenset(needed) - self.held(user, object_type, name)
        return Denial(user, object_type, name, tuple(sorted(lacking))) if lacking else None

    def missing_on_path(self, user: str, path: Sequence[str], needed: str) -> Denial | None:
        """For topics: the object nearest to the topic is asked first, then its parents up to the root.

        The first that gives the authority settles it. One for which records give nothing at all ends the walk: so a
        branch is taken away from somebody who has its root.
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
        entities = [("PRINCIPAL", user), *(("GROUP", group) for group in self.users.groups_of(user))]
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
