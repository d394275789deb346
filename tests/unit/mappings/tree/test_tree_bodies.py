"""Bodies in XML, JSON, MIME and none of them: how they are read, changed and written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from mqbridge.mappings.body import BodyPieces
from mqbridge.mappings.message import Message
from mqbridge.mappings.tree import MessageTree, TreeError, message_tree
from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.fields import Numbers, char
from mqbridge.protocol.formats import Format, Formats
from mqbridge.protocol.grammar import Structure
from support.wire.tree_messages import ORDER, bare, with_rfh2

pytestmark = pytest.mark.spec("jms-mapping.md 10.2")

SOAP = b"<s:Envelope xmlns:s='urn:s' xmlns='urn:d'><s:Body><a s:x='1' y='2'/></s:Body></s:Envelope>"
MIME = (
    b'Content-Type: multipart/related;\r\n boundary="x"\r\n\r\nto old readers\r\n--x\r\nContent-ID: a\r\n\r\none\r\n'
    b"--x\r\nContent-Type: multipart/mixed; boundary=y\r\n\r\n--y\r\n\r\n\r\n--y\r\n\r\nthree\r\n--y--\r\n--x--\r\nend"
)


def tree_of(body: bytes, domain: str, **fields: object) -> MessageTree[Message]:
    return message_tree(bare(body, **fields), domain=domain)


def test_names_are_in_namespaces() -> None:
    tree = tree_of(SOAP, "XMLNSC")
    assert tree["XMLNSC.{urn:s}Envelope.{urn:s}Body.{urn:d}a.@{urn:s}x"] == "1"
    assert tree["XMLNSC.*:Envelope.*:Body.*:a.@y"] == "2"
    assert "XMLNSC.Envelope" not in tree
    tree["XMLNSC.*:Envelope.*:Body.{urn:d}b"] = "3"
    tree["XMLNSC.*:Envelope.*:Body.{urn:new}c.@{urn:s}z"] = "4"
    tree["XMLNSC.*:Envelope.*:Body.plain"] = ""
    assert tree.message().data == (
        b'<s:Envelope xmlns:s="urn:s" xmlns="urn:d"><s:Body><a s:x="1" y="2"/><b>3</b>'
        b'<ns1:c s:z="4" xmlns:ns1="urn:new"/><plain xmlns=""/></s:Body></s:Envelope>'
    )
    assert message_tree(tree.message(), domain="XMLNSC") == tree


def test_domain_xml_has_names_as_written() -> None:
    tree = tree_of(b"<p:a><q:b r:c='1'/></p:a>", "XML")
    assert tree["XML.p:a.q:b.@r:c"] == "1"
    with pytest.raises(TreeError, match="prefix p is not declared"):
        tree_of(b"<p:a/>", "XMLNSC")["XMLNSC"]


@pytest.mark.parametrize(
    ("domain", "written"),
    [
        ("XMLNSC", b"<a>x<b/>tail<c>5</c><n>1</n></a>"),
        ("XMLNS", b"<?p q?><a>x<!--one--><b/>tail<c>5</c>\n<n>1</n></a><!--two-->"),
        ("XML", b"<?p q?><a>x<!--one--><b/>tail<c>5</c>\n<n>1</n></a><!--two-->"),
    ],
)
def test_what_domains_keep_of_a_document(domain: str, written: bytes) -> None:
    tree = tree_of(b"<?p q?><a>x<!--one--><b></b>tail<c><![CDATA[5]]></c>\n</a><!--two-->", domain)
    assert tree[f"{domain}.a.c"] == "5"
    tree[f"{domain}.a.n"] = 1
    assert tree.message().data == written


@pytest.mark.parametrize(
    ("value", "text"), [("<&>\r", "&lt;&amp;&gt;&#13;"), (True, "true"), (2.5, "2.5"), (None, ""), ("é", "é")]
)
def test_values_of_xml_are_text(value: object, text: str) -> None:
    tree = tree_of(ORDER, "XMLNSC")
    tree["XMLNSC.Order"] = {"@id": value, "": value} if value == "é" else {"v": value}
    data = tree.message().data.decode()
    inner = f"<v>{text}</v>" if text else "<v/>"
    assert data == (f'<Order id="{text}">{text}</Order>' if value == "é" else f"<Order>{inner}</Order>")


@pytest.mark.parametrize(
    ("path", "value", "what"),
    [
        ("XMLNSC.Order.a b", 1, "is no name of XML"),
        ("XMLNSC.Order.1", 1, "is no name of XML"),
        ("XMLNSC.Order.a:b", 1, "is no name of XML"),
        ("XMLNSC.Order.@<", "1", "is no name of XML"),
        ("XMLNSC.Order.a", "\1", r"XML has no character U\+0001"),
        ("XMLNSC.Order.a", b"1", "XML holds text and numbers, no bytes"),
        ("XMLNSC.Order.a", [1, 2], "a list stands for elements of one name"),
    ],
)
def test_what_xml_has_not_is_refused(path: str, value: object, what: str) -> None:
    tree = tree_of(ORDER, "XMLNSC")
    with pytest.raises(TreeError, match=what):
        tree[path] = value


def test_a_document_has_one_element_at_its_top() -> None:
    tree = tree_of(ORDER, "XMLNSC")
    tree["XMLNSC.Second"] = 1
    with pytest.raises(TreeError, match="a document has one element at its top, not 2"):
        tree.message()
    del tree["XMLNSC.*"]
    with pytest.raises(TreeError, match="not 0"):
        tree.message()


@pytest.mark.parametrize(
    ("declared", "ccsid", "written"),
    [
        ("", 819, ""),
        ('<?xml version="1.0"?>', 819, '<?xml version="1.0"?>'),
        ('<?xml version="1.0" encoding="latin1"?>', 819, '<?xml version="1.0" encoding="latin1"?>'),
        ('<?xml version="1.0" encoding="UTF-8"?>', 819, '<?xml version="1.0" encoding="ISO8859-1"?>'),
        ("<?xml version='1.1' standalone='yes'?>", 1208, '<?xml version="1.1" standalone="yes"?>'),
    ],
)
def test_a_declaration_states_the_character_set_of_the_message(declared: str, ccsid: int, written: str) -> None:
    tree = tree_of(declared.encode() + b"<a>1</a>", "XMLNSC")
    tree["MQMD.CodedCharSetId"] = ccsid
    tree["XMLNSC.a"] = "é"
    assert tree.message().data == f"{written}<a>é</a>".encode("latin_1" if ccsid == 819 else "utf-8")


@pytest.mark.parametrize(
    ("domain", "body", "path", "written"),
    [
        ("XMLNSC", b"<a x='1'/>", "XMLNSC.a.@x", b'<a x="&#8364;"/>'),
        ("JSON", b'{"a": 1}', "JSON.Data.a", b'{"a":"\\u20ac"}'),
    ],
)
def test_characters_that_the_set_lacks_are_written_as_references(
    domain: str, body: bytes, path: str, written: bytes
) -> None:
    tree = tree_of(body, domain, coded_char_set_id=819)
    tree[path] = "€"
    assert tree.message().data == written


def test_a_name_that_the_set_lacks_is_an_error() -> None:
    tree = tree_of(b"<a/>", "XML", coded_char_set_id=819)
    tree["XML.a.Ж"] = 1
    with pytest.raises(TreeError, match=r"^XML: CCSID 819 lacks some of its characters"):
        tree.message()


def test_a_byte_order_mark_is_no_character() -> None:
    assert tree_of("\ufeff<a>1</a>".encode(), "XMLNSC")["XMLNSC.a"] == "1"
    assert tree_of("\ufeff[1]".encode("utf-16-le"), "JSON", coded_char_set_id=1200)["JSON.Data.Item"] == 1


@pytest.mark.parametrize("text", ["1.10", "1e2", "-0.0", "12345678901234567890.123456789", "1E400"])
def test_numbers_of_json_that_are_not_changed_stay_as_written(text: str) -> None:
    tree = tree_of(f'{{"n": {text}, "m": 1}}'.encode(), "JSON")
    tree["JSON.Data.m"] = 2
    assert tree.message().data == f'{{"n":{text},"m":2}}'.encode()


@pytest.mark.parametrize("body", [b"", b"{", b"[1,]", b"{'a': 1}", b"[NaN]", b"nul", b"1 2", b'"\n"', b"[" * 200])
def test_what_is_no_json_is_refused(body: bytes) -> None:
    tree = tree_of(body + b" ", "JSON")
    with pytest.raises(TreeError, match="JSON"):
        tree["JSON.Data"]


def test_a_json_body_is_one_document() -> None:
    tree = tree_of(b"[]", "JSON")
    tree["JSON.Other"] = 1
    with pytest.raises(TreeError, match=r"a JSON body is one JSON\.Data"):
        tree.message()


def test_mime_has_fields_and_parts() -> None:
    tree = tree_of(MIME, "MIME")
    assert list(tree.items("MIME")) == [
        ("MIME.Content-Type", 'multipart/related;\r\n boundary="x"'),
        ("MIME.Preamble", b"to old readers"),
        ("MIME.Parts.Part.Content-ID", "a"),
        ("MIME.Parts.Part.Data.BLOB", b"one"),
        ("MIME.Parts.Part[2].Content-Type", "multipart/mixed; boundary=y"),
        ("MIME.Parts.Part[2].Parts.Part.Data.BLOB", b""),
        ("MIME.Parts.Part[2].Parts.Part[2].Data.BLOB", b"three"),
        ("MIME.Epilogue", b"\r\nend"),
    ]
    tree["MIME.Parts.Part.Data.BLOB"] = b"two"
    assert tree.message().data == MIME.replace(b"one", b"two")


@pytest.mark.parametrize(
    ("path", "value", "what"),
    [
        ("MIME.X", "a\r\nb", "a header field is one line of ASCII"),
        ("MIME.X", "é", "a header field is one line of ASCII"),
        ("MIME.X", 1, "a header field is text, not int"),
        ("MIME.a b", "1", "can name no header field"),
        ("MIME.X.@a", "1", "there are no attributes"),
        ("MIME.Parts.Part.Data.BLOB", "text", "data of a part are bytes"),
    ],
)
def test_what_mime_has_not_is_refused(path: str, value: object, what: str) -> None:
    tree = tree_of(MIME, "MIME")
    with pytest.raises(TreeError, match=what):
        tree[path] = value


@pytest.mark.parametrize(
    ("path", "value", "what"),
    [
        ("MIME.Parts.Part.Data.BLOB", b"\r\n--x", "a part holds the boundary"),
        ("MIME.Content-Type", "text/plain", "an entity has Data, or"),
        ("MIME.Content-Type", "multipart/mixed", "a multipart Content-Type without boundary"),
        ("MIME.Parts.Part.Data", {"X": "1"}, "Data holds one BLOB"),
        ("MIME.Other.X", "1", "an entity has Data, or"),
    ],
)
def test_mime_that_cannot_be_written_is_refused(path: str, value: object, what: str) -> None:
    tree = tree_of(MIME, "MIME")
    tree[path] = value
    with pytest.raises(TreeError, match=f"^MIME: {what}"):
        tree.message()


def test_a_blob_is_read_and_changed_by_slices() -> None:
    body = BodyPieces((b"0123456789", b"abcdef"))
    tree = message_tree(Message.build(body, encoding=546, coded_char_set_id=1208))
    blob = tree["BLOB"]
    assert (len(blob), blob[8:12], blob[-2:]) == (16, b"89ab", b"ef")
    blob[0:2] = b"xyz"
    assert tree.changed
    assert tree.message().data == b"xyz23456789abcdef"
    assert tree["BLOB.BLOB"] == bytes(blob)
    assert repr(blob) == "<Blob of 17 bytes>"
    with pytest.raises(ValueError, match="no step"):
        blob[::2]


@pytest.mark.parametrize(
    ("path", "value", "what"),
    [
        ("BLOB", "text", "a BLOB is bytes, not str"),
        ("BLOB.other", b"1", "there is nothing in BLOB but BLOB"),
    ],
)
def test_a_blob_is_bytes(path: str, value: object, what: str) -> None:
    tree = message_tree(bare(b"1"))
    with pytest.raises(TreeError, match=what):
        tree[path] = value
    tree["BLOB.BLOB"] = b"2"
    tree["BLOB"] = b"3"
    assert tree.message().data == b"3"
    with pytest.raises(TreeError, match="delete BLOB as a whole"):
        del tree["BLOB.BLOB"]


class Reversed:
    """A format whose data are a text backwards."""

    def parse(self, data: bytes, encoding: int, ccsid: int) -> Mapping[str, Any]:
        return {"text": data[::-1].decode(), "letters": list(data.decode())}

    def build(self, values: Mapping[str, Any], encoding: int, ccsid: int) -> bytes:
        return bytes(str(values["text"])[::-1].encode())

    def convert(self, data: bytes, source: tuple[int, int], target: tuple[int, int]) -> bytes:
        return data


def _part(n: Numbers) -> Any:
    from construct import Struct

    return Struct(char("Item", 8, "part number"), n.i32("Count", "pieces"))


FORMATS = Formats((Format("BACK", Reversed()), Format("SHOPORD", Structure("SHOPORD", _part))))


def test_formats_of_plug_ins_are_parsed() -> None:
    message = bare(b"cba", format="BACK")
    tree = message_tree(message, formats=FORMATS)
    assert list(tree) == ["Properties", "MQMD", "BACK"]
    assert (tree["BACK.text"], tree["BACK.letters.Item[3]"]) == ("abc", "a")
    assert tree.message() is message
    tree["BACK.text"] = "xyz"
    assert tree.message().data == b"zyx"
    assert tree.message().md.format == "BACK"


def test_a_structure_of_a_plug_in_is_parsed_behind_a_header() -> None:
    data = b"BOLT    " + (5).to_bytes(4, "little")
    tree = message_tree(with_rfh2(data, "<usr><a>1</a></usr>", format="SHOPORD"), formats=FORMATS)
    assert (tree["SHOPORD.Item"], tree["SHOPORD.Count"]) == ("BOLT", 5)
    tree["SHOPORD.Count"] = 6
    tree["MQRFH2.Encoding"] = 273
    assert tree.message().data.endswith(b"BOLT    \0\0\0\6")
    tree["SHOPORD.Count"] = 1 << 40
    with pytest.raises(TreeError, match=r"^SHOPORD: "):
        tree.message()


def test_a_plug_in_may_be_the_default_domain() -> None:
    assert message_tree(bare(b"cba"), domain="BACK", formats=FORMATS)["BACK.text"] == "abc"


def test_bodies_of_unknown_character_sets_are_errors_that_name_the_path() -> None:
    tree = tree_of(b"<a/>", "XMLNSC", coded_char_set_id=930)
    with pytest.raises(TreeError, match=r"^XMLNSC\.a: no codec for CCSID 930"):
        tree["XMLNSC.a"]
    assert ByteOrder.LITTLE.encoding == 546
