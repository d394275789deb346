"""Connections as administration defines, changes and deletes them (mqe.md 13 and 16, E-311)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from mqbridge.bridge.everyplace.changes import Change
from mqbridge.bridge.everyplace.definitions.connection_definition import (
    ALIASES,
    SECRETS,
    TOKEN,
    ConnectionDefinition,
    first_hop,
)
from mqbridge.bridge.everyplace.definitions.properties import Alterable, Property
from mqbridge.bridge.everyplace.registry import Registry
from mqbridge.bridge.everyplace.resolution import real_name
from mqbridge.bridge.everyplace.secrets import PROPERTIES, Secrets, of_token
from mqbridge.bridge.everyplace.security.attributes import check_connection
from mqbridge.bridge.store.interface import Operation
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.names import check_name
from mqbridge.protocol.everyplace.token import Token


class Connections:
    """The connections of one queue manager. ``table``: them by name. ``secrets``: where what proves who is who is kept.

    A method that changes something has done so when it returns, and what it has done is undone if its change is not
    committed.
    """

    def __init__(self, name: str, registry: Registry, secrets: Secrets) -> None:
        self._name = name
        self._secrets = secrets
        self.table = {each.name: each for each in registry.connections()}
        self.changes = 0
        """Number of changes to them and to their secrets."""
        self._aliases = aliases_of(name, self.table)

    def aliases(self) -> dict[str, str]:
        """Other names of queue managers, and what they stand for (E-310)."""
        return self._aliases

    def create(self, definition: ConnectionDefinition) -> Change[None]:
        """Define a connection. Raises `EveryplaceError` CON_ALREADY_EXISTS, and as `put` does."""
        if definition.name in self.table:
            raise EveryplaceError(Code.CON_ALREADY_EXISTS, f"there is a connection {definition.name}")
        return self.put(definition)

    def put(self, definition: ConnectionDefinition) -> Change[None]:
        """Define a connection, in place of one of this name (E-251).

        Raises `EveryplaceError` CON_ALIAS_ALREADY_EXISTS, ALIAS_CYCLE for aliases or connections that lead back,
        TOO_LONG for a name that MQ cannot have, ADMIN_INVALID_FIELD for what is no token or property.
        """
        given = {row: value for row in SECRETS if (value := getattr(definition, row.attribute))}
        return self._put(replace(definition, token="", properties=()), given)

    def _put(self, definition: ConnectionDefinition, given: Mapping[Property, Any]) -> Change[None]:
        """Define a connection without its secrets. ``given``: those that change; empty ones are removed."""
        self._check(definition)
        operations: list[Operation] = [Registry.put_connection(definition)]
        for row, value in given.items():
            operations += self._keep(definition.name, row, value)
        before = self.table.get(definition.name)
        self._restore(definition.name, definition)
        return Change(None, operations, None, lambda: self._restore(definition.name, before))

    def _keep(self, name: str, row: Property, value: Any) -> list[Operation]:
        """Return what keeps a secret. Raises `EveryplaceError` ADMIN_INVALID_FIELD, NOT_ALLOWED without PIN."""
        if row is TOKEN:
            try:
                found = of_token(Token.parse(value) if value else None, self._name)
            except EveryplaceError as error:
                raise row.invalid(error.text) from None
            return [self._secrets.keep(name, each, data) for each, data in found.items()]
        for each in value:
            key, equals, _ = each.partition("=")
            if not (key and equals and each.isprintable()):
                raise row.invalid("a property is written name=value, such as proxy=http://proxy:3128")
        return [self._secrets.keep(name, PROPERTIES, "\n".join(value).encode())]

    def update(self, name: str, values: Mapping[Property, Any]) -> Change[dict[Property, EveryplaceError]]:
        """Give properties other values, None for the default. The result says which could not, and why (E-280).

        What belongs together, such as adapter and endpoint, is changed together. Raises `EveryplaceError` CON_UNKNOWN.
        """
        found, errors, wanted, given = self.find(name), {}, {}, {}
        for row, value in values.items():
            try:
                if row.alterable is not Alterable.ALWAYS:
                    raise row.invalid(f"it is given a value {row.alterable.value}", Code.NOT_ALLOWED)
                later = row.default if value is None else row.checked(value)
                if row in SECRETS:
                    self._keep(name, row, later)
                    given[row] = later
                    continue
                wanted[row.attribute] = later
                if row is ALIASES:
                    self._check(replace(found, aliases=wanted[row.attribute]))
            except EveryplaceError as error:
                wanted.pop(row.attribute, None)
                errors[row] = error
        if not wanted and not given:
            return Change(errors)
        return self._put(replace(found, **wanted), given).then(lambda _: errors)

    def change_aliases(self, name: str, aliases: Sequence[str], *, add: bool) -> Change[list[EveryplaceError | None]]:
        """Add or remove aliases (E-277). The result has an error for each that could not be."""
        before = now = self.find(name)
        outcome: list[EveryplaceError | None] = []
        for alias in aliases:
            try:
                if add == (alias in now.aliases):
                    code = Code.CON_ALIAS_ALREADY_EXISTS if add else Code.NOT_FOUND
                    raise EveryplaceError(code, f"connection {name} has {'the' if add else 'no'} alias {alias}")
                kept = tuple(each for each in now.aliases if each != alias)
                later = replace(now, aliases=(*kept, alias) if add else kept)
                self._check(later)
                now = later
                outcome.append(None)
            except EveryplaceError as error:
                outcome.append(error)
        return Change(outcome) if now is before else self.put(now).then(lambda _: outcome)

    def delete(self, name: str) -> Change[None]:
        """Delete a connection with its secrets; what waits for it stays where it is. Raises `EveryplaceError`
        CON_UNKNOWN."""
        before = self.find(name)
        operations: list[Operation] = [Registry.remove_connection(name)]
        for row in SECRETS:
            operations += self._keep(name, row, row.default)
        self._restore(name, None)
        return Change(None, operations, None, lambda: self._restore(name, before))

    def find(self, name: str) -> ConnectionDefinition:
        """Return a connection. Raises `EveryplaceError` CON_UNKNOWN."""
        found = self.table.get(name)
        if found is None:
            raise EveryplaceError(Code.CON_UNKNOWN, f"{self._name} has no definition of a connection {name}")
        return found

    @property
    def leads_to_mq(self) -> bool:
        """Whether one leads to MQ, which then sees names of this queue manager (E-091)."""
        return any(each.to_mq for each in self.table.values())

    def _restore(self, name: str, definition: ConnectionDefinition | None) -> None:
        self.changes += 1
        self.table.pop(name, None)
        if definition is not None:
            self.table[name] = definition
        self._aliases = aliases_of(self._name, self.table)

    def _check(self, definition: ConnectionDefinition) -> None:
        check_connection(definition)
        if definition.to_mq:
            check_name(definition.name, "queue manager", for_mq=True)
        later = {**self.table, definition.name: definition}
        for alias in definition.aliases:
            taken = [each.name for each in self.table.values() if alias in each.aliases]
            if alias == definition.name or any(each != definition.name for each in taken):
                raise EveryplaceError(
                    Code.CON_ALIAS_ALREADY_EXISTS, f"{alias} is an alias of connection {taken[0] if taken else alias}"
                )
        aliases = aliases_of(self._name, later)
        for alias in aliases:
            real_name(alias, aliases)
        if definition.via == definition.name:
            raise EveryplaceError(Code.ALIAS_CYCLE, f"connection {definition.name} leads over itself")
        for name in later:
            first_hop(name, later)


def aliases_of(own_name: str, connections: Mapping[str, ConnectionDefinition]) -> dict[str, str]:
    """Return the other names of queue managers, and what they stand for (E-310 to E-312)."""
    found = {alias: each.name for each in connections.values() for alias in each.aliases}
    found.update({name: own_name for name, each in connections.items() if each.is_own_name and name != own_name})
    return found
