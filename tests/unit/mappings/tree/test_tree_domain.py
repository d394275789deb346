"""Which domain the body has, and when it is parsed."""

from __future__ import annotations

import pytest

from mqbridge.mappings.message import Message
from mqbridge.mappings.tree import Blob, TreeError, message_tree, xml_content
from support.wire.tree_messages import ORDER, USER, bare, order, with_rfh, with_rfh2


@pytest.mark.spec("jms-mapping.md 10.2 row 1")
@pytest.mark.parametrize(
    ("message", "domain"),
    [
        (with_rfh2(ORDER, format="XMLNSC"), "XMLNSC"),
        (with_rfh2(ORDER, "<mcd><Msd>XMLNS</Msd></mcd>"), "XMLNS"),
        (with_rfh2(ORDER, "<mcd><Msd>xml</Msd></mcd>", format="MQSTR"), "XML"),
        (with_rfh2(b"1", USER, "<mcd><Msd>json</Msd></mcd>"), "JSON"),
        (with_rfh2(b"1", "<mcd><Msd>none</Msd></mcd>"), "BLOB"),
        (with_rfh2(b"1", "<mcd><Msd>BLOB</Msd></mcd>"), "BLOB"),
        (with_rfh2(b"\r\n", "<mcd><Msd>MIME</Msd></mcd>"), "MIME"),
        (with_rfh(ORDER, "Msd XMLNSC"), "XMLNSC"),
    ],
)
def test_a_header_names_the_domain(message: Message, domain: str) -> None:
    assert message_tree(message, domain="MRM").domain == domain
    assert list(message_tree(message))[-1] == domain


@pytest.mark.spec("jms-mapping.md 10.2 row 2")
@pytest.mark.parametrize(
    "message",
    [
        bare(ORDER),
        bare(ORDER, format="XML"),
        with_rfh2(ORDER, USER),
        with_rfh2(ORDER, "<mcd><Msd>jms_text</Msd></mcd>", format="MQSTR"),
        with_rfh(ORDER, "other XML"),
    ],
)
@pytest.mark.parametrize("domain", ["XMLNSC", "json", "Mime"])
def test_else_the_default_is_the_domain(message: Message, domain: str) -> None:
    assert message_tree(message, domain=domain).domain == domain.upper()


@pytest.mark.spec("jms-mapping.md 10.2 row 3")
@pytest.mark.parametrize("message", [bare(ORDER), with_rfh2(ORDER, USER)])
def test_else_the_body_is_opaque(message: Message) -> None:
    tree = message_tree(message)
    assert tree["BLOB.BLOB"] == ORDER
    assert isinstance(tree["BLOB"], Blob)
    assert f"  BLOB  {ORDER.hex()}" in tree.lines()


@pytest.mark.spec("jms-mapping.md 10.2")
@pytest.mark.parametrize("word", ["mrm", "MRM", "dfdl", "IDOC"])
def test_domains_of_message_sets_stay_opaque_and_say_so(word: str) -> None:
    tree = message_tree(with_rfh2(b"ab", f"<mcd><Msd>{word}</Msd><Set>s</Set></mcd>"))
    assert tree.domain == "BLOB"
    assert tree["BLOB.BLOB"] == b"ab"
    assert tree.note == f"domain {word.upper()} needs a message set: the body is BLOB"
    assert list(tree.lines())[-1] == f"({tree.note})"
    with pytest.raises(TreeError, match="needs a message set, which is not read; the body is BLOB"):
        tree["MRM.Order"]


def test_an_unknown_default_is_refused() -> None:
    with pytest.raises(TreeError, match="there is no such domain"):
        message_tree(bare(b""), domain="YAML")


def test_another_domain_than_the_bodys_is_an_error_that_says_which() -> None:
    tree = message_tree(order())
    assert "JSON.Data" not in tree
    with pytest.raises(TreeError, match="the domain of the body is XMLNSC"):
        tree["JSON.Data"]
    with pytest.raises(TreeError, match="the domain of the body is XMLNSC; delete that first"):
        tree["JSON.Data"] = 1


def test_a_body_is_replaced_by_one_of_another_domain() -> None:
    tree = message_tree(order())
    del tree["XMLNSC"]
    assert list(tree) == ["Properties", "MQMD", "MQRFH2"]
    tree["JSON.Data.a"] = [1]
    message = tree.message()
    assert message.data.endswith(b'{"a":[1]}')
    again = message_tree(message)
    assert (again["MQRFH2.mcd.Msd"], again["JSON.Data.a.Item"]) == ("JSON", 1)
    assert again == tree


def test_a_body_is_deleted() -> None:
    tree = message_tree(bare(ORDER), domain="XMLNSC")
    del tree["XMLNSC"]
    assert tree.message().data == b""


@pytest.mark.spec("jms-mapping.md 10.3")
def test_a_body_is_parsed_once_when_first_touched(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    body_text = xml_content.body_text
    monkeypatch.setattr(xml_content, "body_text", lambda *given: read.append("body") or body_text(*given))
    tree = message_tree(order())
    assert list(tree)[-1] == "XMLNSC"
    assert tree["MQRFH2.usr.colour"] == "blue"
    tree["MQMD.Priority"] = 3
    tree.message()
    assert read == []
    assert tree["XMLNSC.Order.@id"] == "7"
    assert tree["XMLNSC.Order.Item.Price"] == "1"
    assert read == ["body"]


@pytest.mark.spec("jms-mapping.md 10.3")
@pytest.mark.parametrize(
    ("domain", "body", "path", "what"),
    [
        ("XMLNSC", b"<a>", "XMLNSC.a", "no XML: no element found at line 1"),
        ("XMLNSC", b"<a>\xff</a>", "XMLNSC.a", "bytes not valid in CCSID 1208"),
        ("JSON", b'{"a"', "JSON.Data", "no JSON: Expecting ':' delimiter"),
        ("MIME", b"no field\r\n\r\n", "MIME.Data", "no header field at 0"),
    ],
)
def test_an_error_surfaces_late_and_names_the_path(domain: str, body: bytes, path: str, what: str) -> None:
    tree = message_tree(order(body, domain))
    assert tree["MQRFH2.usr.n"] == 5
    tree["MQRFH2.usr.n"] = 6
    assert tree.message().data.endswith(body)
    with pytest.raises(TreeError, match=f"^{path}: {what}"):
        tree[path]
    with pytest.raises(TreeError, match=what):
        _ = path in tree
    with pytest.raises(TreeError, match=what):
        tree[path] = "1"


@pytest.mark.spec("jms-mapping.md 10.3")
def test_a_later_change_of_the_headers_does_not_change_the_domain() -> None:
    early, late = message_tree(order()), message_tree(order())
    assert early.domain == "XMLNSC"
    for tree in (early, late):
        tree["MQRFH2.mcd.Msd"] = "JSON"
    assert late["XMLNSC.Order.@id"] == early["XMLNSC.Order.@id"] == "7"
    assert message_tree(late.message()).domain == "JSON"


def test_malformed_name_value_data_show_when_the_body_is_touched() -> None:
    tree = message_tree(with_rfh2(ORDER, "<mcd><Msd></mcd>", USER))
    assert tree["MQRFH2.usr.n"] == 5
    with pytest.raises(TreeError, match="folder mcd"):
        tree["BLOB"]
    tree["MQRFH2.usr.n"] = 6
    assert tree.message().data.endswith(ORDER)
