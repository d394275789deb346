"""Laws of JMS messages: what is sent is read again, and the quick way through folders reads as the careful one."""

from __future__ import annotations

import struct
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqbridge.mappings.destinations import Destination
from mqbridge.mappings.jms import JmsFormatError, JmsMessage, Typed
from mqbridge.mappings.jms import front as front_module
from mqbridge.mappings.properties.names import RESERVED_WORDS
from mqbridge.mappings.rfh2 import FolderError
from mqbridge.mappings.rfh2 import folder as folder_module

NOW = 1_700_000_000.0
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
CHARS = st.characters(max_codepoint=0xFFFF, exclude_categories=["Cs"])
SINGLES = st.floats(width=32)
PROPERTY_VALUES = st.one_of(
    st.builds(Typed, TEXTS, st.just("string")),
    st.builds(Typed, st.booleans(), st.just("boolean")),
    *(
        st.builds(Typed, st.integers(-(1 << (bits - 1)), (1 << (bits - 1)) - 1), st.just(dt))
        for dt, bits in (("i1", 8), ("i2", 16), ("i4", 32), ("i8", 64))
    ),
    st.builds(Typed, SINGLES, st.just("r4")),
    st.builds(Typed, st.floats(), st.just("r8")),
    st.just(Typed(None, "null")),
)
VALUES = st.one_of(
    PROPERTY_VALUES,
    st.builds(Typed, st.binary(max_size=20), st.just("bin.hex")),
    st.builds(Typed, CHARS, st.just("char")),
)
NAMES = st.from_regex(r"[A-Za-z_$][A-Za-z0-9_$é世]{0,12}", fullmatch=True).filter(
    lambda name: not name.startswith("JMS") and name.upper() not in RESERVED_WORDS
)
ENTRY_NAMES = TEXTS.filter(lambda name: '"' not in name)
BODIES = st.one_of(
    st.tuples(st.just("text"), st.none() | TEXTS),
    st.tuples(st.just("bytes"), st.binary(max_size=60)),
    st.tuples(st.just("object"), st.none() | st.binary(min_size=1, max_size=60)),
    st.tuples(st.just("map"), st.dictionaries(ENTRY_NAMES, VALUES, max_size=6)),
    st.tuples(st.just("stream"), st.lists(VALUES, max_size=6).map(tuple)),
    st.tuples(st.just("none"), st.none()),
)
PLAIN_IDS = TEXTS.filter(lambda text: not text.startswith("ID:"))
IDS = st.binary(min_size=24, max_size=24).map(lambda raw: "ID:" + raw.hex())
QUEUES = st.sampled_from(["queue:///Q", "queue://QM/A/B?priority=3&x=y", "queue:///Q?persistence=1", "topic://a/b?x=1"])


def comparable(value: Any) -> Any:
    """Numbers by their bits, so that any NaN is NaN."""
    if isinstance(value, Typed) and isinstance(value.value, float):
        return value.dt, struct.pack(">d", value.value) if value.value == value.value else "NaN"
    if isinstance(value, Typed):
        return value.dt, value.value
    if isinstance(value, dict):
        return {name: comparable(each) for name, each in value.items()}
    return tuple(map(comparable, value)) if isinstance(value, tuple) else value


