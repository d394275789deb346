"""The headers and the body of a message as parts of its tree, and the repair of the chain (jms-mapping.md 10.1)."""

from __future__ import annotations

from typing import Final

from mqbridge.mappings.body import Body, as_bytes, joined, read_slice, without_front
from mqbridge.mappings.conversion.text import DataEncoding
from mqbridge.mappings.message import Message
from mqbridge.mappings.properties.folders import HEADERS_FIRST, HEADERS_WITHIN
from mqbridge.protocol.chain import HEADER_FORMATS, HeaderChain, walk
from mqbridge.protocol.errors import MQBridgeError
from mqbridge.protocol.formats import Formats
from mqbridge.protocol.text import NAME_CCSIDS

from .body_part import BodyPart
from .descriptor_part import DescriptorPart
from .domains import CONTENTS, Domain, choose_domain, domain_word, save_domain, saved_word
from .errors import ContentError
from .header_kinds import HEADER_KINDS, NAMES_OF_FORMATS, made_header
from .header_part import HeaderPart

_UTF_8: Final = 1208
_NO_DOMAIN: Final = Domain("BLOB")


class ChainParts:
    """The headers of a message in order, and its body.

    ``stopped``: name of a malformed header and what is wrong with it; what stands from there on is kept as it is, and
    is no part of the tree.
    """

    __slots__ = ("_body", "_default", "_form", "_format", "_formats", "_tail", "changed", "headers", "stopped")

    def __init__(self, message: Message, default: str, formats: Formats) -> None:
        chain = _walked(message, formats)
        self._formats = formats
        self._default = default
        self.headers = [HeaderPart(link, chain.bytes_of(link)) for link in chain.links]
        self._tail = without_front(message.body, chain.body_offset) if chain.body_offset else message.body
        self._format = chain.body_format
        self._form = DataEncoding(chain.body_encoding, chain.body_ccsid)
        self.stopped: tuple[str, MQBridgeError] | None = None
        if chain.stopped is not None:
            self.stopped = (NAMES_OF_FORMATS.get(chain.body_format, chain.body_format), chain.stopped)
        self._body: BodyPart | None = None
        self.changed = False

    @property
    def body(self) -> BodyPart:
        """The body; its domain is chosen by the headers as they came."""
        if self._body is None:
            self._body = self._first_body()
        return self._body

    def choose_domain(self) -> None:
        """Choose the domain of the body, before headers that decide it are changed."""
        if self._body is None:
            self._body = self._first_body()

    def _first_body(self) -> BodyPart:
        if self.stopped is not None:
            fault = ContentError(f"{self.stopped[0]} in front of it is malformed: {self.stopped[1]}")
            return BodyPart(self._tail, _NO_DOMAIN, self._form, fault)
        try:
            domain = choose_domain(self.headers, self._format, self._default, self._formats)
        except ContentError as error:
            return BodyPart(self._tail, _NO_DOMAIN, self._form, error)
        return BodyPart(self._tail, domain, self._form)

    def was_changed(self) -> bool:
        """Whether a header or the body was changed."""
        if self.changed or (self._body is not None and self._body.was_changed):
            return True
        return any(header.was_changed for header in self.headers)

    def new_header(self, name: str, descriptor: DescriptorPart, ccsid: int) -> HeaderPart:
        """Return a new header that is not among the others yet, and says of what follows what is said of it now."""
        if self.stopped is not None:
            raise ContentError(f"{self.stopped[0]} is malformed: {self.stopped[1]}")
        form, format_in_front = self._stated(self._place(name), descriptor, ccsid)
        made = made_header(name, _for_names(form), format_in_front)
        made.describe(form)
        return made

    def insert_header(self, made: HeaderPart, descriptor: DescriptorPart, ccsid: int) -> None:
        """Put a new header among the others: an MQDLH or MQMDE in front of them, any other behind them.

        What stands in front of it says of it what it said of what follows, so that nothing behind it reads otherwise.
        """
        place = self._place(made.name)
        form, _ = self._stated(place, descriptor, ccsid)
        own = _for_names(form)
        if place == 0:
            descriptor.put("format", made.announced_as)
        else:
            self.headers[place - 1].format = made.announced_as
        if own != form and place == 0:
            descriptor.put("coded_char_set_id", own.ccsid)
        elif own != form:
            self.headers[place - 1].describe(own)
        self.headers.insert(place, made)
        self.changed = True

    def _place(self, name: str) -> int:
        return 0 if HEADER_KINDS[name].first else len(self.headers)

    def _stated(self, place: int, descriptor: DescriptorPart, ccsid: int) -> tuple[DataEncoding, str]:
        """Return form and format that are stated of what stands at a place among the headers."""
        form, name = descriptor_form(descriptor, ccsid), descriptor.md.format
        for header in self.headers[:place]:
            form = header.form_behind(form)
            name = header.format if header.says_what_follows else ""
        if place and not self.headers[place - 1].says_what_follows:
            raise ContentError("no header can follow the last one")
        return form, name

    def remove_header(self, header: HeaderPart) -> None:
        """Take a header out. What it said of the data behind it is not copied (jms-mapping.md 10.1 rule 6)."""
        index = self.headers.index(header)
        if header.name == "MQXQH" or (index and self.headers[index - 1].name == "MQXQH"):
            raise ContentError("an MQXQH and its MQMD belong together")
        self.headers.remove(header)
        self.changed = True

    def new_body(self, name: str) -> BodyPart:
        """Return a new body of a domain that is not in the place of the old one yet."""
        if self.stopped is not None:
            raise ContentError(f"{self.stopped[0]} is malformed: {self.stopped[1]}")
        return BodyPart(b"", Domain(name, CONTENTS.get(name)), None)

    def replace_body(self, body: BodyPart) -> None:
        """Put a new body in the place of the old one."""
        self._body = body
        self.changed = True

    def repair(self, descriptor: DescriptorPart) -> None:
        """Let each Format say what follows; a word for a domain in the last one goes to the MQRFH2 or MQRFH."""
        self._repair_headers(descriptor)
        last = self._last(descriptor)
        if last is None or self.stopped is not None:
            return
        name = last.format if isinstance(last, HeaderPart) else descriptor.md.format
        body = self.body
        if domain_word(name):
            save_domain(self.headers, name)
            self._set_format(last, "")
        elif name in HEADER_FORMATS or self._formats.header(name) is not None:
            self._set_format(last, "")
        if body.replaced and body.present:
            save_domain(self.headers, saved_word(body.name))

    def _repair_headers(self, descriptor: DescriptorPart) -> None:
        before: HeaderPart | DescriptorPart = descriptor
        for header in self.headers:
            said = header.announced_as
            if said and (not isinstance(before, HeaderPart) or before.says_what_follows):
                self._set_format(before, said)
            before = header

    def _last(self, descriptor: DescriptorPart) -> HeaderPart | DescriptorPart | None:
        if not self.headers:
            return descriptor
        return self.headers[-1] if self.headers[-1].says_what_follows else None

    @staticmethod
    def _set_format(part: HeaderPart | DescriptorPart, name: str) -> None:
        if isinstance(part, HeaderPart):
            if part.format != name:
                part.format = name
        elif part.md.format != name:
            part.put("format", name)

    def build(self, form: DataEncoding) -> Body:
        """Return headers and body behind a descriptor that states a form. Raises `ContentError`."""
        front = []
        for header in self.headers:
            try:
                front.append(header.build(form))
            except MQBridgeError as fault:
                raise ContentError(f"{header.name}: {fault}") from None
            form = header.form_behind(form)
        body = self._tail if self._body is None and self._unaffected(form) else self.body.build(form)
        return joined(b"".join(front), body) if front else body

    def _unaffected(self, form: DataEncoding) -> bool:
        return form == self._form


