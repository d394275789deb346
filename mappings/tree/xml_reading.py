"""XML as elements. A document type is refused, and so are entities, depth and size beyond the limits.

The character set is that of the message (jms-mapping.md 10.1 rule 6); a declaration may state another, which is not
used. Names are in namespaces in XMLNSC and XMLNS, and as written in XML. XMLNSC keeps no comments, no processing
instructions and no white space between elements.
"""

from __future__ import annotations

import re
from typing import Any, Final
from xml.sax import SAXException
from xml.sax.handler import ContentHandler

from defusedxml import DefusedXmlException
from defusedxml.expatreader import DefusedExpatParser

from .element import MAX_DEPTH, MAX_ELEMENTS, Element, Kind
from .errors import ContentError
from .xml_names import Scope, is_declaration

MAX_NAME: Final = 1024
"""Longest name in characters."""
DECLARATION: Final = "XmlDeclaration"

_DECLARATION: Final = re.compile(r"<\?xml(?=\s)([^?]{0,200}+)\?>")
_PSEUDO: Final = re.compile(r"\s([A-Za-z]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
_NAMES: Final = {"version": "Version", "encoding": "Encoding", "standalone": "Standalone"}


class _Builder(ContentHandler):
    """Takes the events of the parser and makes elements."""

    def __init__(self, root: Element, namespaces: bool, compact: bool) -> None:
        super().__init__()
        self._open = [root]
        self._scope = Scope() if namespaces else None
        self._compact = compact
        self._text: list[str] = []
        self._count = 0

    def startElement(self, name: str, attrs: Any) -> None:
        """Begin an element."""
        self._end_text()
        if len(self._open) > MAX_DEPTH:
            raise ContentError(f"nested deeper than {MAX_DEPTH}")
        attributes = dict(attrs.items())
        self._count_one(1 + len(attributes))
        if len(name) > MAX_NAME:
            raise ContentError(f"a name has {MAX_NAME} characters at most")
        if self._scope is not None:
            self._scope.enter(attributes)
            name = self._scope.full(name)
            if attributes:
                attributes = {self._attribute_name(key): text for key, text in attributes.items()}
        element = Element(name, attributes=attributes or None)
        parent = self._open[-1]
        if parent.children is None:
            parent.children = []
        parent.children.append(element)
        self._open.append(element)

    def _attribute_name(self, name: str) -> str:
        if self._scope is None or is_declaration(name):
            return name
        return self._scope.full(name, attribute=True)

    def endElement(self, name: str) -> None:
        """End an element."""
        self._end_text(ends=True)
        self._open.pop()
        if self._scope is not None:
            self._scope.leave()

    def characters(self, content: str) -> None:
        """Take text."""
        self._text.append(content)

    def processingInstruction(self, target: str, data: str) -> None:
        """Take a processing instruction."""
        self._aside(Kind.INSTRUCTION, target, data)

    def comment(self, content: str) -> None:
        """Take a comment."""
        self._aside(Kind.COMMENT, "", content)

    def startCDATA(self) -> None:
        """Pass over the mark; the text counts."""

    def endCDATA(self) -> None:
        """Pass over the mark."""

    def startDTD(self, name: str, public_id: str, system_id: str) -> None:
        """Pass over it; it was refused before."""

    def endDTD(self) -> None:
        """Pass over it."""

    def _aside(self, kind: Kind, name: str, text: str) -> None:
        if self._compact:
            return
        self._end_text()
        self._count_one(1)
        parent = self._open[-1]
        if parent.children is None:
            parent.children = []
        parent.children.append(Element(name, text, kind=kind))

    def _end_text(self, *, ends: bool = False) -> None:
        """Add the text since the last mark to the open element: as its value if there is nothing else in it."""
        text = "".join(self._text)
        self._text.clear()
        here = self._open[-1]
        if ends and here.children is None:
            here.value = text
            return
        if not text or len(self._open) == 1 or (self._compact and not text.strip(" \t\r\n")):
            return
        if here.children is None:
            here.children = []
        self._count_one(1)
        here.children.append(Element("", text, kind=Kind.TEXT))

    def _count_one(self, more: int) -> None:
        self._count += more
        if self._count > MAX_ELEMENTS:
            raise ContentError(f"more than {MAX_ELEMENTS} elements and attributes")


def read_xml(text: str, root: str, *, namespaces: bool, compact: bool) -> Element:
    """Read a document as elements below a root of this name. Raises `ContentError`."""
    found = Element(root, children=[])
    declaration = _DECLARATION.match(text)
    if declaration is not None:
        found.children = [_declared(declaration[1])]
        text = text[declaration.end() :]
    builder = _Builder(found, namespaces, compact)
    parser = DefusedExpatParser(forbid_dtd=True, forbid_entities=True, forbid_external=True)
    parser.setContentHandler(builder)
    if not compact:
        parser.setProperty("http://xml.org/sax/properties/lexical-handler", builder)
    try:
        parser.feed(text)
        parser.close()
    except DefusedXmlException as fault:
        raise ContentError(f"document types and entities are refused: {type(fault).__name__}") from None
    except SAXException as fault:
        raise ContentError(f"no XML: {_said(fault)}") from None
    except UnicodeError:
        raise ContentError("no XML: a character that is none") from None
    return found


def _said(fault: SAXException) -> str:
    line, column = getattr(fault, "getLineNumber", int)(), getattr(fault, "getColumnNumber", int)()
    return f"{fault.getMessage()} at line {line}, column {column}"


def _declared(text: str) -> Element:
    """Return the declaration as an element: its version, and whatever else it states."""
    children = [
        Element(_NAMES[name], double or single) for name, double, single in _PSEUDO.findall(text) if name in _NAMES
    ]
    return Element(DECLARATION, children=children or None, value=None if children else "")
