"""The parts of a message tree: Properties, MQMD, headers and body, and how they are found, made and removed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeAlias

from mqbridge.mappings.message import Message
from mqbridge.protocol.errors import MQBridgeError
from mqbridge.protocol.formats import Formats

from .body_part import BodyPart
from .chain_parts import ChainParts, descriptor_form
from .descriptor_part import DescriptorPart
from .domains import BLOB, CONTENTS, MESSAGE_SETS, domain_word
from .element import Element
from .errors import ContentError, TreeError
from .finding import fitting
from .header_kinds import HEADER_KINDS
from .header_part import HeaderPart
from .paths import Step
from .properties_part import EnteredBy, PropertiesPart

Part: TypeAlias = PropertiesPart | DescriptorPart | HeaderPart | BodyPart

PROPERTIES = "Properties"
MQMD = "MQMD"


@contextmanager
def naming(path: str) -> Iterator[None]:
    """Let errors of parts name the path that was asked for."""
    try:
        yield
    except TreeError:
        raise
    except MQBridgeError as fault:
        raise TreeError(path, str(fault)) from fault


class TreeParts:
    """All parts of a message. The chain of headers is followed when one of them or the body is first asked for.

    Raises `TreeError` for a message without valid MQMD (jms-mapping.md 10.1 rule 1).
    """

    __slots__ = ("_chain", "_default", "_formats", "descriptor", "message", "properties")

    def __init__(self, message: Message, default: str, entered_by: EnteredBy, formats: Formats) -> None:
        self.message = message
        self._default = default
        self._formats = formats
        with naming(MQMD):
            original = message.md
        self.descriptor = DescriptorPart(message, present=entered_by == "queue")
        self.properties = PropertiesPart(entered_by, original, self.descriptor)
        self._chain: ChainParts | None = None

    @property
    def chain(self) -> ChainParts:
        """Headers and body."""
        if self._chain is None:
            with naming(MQMD):
                self._chain = ChainParts(self.message, self._default, self._formats)
        return self._chain

    @property
    def changed(self) -> bool:
        """Whether anything was set or deleted."""
        if self.descriptor.changed or self.properties.changed:
            return True
        return self._chain is not None and self._chain.was_changed()

    def all(self) -> list[tuple[str, Part]]:
        """Return the parts that are there, by name, in order."""
        found: list[tuple[str, Part]] = []
        if self.properties.present:
            found.append((PROPERTIES, self.properties))
        if self.descriptor.present:
            found.append((MQMD, self.descriptor))
        chain = self.chain
        found += [(header.name, header) for header in chain.headers]
        if chain.stopped is None and chain.body.present:
            found.append((chain.body.name, chain.body))
        return found

    def at(self, step: Step) -> list[Part]:
        """Return the parts to which the first step of a path leads."""
        if step.attribute:
            raise ContentError("a part has no attributes")
        if step.occurrence in (None, 1):
            if step.name == MQMD and self.descriptor.present:
                return [self.descriptor]
            if step.name == PROPERTIES and self.properties.present:
                return [self.properties]
        parts = self.all()
        shells = [Element(name) for name, _ in parts]
        chosen = {id(shell) for shell in fitting(Element("", children=shells), step)}
        return [part for (_, part), shell in zip(parts, shells, strict=True) if id(shell) in chosen]

    def check_whole(self, step: Step) -> None:
        """Raise `ContentError` if a step that leads to no part may mean one behind a malformed header."""
        stopped = self.chain.stopped
        if stopped is not None and step.name not in (PROPERTIES, MQMD):
            raise ContentError(self.absent(step))

    def absent(self, step: Step) -> str:
        """Return why there is no part for a step."""
        chain, name = self.chain, step.name or "*"
        if chain.stopped is not None:
            return f"{chain.stopped[0]} is malformed: {chain.stopped[1]}"
        if domain_word(name) in MESSAGE_SETS:
            return f"domain {name} needs a message set, which is not read; the body is {chain.body.name}"
        if domain_word(name) and chain.body.present:
            return f"the domain of the body is {chain.body.name}"
        return "there is nothing"

    def made(self, step: Step) -> Part:
        """Return a new part that a step names, for `attach`. Raises `ContentError`."""
        name = step.name
        if name == PROPERTIES:
            return self.properties
        if name == MQMD:
            return self.descriptor
        if name is None or step.is_pattern:
            raise ContentError("there is nothing to set")
        chain = self.chain
        if name in HEADER_KINDS:
            there = sum(header.name == name for header in chain.headers)
            if step.occurrence not in (None, there + 1):
                raise ContentError(f"there are {there} of {name}")
            chain.choose_domain()
            return chain.new_header(name, self.descriptor, self.message.ccsid)
        if (name in CONTENTS or name == BLOB) and step.occurrence in (None, 1):
            if chain.stopped is None and chain.body.present:
                raise ContentError(f"the domain of the body is {chain.body.name}; delete that first")
            return chain.new_body(name)
        raise ContentError(self.absent(step))

    def attach(self, part: Part) -> None:
        """Put a new part among the others."""
        if isinstance(part, HeaderPart):
            self.chain.insert_header(part, self.descriptor, self.message.ccsid)
        elif isinstance(part, BodyPart):
            self.chain.replace_body(part)

    def assign(self, part: Part, steps: tuple[Step, ...], value: Any) -> None:
        """Set what steps lead to in a part; without any, all that a mapping names."""
        if isinstance(part, BodyPart):
            part.assign(steps, value)
            return
        if isinstance(part, HeaderPart):
            self.chain.choose_domain()
        if not steps:
            if isinstance(value, Element):
                value = {child.name: child.value for child in value}
            if not isinstance(value, Mapping):
                raise ContentError("a header is set by a mapping of fields")
            for name, given in value.items():
                self.assign(part, (Step(str(name)),), given)
            return
        part.assign(steps, value)
        if isinstance(part, DescriptorPart):
            self.properties.follow(steps)

    def remove(self, part: Part, steps: tuple[Step, ...]) -> bool:
        """Delete what steps lead to in a part, or the part; return whether there was anything."""
        if isinstance(part, DescriptorPart):
            raise ContentError("an MQMD and its fields stay")
        if isinstance(part, PropertiesPart):
            return part.remove(steps)
        self.chain.choose_domain()
        if steps:
            return part.remove(steps)
        if isinstance(part, HeaderPart):
            self.chain.remove_header(part)
        else:
            self.chain.replace_body(self.chain.new_body(BLOB))
        return True

    def finished(self, now: float | None) -> Message:
        """Return the message of all parts, after bringing them to agreement. Raises `TreeError`."""
        with naming(MQMD):
            self.properties.settle()
            self.descriptor.settle_deadline(now)
        chain = self.chain
        with naming(chain.body.name):
            chain.repair(self.descriptor)
            body = chain.build(descriptor_form(self.descriptor, self.message.ccsid))
        return self.descriptor.finished().copy(body)

    def compared(self) -> list[tuple[str, Element | str]]:
        """Return each part as an element, what is malformed as its error."""
        found: list[tuple[str, Element | str]] = []
        for name, part in self.all():
            try:
                found.append((name, part.element()))
            except MQBridgeError as fault:
                found.append((name, str(fault)))
        if self.chain.stopped is not None:
            found.append((self.chain.stopped[0], str(self.chain.stopped[1])))
        return found