@pytest.mark.spec("jms-mapping.md 6")
@pytest.mark.spec("jms-mapping.md 4.4")
@pytest.mark.spec("jms-mapping.md 11.4")
@given(
    content=BODIES,
    properties=st.dictionaries(NAMES, PROPERTY_VALUES, max_size=6),
    correlation_id=st.none() | PLAIN_IDS | IDS,
    group_id=st.none() | PLAIN_IDS | IDS,
    reply_to=st.none() | QUEUES,
    there=QUEUES,
    kind_of_sort=st.none() | TEXTS.filter(lambda text: not text.startswith("mcd://")),
    lives=st.sampled_from([0, 100, 60_050, 400_000_000_000]),
    delivery_mode=st.sampled_from([1, 2]),
    priority=st.integers(0, 9),
)
def test_what_is_sent_is_read_again(
    content: tuple[str, Any],
    properties: dict[str, Typed],
    correlation_id: str | None,
    group_id: str | None,
    reply_to: str | None,
    there: str,
    kind_of_sort: str | None,
    lives: int,
    delivery_mode: int,
    priority: int,
) -> None:
    kind, body = content
    given_message = JmsMessage(
        kind, body, properties=properties, correlation_id=correlation_id, group_id=group_id, reply_to=reply_to,
        type=kind_of_sort, expiration=int(NOW * 1000) + lives if lives else 0, delivery_mode=delivery_mode,
        priority=priority,
    )  # fmt: skip
    destination = Destination.parse(there)
    found = JmsMessage.of(given_message.message(destination, now=NOW))
    assert (found.kind, comparable(found.body)) == (kind, comparable(given_message.body))
    assert comparable(found.properties) == comparable(properties)
    asked = destination.priority, destination.persistence
    assert found.priority == (priority if asked[0] is None else asked[0])
    assert found.delivery_mode == (delivery_mode if asked[1] is None else asked[1])
    assert (found.correlation_id, found.group_id, found.type) == (correlation_id, group_id, kind_of_sort)
    assert (found.reply_to, found.destination) == (given_message.reply_to, destination)
    assert (found.timestamp, found.expiration) == (int(NOW * 1000), given_message.expiration)


ATTRIBUTES = st.sampled_from(
    ["", " dt='i4'", ' dt="i4"', " dt='r4'", " dt='r8'", " dt='boolean'", " dt='i8' xsi:nil='true'", " xsi:nil='true'",
     " xsi:nil='false'", " dt=''", " dt='odd'", " dt='int'", " dt='char'", " dt='bin.hex'", " a='b'", " dt = 'i4'"]
)  # fmt: skip
TAGS = st.sampled_from(["a", "b", "c.d", "é", "x&y", "a b"])
CONTENTS = st.sampled_from(
    [
        "",
        "5",
        "-7",
        "+3",
        "1.5",
        "NaN",
        "inf",
        "1_0",
        "text",
        "&amp;",
        "&#65;",
        "&bad;",
        " 5 ",
        "0",
        "1",
        "00ff",
        "0",
        "<",
        "\0",
    ]
)
PARTS = st.one_of(
    st.builds(lambda tag, attributes, text: f"<{tag}{attributes}>{text}</{tag}>", TAGS, ATTRIBUTES, CONTENTS),
    st.builds(lambda tag, attributes: f"<{tag}{attributes}/>", TAGS, ATTRIBUTES),
    st.sampled_from(["<g><a>1</a></g>", "text", " ", "<a>1</b>", "<a>", "</a>", "<usr>", "</usr>"]),
)
FOLDERS = st.builds(
    lambda begin, parts, end: begin + "".join(parts) + end,
    st.sampled_from(["<usr>", "<usr>", "<usr>", " <usr>", "<usr content='properties'>", "usr"]),
    st.lists(PARTS, max_size=5),
    st.sampled_from(["</usr>", "</usr>  ", "</usr>\0", "</usr> x", "</jms>", ""]),
)


def outcome(function: Any, *arguments: Any) -> Any:
    try:
        return (
            comparable(function(*arguments)) if function.__module__ == front_module.__name__ else function(*arguments)
        )
    except (FolderError, JmsFormatError) as error:
        return type(error), str(error)


@pytest.mark.spec("jms-mapping.md 4.2")
@given(text=FOLDERS, lenient=st.booleans())
def test_the_quick_way_reads_folders_as_the_careful_one(text: str, lenient: bool) -> None:
    quick = outcome(lambda: folder_module.read_folder(text, lenient=lenient))
    careful = outcome(lambda: folder_module._any_folder(text, lenient))
    assert repr(quick) == repr(careful)


@pytest.mark.spec("jms-mapping.md 4.2")
@given(text=FOLDERS)
def test_the_quick_way_reads_properties_as_the_careful_one(text: str) -> None:
    assert outcome(front_module.values_of, text) == outcome(front_module._careful_values, text)
