from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqbridge.bridge.queue_manager.mqsc import MAX_LINE, MQSCSyntaxError, dump, dump_definition, parse, read_script
from mqbridge.bridge.queue_manager.objects import KINDS, Kind, ObjectError, Objects, Value
from mqbridge.bridge.queue_manager.objects.attributes import Attribute
from mqbridge.bridge.queue_manager.objects.security_attributes import CHLAUTH_KEYS
from mqbridge.bridge.queue_manager.objects.values import Integer, Switch, Text, TextList, Word, WordList
from support.queue_manager.mqsc_bench import NOW, Bench, DefinitionsOnly

NAMES = st.text("ABCxyz019._/%", min_size=1, max_size=20)
LETTERS = st.characters(min_codepoint=32, exclude_categories=["Cs", "Cc"])
ODD_TEXTS = st.text(st.one_of(st.sampled_from(" '()+-*,;"), LETTERS), max_size=40)


def values(attribute: Attribute) -> st.SearchStrategy[Any]:
    """Values that an attribute may have."""
    kind = attribute.type
    if isinstance(kind, Integer):
        return st.one_of(st.integers(kind.low, kind.high), *map(st.just, kind.words.values()))
    if isinstance(kind, Word):
        return st.sampled_from(kind.words)
    if isinstance(kind, Switch):
        return st.booleans()
    if attribute.name == "AUTHLIST":
        return st.lists(st.sampled_from(["CHG", "DLT", "DSP", "GET"]), max_size=3, unique=True).map(tuple)
    if isinstance(kind, WordList):
        return st.lists(st.sampled_from(kind.words), min_size=1, max_size=kind.count, unique=True).map(tuple)
    if isinstance(kind, TextList):
        item = NAMES if kind.name else ODD_TEXTS.map(lambda text: text[: kind.length])
        return st.lists(item, max_size=min(kind.count, 4)).map(tuple)
    if isinstance(kind, Text):
        if attribute.name in ("CONNAME", "ADDRESS"):
            return st.sampled_from(["host(1414)", "10.0.0.1", ""])
        if attribute.name == "DESTCORL":
            return st.sampled_from(["", "AB" * 24])
        text = NAMES if kind.name else st.one_of(ODD_TEXTS, st.text(LETTERS, max_size=3000))
        return text.map(lambda given: given[: kind.length])
    return st.sampled_from(["UNIX", "70000"])


@st.composite
def definitions(draw: st.DrawFn) -> tuple[Kind, str, dict[str, Value]]:
    kind = draw(st.sampled_from([kind for kind in Kind if kind is not Kind.QMGR]))
    info = KINDS[kind]
    subtype = draw(st.sampled_from(sorted(info.tables)))
    attributes: dict[str, Value] = {}
    for keyword, attribute in info.tables[subtype].items():
        secret = isinstance(attribute.type, Text) and attribute.type.secret
        wanted = keyword in info.keys or keyword in ("XMITQ", "CONNAME", "TOPICSTR", "DEST") or draw(st.booleans())
        if not attribute.read_only and not secret and wanted:
            attributes[keyword] = draw(values(attribute))
    if info.selector:
        attributes[info.selector] = subtype
    if kind is Kind.SUB and attributes["TOPICSTR"]:
        attributes.pop("TOPICOBJ", None)  # the queue manager keeps the whole string
    if kind is Kind.SUB and attributes.get("DESTCLAS") == "MANAGED":
        del attributes["DEST"]  # the queue manager makes a queue
    name = draw(NAMES)
    return kind, ("*" if subtype == "BLOCKADDR" else name), attributes


def comparable(objects: Objects) -> dict[bytes, dict[str, Value]]:
    """All definitions without what a script cannot set."""
    found = {}
    for definition in objects:
        found[definition.key()] = {
            keyword: value for keyword, value in definition.items() if not definition.table[keyword].read_only
        }
    return found


@pytest.mark.spec("channels.md 17.1 rule 7")
@given(st.lists(definitions(), max_size=4))
def test_a_dump_that_is_run_gives_the_same_definitions(drawn: list[tuple[Kind, str, dict[str, Value]]]) -> None:
    objects = Objects("EARTH", NOW)
    for kind, name, attributes in drawn:
        try:
            objects.define(kind, name, attributes, NOW, replace=True)
        except ObjectError:
            continue
    lines = list(dump(objects, NOW))
    assert max(map(len, lines)) <= MAX_LINE
    fresh = Bench(DefinitionsOnly(supplied=False))
    for source in read_script(lines):
        assert not isinstance(source, MQSCSyntaxError), source
        reply = fresh.run(source)
        assert reply.ok, (reply.responses, source.text)
    assert comparable(fresh.objects) == comparable(objects)
    assert [line for line in dump(fresh.objects, NOW) if not line.startswith("*")] == [
        line for line in lines if not line.startswith("*")
    ]


@given(definitions())
def test_a_definition_survives_its_record(drawn: tuple[Kind, str, dict[str, Value]]) -> None:
    objects = Objects("EARTH", NOW)
    kind, name, attributes = drawn
    try:
        change = objects.define(kind, name, attributes, NOW)
    except ObjectError:
        return
    again = Objects("EARTH", NOW)
    again.load((operation.key, operation.value) for operation in change.operations)  # type: ignore[union-attr]
    assert change.new is not None
    keys = {key: change.new[key] for key in (*CHLAUTH_KEYS, *KINDS[kind].keys, "CHLTYPE") if key in change.new}
    assert again.find(kind, name, keys) == change.new


@given(definitions())
def test_a_supplied_dump_line_is_never_a_comment_by_accident(drawn: tuple[Kind, str, dict[str, Value]]) -> None:
    objects = Objects("EARTH", NOW)
    kind, name, attributes = drawn
    try:
        change = objects.define(kind, name, attributes, NOW)
    except ObjectError:
        return
    assert change.new is not None
    for line in dump_definition(change.new):
        assert line.strip()
        assert not line.startswith("*") or line.startswith("*  ")


@given(st.text(st.one_of(st.sampled_from("DEFINEQLOCALSETW *()',;+-\t"), LETTERS), max_size=120))
def test_any_text_is_a_command_or_a_syntax_error(text: str) -> None:
    try:
        place = parse(text).name_offset
    except MQSCSyntaxError as error:
        place = error.column - error.line
    assert 0 <= place <= len(text) + 1


WORDS = st.sampled_from(
    [
        "DEFINE", "ALTER", "DISPLAY", "DELETE", "SET", "QLOCAL(A)", "QUEUE(*)", "CHANNEL(X)", "CHLTYPE(SDR)",
        "CHLAUTH('*')", "QMGR", "MAXDEPTH(5)", "WHERE(CURDEPTH GT 0)", "ALL", "SHARE", "NOSHARE", "REPLACE",
        "TYPE(QLOCAL)", "AUTHREC", "PROFILE(A)", "OBJTYPE(QUEUE)", "FORCE", "LIKE(B)", "TYPE(BLOCKUSER)",
        "USERLIST('x')", "PRINCIPAL('p')", "AUTHADD(GET)", "PUT", "DESCR(' ')", "CHSTATUS(*)", "SAVED", "QSTATUS(A)",
        "CONN(*)",
    ]
)  # fmt: skip


@given(st.lists(WORDS, min_size=1, max_size=8))
def test_any_command_has_one_answer(words: list[str]) -> None:
    replies = Bench().ask(" ".join(words))
    assert len(replies) == 1
    assert replies[0].ok == (replies[0].reason == 0)
    assert replies[0].responses