def _for_names(form: DataEncoding) -> DataEncoding:
    """Return a form in which a header can be written: its names need a character set of single bytes."""
    return form if form.ccsid in NAME_CCSIDS else DataEncoding(form.encoding, _UTF_8)


def descriptor_form(descriptor: DescriptorPart, ccsid: int) -> DataEncoding:
    """Return what the descriptor states of the data; ``ccsid`` stands for special values."""
    md = descriptor.md
    return DataEncoding(md.encoding, md.coded_char_set_id if md.coded_char_set_id > 0 else ccsid)


def _walked(message: Message, formats: Formats) -> HeaderChain:
    """Follow the chain, reading no more of a body that is stored elsewhere than headers may take."""
    md, body = message.md, message.body
    name = md.format
    ccsid = md.coded_char_set_id if md.coded_char_set_id > 0 else message.ccsid
    if name not in HEADER_FORMATS and formats.header(name) is None:
        return HeaderChain(b"", [], 0, name, md.encoding, ccsid)
    if isinstance(body, bytes | memoryview):
        return walk(name, md.encoding, ccsid, as_bytes(body), formats)
    length = HEADERS_FIRST
    while True:
        chain = walk(name, md.encoding, ccsid, read_slice(body, 0, length), formats)
        if chain.stopped is None or length >= min(len(body), HEADERS_WITHIN):
            return chain
        length = HEADERS_WITHIN
