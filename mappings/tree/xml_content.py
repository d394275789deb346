"""Domains XMLNSC, XMLNS and XML: rules of their elements, and writing (jms-mapping.md 10.1 rule 6)."""

from __future__ import annotations

import codecs
from typing import Final

from mqbridge.mappings.conversion.text import DataEncoding
from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.numbers import order_of
from mqbridge.protocol.text import codec_for

from .content import body_bytes, body_text, required_bytes
from .element import MAX_DEPTH, Element, Kind
from .errors import ContentError
from .rules import Rules
from .xml_names import Scope, check_text, check_xml_name, is_declaration, split_name

DECLARATION: Final = "XmlDeclaration"
_TEXT: Final = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;"})
_ATTRIBUTE: Final = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\r": "&#13;", "\n": "&#10;", "\t": "&#9;"}
)
_PSEUDO: Final = (("Version", "version"), ("Encoding", "encoding"), ("Standalone", "standalone"))


class XmlRules:
    """Names of XML; values are text, so numbers and booleans become text; see `rules.Rules`."""

    __slots__ = ("arrays", "depth", "namespaces")

    def __init__(self, namespaces: bool) -> None:
        self.arrays = False
        self.depth = 0
        self.namespaces = namespaces

    def leaf(self, element: Element, value: object) -> None:
        """See `Rules.leaf`."""
        element.value = _as_text(value)

    def name(self, name: str) -> str:
        """See `Rules.name`."""
        return check_xml_name(name, self.namespaces)

    def attribute(self, element: Element, name: str, value: object) -> None:
        """See `Rules.attribute`."""
        declares = is_declaration(name)
        check_xml_name(name.partition(":")[2] or "xmlns" if declares else name, self.namespaces)
        element.attributes = {**(element.attributes or {}), name: _as_text(value)}


def _as_text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str | int | float):
        return check_text(str(value))
    raise ContentError(f"XML holds text and numbers, no {type(value).__name__}")


class XmlContent:
    """See `content.Content`."""

    __slots__ = ("_compact", "in_form", "name", "namespaces", "rules")

    def __init__(self, name: str, *, namespaces: bool, compact: bool) -> None:
        self.name = name
        self.in_form = True
        self.namespaces = namespaces
        self._compact = compact
        self.rules: Rules = XmlRules(namespaces)

    def read(self, data: bytes, form: DataEncoding) -> Element:
        """See `Content.read`."""
        from .xml_reading import read_xml  # the parser is loaded by those who need it

        return read_xml(body_text(data, form), self.name, namespaces=self.namespaces, compact=self._compact)

    def write(self, root: Element, form: DataEncoding) -> bytes:
        """See `Content.write`. Characters that the set lacks are written as references."""
        documents = [child for child in root if child.name != DECLARATION]
        if len(documents) != 1:
            raise ContentError(f"a document has one element at its top, not {len(documents)}")
        data = body_bytes(xml_text(root, form, namespaces=self.namespaces), form)
        if data is not None:
            return data
        return required_bytes(xml_text(root, form, namespaces=self.namespaces, ascii_only=True), form)

    def empty(self) -> Element:
        """See `Content.empty`."""
        return Element(self.name, children=[])


def xml_text(root: Element, form: DataEncoding, *, namespaces: bool, ascii_only: bool = False) -> str:
    """Return the document below a root as text."""
    writer = _Writer(Scope() if namespaces else None, ascii_only)
    for child in root.children or ():
        if child.name == DECLARATION and child.kind is Kind.ELEMENT:
            writer.parts.append(_declaration(child, form))
        else:
            writer.write(child)
    return "".join(writer.parts)


def _declaration(declared: Element, form: DataEncoding) -> str:
    """Return the declaration; it states the character set in which the document is written."""
    values = {child.name: str(child.value) for child in declared}
    values.setdefault("Version", "1.0")
    if "Encoding" in values:
        name = codec_for(form.ccsid, order=order_of(form.encoding) or ByteOrder.BIG)
        if not _same_codec(values["Encoding"], name):
            values["Encoding"] = name.replace("_", "-").removesuffix("-be").removesuffix("-le").upper()
    given = "".join(f' {key}="{values[name]}"' for name, key in _PSEUDO if name in values)
    return f"<?xml{given.translate({ord('<'): None, ord('&'): None})}?>"


def _same_codec(stated: str, codec: str) -> bool:
    try:
        return codecs.lookup(stated).name == codecs.lookup(codec).name
    except LookupError:
        return False


class _Writer:
    """Writes elements; keeps the declarations of namespaces around them."""

    __slots__ = ("_ascii", "_scope", "parts")

    def __init__(self, scope: Scope | None, ascii_only: bool) -> None:
        self._scope = scope
        self._ascii = ascii_only
        self.parts: list[str] = []

    def _escaped(self, text: str, table: dict[int, str]) -> str:
        text = text.translate(table)
        return text.encode("ascii", "xmlcharrefreplace").decode("ascii") if self._ascii else text

    def write(self, element: Element, depth: int = 1) -> None:
        """Add an element, text, comment or processing instruction."""
        if depth > MAX_DEPTH:
            raise ContentError(f"nested deeper than {MAX_DEPTH}")
        text = str(element.value or "")
        if element.kind is Kind.TEXT:
            self.parts.append(self._escaped(text, _TEXT))
        elif element.kind is Kind.COMMENT:
            self.parts.append(f"<!--{text}-->")
        elif element.kind is Kind.INSTRUCTION:
            self.parts.append(f"<?{element.name} {text}?>" if text else f"<?{element.name}?>")
        else:
            self._element(element, depth)

    def _element(self, element: Element, depth: int) -> None:
        name, attributes = element.name, element.attributes or {}
        if self._scope is not None:
            name, attributes = self._written(self._scope, element)
        given = "".join(f' {key}="{self._escaped(text, _ATTRIBUTE)}"' for key, text in attributes.items())
        value = "" if element.value is None else str(element.value)
        if element.children is None and not value:
            self.parts.append(f"<{name}{given}/>")
        else:
            self.parts.append(f"<{name}{given}>")
            if element.children is None:
                self.parts.append(self._escaped(value, _TEXT))
            for child in element.children or ():
                self.write(child, depth + 1)
            self.parts.append(f"</{name}>")
        if self._scope is not None:
            self._scope.leave()

    def _written(self, scope: Scope, element: Element) -> tuple[str, dict[str, str]]:
        """Return name and attributes with prefixes. What is not declared yet is declared at the element, in the tree
        too."""
        attributes = element.attributes or {}
        scope.enter(attributes)
        added: dict[str, str] = {}
        shown = self._with_prefix(scope, *split_name(element.name), added, attribute=False)
        written = {
            key if is_declaration(key) else self._with_prefix(scope, *split_name(key), added, attribute=True): text
            for key, text in attributes.items()
        }
        if added:
            element.attributes = {**attributes, **added}
        return shown, {**written, **added}

    def _with_prefix(self, scope: Scope, uri: str, local: str, added: dict[str, str], *, attribute: bool) -> str:
        prefix = scope.prefix(uri, attribute=attribute)
        if prefix is None:
            prefix = "" if not uri else scope.free()
            declaration = {f"xmlns:{prefix}" if prefix else "xmlns": uri}
            scope.add(declaration)
            added |= declaration
        return f"{prefix}:{local}" if prefix else local
