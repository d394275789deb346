"""The message tree: properties, headers and body of a message by paths (jms-mapping.md 10)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final, Generic, TypeVar, get_args

from mqbridge.mappings.message import Message
from mqbridge.protocol.formats import NO_FORMATS, Formats

from .blob import Blob
from .body_part import BodyPart
from .domains import domain_word
from .element import Element, Value
from .errors import ContentError, TreeError
from .finding import fitting, leaves, named_children
from .parts import TreeParts, naming
from .paths import Step, parse_path, step_text
from .properties_part import EnteredBy
from .rendering import lines_of_tree, plain_tree, shown_parts

MessageT = TypeVar("MessageT")

_ENTERED: Final = get_args(EnteredBy)


class MessageTree(Generic[MessageT]):
    """Parts of a message by paths (:mod:`mappings.tree.paths`), each parsed alone and when first touched.

    ``tree[path]`` is a value, an `Element` where there are others in it, or the `Blob` of an opaque body; with ``*`` in
    the path, a list of everything that it fits. Setting makes what is missing; a mapping or a list sets several
    elements. With ``*``, everything that the path fits is set or deleted. Iteration gives the names of the parts. Every
    error is a `TreeError` that names the path.

    ``finish`` makes the caller's kind of message of an internal one; ``clock`` gives the seconds since 1970 where
    `message` is not told them.
    """

    __slots__ = ("_clock", "_finish", "_parts")

    def __init__(
        self,
        message: Message,
        finish: Callable[[Message], MessageT],
        *,
        domain: str = "",
        entered_by: EnteredBy = "queue",
        formats: Formats = NO_FORMATS,
        clock: Callable[[], float] | None = None,
    ) -> None:
        if domain and not domain_word(domain) and formats.body(domain) is None:
            raise TreeError(domain, "there is no such domain")
        if entered_by not in _ENTERED:
            raise TreeError(str(entered_by), f"a message is entered by one of {', '.join(_ENTERED)}")
        self._finish = finish
        self._clock = clock
        self._parts = TreeParts(message, domain, entered_by, formats)

    @property
    def domain(self) -> str:
        """Domain of the body."""
        return self._parts.chain.body.name

    @property
    def note(self) -> str:
        """Why a body whose domain is named is not parsed; empty if it is."""
        return self._parts.chain.body.domain.note

    @property
    def changed(self) -> bool:
        """Whether anything was set or deleted."""
        return self._parts.changed

    # Access by path

    def __getitem__(self, path: str) -> Any:
        """Return what is at a path. Raises `TreeError`."""
        steps = parse_path(path)
        found = self._values(path, steps)
        if any(step.is_pattern for step in steps):
            return found
        if not found:
            raise TreeError(path, "there is nothing" if self._parts.at(steps[0]) else self._parts.absent(steps[0]))
        return found[0]

    def get(self, path: str, default: Any = None) -> Any:
        """Return what is at a path, or the default where there is nothing. Raises `TreeError` for malformed parts."""
        found = self._values(path, steps := parse_path(path))
        if any(step.is_pattern for step in steps):
            return found
        return found[0] if found else default

    def _values(self, path: str, steps: tuple[Step, ...]) -> list[Value | Element | Blob]:
        found: list[Value | Element | Blob] = []
        with naming(path):
            parts = self._parts.at(steps[0])
            for part in parts:
                if len(steps) > 1:
                    found += part.values(steps[1:])
                else:
                    found.append(part.whole() if isinstance(part, BodyPart) else part.element())
            if not parts:
                self._parts.check_whole(steps[0])
        return found

    def __contains__(self, path: object) -> bool:
        return isinstance(path, str) and bool(self._values(path, parse_path(path)))

    def __setitem__(self, path: str, value: Any) -> None:
        """Set what is at a path, or make it. Raises `TreeError`; nothing is changed then."""
        steps = parse_path(path)
        with naming(path):
            found = self._parts.at(steps[0])
            for part in found or [self._parts.made(steps[0])]:
                self._parts.assign(part, steps[1:], value)
                if not found:
                    self._parts.attach(part)

    def __delitem__(self, path: str) -> None:
        """Delete what is at a path. Raises `TreeError`, also where there is nothing."""
        steps = parse_path(path)
        with naming(path):
            parts = self._parts.at(steps[0])
            if not parts:
                raise ContentError(self._parts.absent(steps[0]))
            removed = [self._parts.remove(part, steps[1:]) for part in parts]
            if not any(removed):
                raise ContentError("there is nothing")

    # All of it

    def __iter__(self) -> Iterator[str]:
        """Yield the names of the parts, in order: ``"MQRFH2"``, ``"MQRFH2[2]"``."""
        counts: dict[str, int] = {}
        for name, _ in self._parts.all():
            counts[name] = counts.get(name, 0) + 1
            yield step_text(name, counts[name])

    def items(self, path: str = "*") -> Iterator[tuple[str, Value]]:
        """Yield the exact path and the value of everything that has no others in it, at and below a path.

        Raises `TreeError`.
        """
        steps = parse_path(path)
        with naming(path):
            if steps[-1].attribute:
                raise ContentError("name an element, not an attribute")
            chosen = {id(part) for part in self._parts.at(steps[0])}
            found = [
                (part.element(), name)
                for name, (_, part) in zip(self, self._parts.all(), strict=True)
                if id(part) in chosen
            ]
        for step in steps[1:]:
            found = [
                (child, f"{place}.{shown}") for element, place in found for shown, child in _numbered(element, step)
            ]
        for element, place in found:
            yield from leaves(element, place)

    def message(self, now: float | None = None) -> MessageT:
        """Return the message of the tree; the one that it was made of, if nothing was changed.

        Properties and MQMD are brought to agreement, and the chain of headers is repaired (jms-mapping.md 10.1 rule 5),
        in the tree too. ``now``: seconds since 1970, for an Expiry that is a time. Raises `TreeError`.
        """
        parts = self._parts
        if not parts.changed and not parts.properties.overrule:
            return self._finish(parts.message)
        moment = self._clock() if now is None and self._clock is not None else now
        return self._finish(parts.finished(moment))

    def __eq__(self, other: object) -> bool:
        """Compare all parts, what is malformed by its error."""
        if not isinstance(other, MessageTree):
            return NotImplemented
        return self._parts.compared() == other._parts.compared()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<MessageTree of {self._parts.message!r}>"

    def plain(self) -> dict[str, Any]:
        """Return the tree as plain values of JSON, by name of part. Passwords are masked, long values cut; a part that
        is malformed is ``{"error": …}``."""
        return plain_tree(self._parts)

    def faults(self) -> dict[str, str]:
        """Return the errors of the parts that cannot be parsed, by name."""
        return {name: element for name, element in shown_parts(self._parts) if isinstance(element, str)}

    def lines(self) -> Iterator[str]:
        """Yield the tree as lines of text, one for each element, indented by two blanks a level; masked and cut as by
        `plain`."""
        return lines_of_tree(self._parts)


def _numbered(element: Element, step: Step) -> Iterator[tuple[str, Element]]:
    """Yield the children to which a step leads, each with the step that leads to it alone."""
    chosen = {id(child) for child in fitting(element, step)}
    return ((shown, child) for shown, child in named_children(element) if id(child) in chosen)


def message_tree(
    message: Message, *, domain: str = "", entered_by: EnteredBy = "queue", formats: Formats | None = None
) -> MessageTree[Message]:
    """Return the tree of a message.

    ``domain``: of the body, where no header names one. ``entered_by``: ``"queue"``, by an input of another transport
    (``"other"``), or made by a program (``"user"``); it decides who wins between Properties and MQMD (jms-mapping.md
    10.4). ``formats``: those of plug-ins. Raises `TreeError` for a message without valid MQMD.
    """
    return MessageTree(message, _same, domain=domain, entered_by=entered_by, formats=formats or NO_FORMATS)


def _same(message: Message) -> Message:
    return message
