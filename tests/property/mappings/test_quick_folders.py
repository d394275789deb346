"""Folders found and read in the usual case are those that the chain of headers has, with the same values."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mqbridge.mappings.message import Message
from mqbridge.mappings.properties import PropertyLookUp, PropertyView, Value, too_many_tags
from mqbridge.mappings.properties.folders import as_mapping, folder_name, folder_texts, headers_of, property_folder
from mqbridge.mappings.properties.quick_folders import quick_header, quick_texts
from mqbridge.mappings.properties.quick_values import quick_values
from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.structures.rfh2 import make_rfh2

ORDERS = st.sampled_from(list(ByteOrder))
FORMATS = st.sampled_from(["", "MQSTR", "MQHRF2", "MQDEAD", "MQHRF", "MQXMIT", "OTHER"])
CCSIDS = st.sampled_from([1208, 819, 500, 1200, 0, -2, 1252, 930, 99999])
FOLDERS = st.lists(
    st.sampled_from(
        [
            b"<usr><a>1</a></usr>",
            b"<mcd><Msd>jms_text</Msd></mcd>  ",
            b"",
            b"<",
            "<usr>\u20ac</usr>".encode(),
            b" <usr><b>2</b></usr>",
            b"<usr ><a>3</a></usr>",
            b"<usr",
            b"<a content='properties'><b>1</b></a>",
            b"<usr>\xff</usr>",
            "<\u20ac content='properties'><b>1</b></\u20ac>".encode(),
        ]
    )
    | st.binary(max_size=20),
    max_size=4,
)


@given(
    order=ORDERS,
    data_order=ORDERS,
    form=FORMATS,
    behind=FORMATS,
    ccsids=st.tuples(CCSIDS, CCSIDS, CCSIDS),
    folders=FOLDERS,
    body=st.binary(max_size=40),
    damage=st.none() | st.tuples(st.integers(0, 3000), st.integers(0, 255)),
    cut=st.none() | st.integers(0, 120),
    md_version=st.integers(1, 2),
    md_damage=st.none() | st.tuples(st.integers(0, 323), st.sampled_from([0, 1, 32, 255])),
)
def test_both_find_the_same(
    order, data_order, form, behind, ccsids, folders, body, damage, cut, md_version, md_damage
) -> None:
    message_ccsid, data_ccsid, folder_ccsid = ccsids
    header = make_rfh2(
        data_order,
        folders,
        encoding=data_order.encoding,
        coded_char_set_id=1208,
        format=behind.encode().ljust(8),
        name_value_ccsid=folder_ccsid if folder_ccsid != 99999 else 1208,
    )
    data = bytearray(header.build() + body)
    if damage is not None and data:
        data[damage[0] % len(data)] = damage[1]
    fields = {"msg_seq_number": 1} if md_version == 2 else {}
    raw = bytearray(
        Message.build(
            b"", order=order, format=form, encoding=data_order.encoding, coded_char_set_id=data_ccsid, **fields
        ).raw_md
    )
    if md_damage is not None:
        raw[md_damage[0]] = md_damage[1]
    ccsid = message_ccsid if message_ccsid in (1208, 819) else 1208
    message = Message(bytes(raw), bytes(data[:cut]), order=order, ccsid=ccsid)
    quick = quick_texts(message)
    if quick is not None:
        assert quick == folder_texts(headers_of(message))
    if quick_header(message) is not None:
        chain = headers_of(message)
        assert chain is None or (chain.stopped is None and not too_many_tags(chain))
    view = PropertyView.of(message)
    for name in ("usr", "mcd", "a", "\u20ac"):
        assert view.folder(name) == carefully(message, name)
    for folder, name in (("usr", "a"), ("mcd", "Msd")):
        look_up = PropertyLookUp(message)
        assert [look_up.get(f"{folder}.{name}") for _ in range(2)] == [carefully(message, folder).get(name)] * 2


def carefully(message: Message, name: str) -> dict[str, Value]:
    """The values of the folders of a name."""
    found: dict[str, Value] = {}
    for text in folder_texts(headers_of(message)):
        folder = property_folder(text) if folder_name(text) == name else None
        found |= {} if folder is None else as_mapping(folder)
    return found


ELEMENTS = st.builds(
    lambda name, attributes, text, end: f"<{name}{attributes}>{text}</{end or name}>",
    st.sampled_from(["a", "b", "JMSType", "not", "Pri", "Tms", "g.a", "\u00e4"]),
    st.sampled_from(
        ["", "", " dt='i4'", " dt='boolean'", " dt='r4'", " dt='bin.hex'", " dt='string'", " dt='char'", " dt='what'",
         " xsi:nil='true'", " dt='i4' xsi:nil='true'", ' dt="i4"']
    ),
    st.sampled_from(["", "5", "-7", "x", "1_0", " 5 ", "1.5", "00ff", "0f0", "1", "&amp;", "&#53;", "0.1", "a b"]),
    st.sampled_from(["", "", "", "", "b"]),
)  # fmt: skip
WHOLE = st.builds(
    lambda begin, name, parts, end: f"{begin}<{name}>{''.join(parts)}</{name}>{end}",
    st.sampled_from(["", "", " "]),
    st.sampled_from(["usr", "jms", "mcd", "mqps", "other"]),
    st.lists(ELEMENTS | st.sampled_from(["<g><a>1</a></g>", " "]), max_size=4),
    st.sampled_from(["", " ", "\0\0", "x"]),
)


@given(text=WHOLE)
def test_both_read_the_same_values(text: str) -> None:
    folder = property_folder(text)
    quick = quick_values(folder_name(text), text)
    if quick is not None:
        assert folder is not None
        assert list(quick.items()) == list(as_mapping(folder).items())
        assert [type(each) for each in quick.values()] == [type(each) for each in as_mapping(folder).values()]


@given(
    texts=st.lists(WHOLE, max_size=3),
    name=st.sampled_from(["a", "b", "JMSType", "not", "jms.Pri", "jms.Tms", "mqps.a"]),
)
def test_both_look_up_the_same_value(texts: list[str], name: str) -> None:
    header = make_rfh2(
        ByteOrder.BIG, [each.encode() for each in texts], encoding=273, coded_char_set_id=1208, format=b"MQSTR   "
    )
    message = Message.build(header.build(), format="MQHRF2", encoding=273, coded_char_set_id=1208)
    look_up = PropertyLookUp(message)
    found, expected = look_up.get(name), PropertyView.of(message).get(name)
    assert (type(found), found) == (type(expected), expected)
    assert look_up.get("mcd.b") == PropertyView.of(message).get("mcd.b")


def test_values_of_the_usual_case_are_found() -> None:
    assert quick_values("usr", "<usr><a dt='i4'>5</a><b>x&amp;</b><a>y</a></usr>  ") == {"a": "y", "b": "x&"}
    assert quick_values("jms", "<jms><Pri>5</Pri><Cid>x</Cid></jms>") == {"Pri": 5, "Cid": "x"}


def test_the_usual_case_is_found() -> None:
    header = make_rfh2(
        ByteOrder.LITTLE,
        [b"<usr><a>1</a></usr>", b"<jms/>"],
        encoding=546,
        coded_char_set_id=1208,
        format=b"MQSTR   ",
        name_value_ccsid=1208,
    )
    message = Message.build(header.build() + b"text", format="MQHRF2", encoding=546, coded_char_set_id=1208)
    assert quick_texts(message) == ["<usr><a>1</a></usr> ", "<jms/>  "]
    assert quick_texts(Message.build(b"text", format="MQSTR")) == []
    assert quick_texts(Message.build(b"text", format="MQDEAD")) is None
