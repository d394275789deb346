from __future__ import annotations

import copy
import enum
import pickle

import pytest

import mqbridge.protocol.constants as constants
from mqbridge.protocol.constants import (
    MQAT,
    MQCC,
    MQENC,
    MQFB,
    MQFMT,
    MQGMO,
    MQMF,
    MQPMO,
    MQRC,
    MQRO,
    STRUC_IDS,
    CapFlags1,
    ControlFlags1,
    MQFlags,
    MQInt,
    MQText,
    SegmentType,
    StatusCode,
    StrucId,
    TMFlags,
    XAReturn,
    administration,
    feedback_name,
    lengths,
    parameter_name,
    reason_name,
)

FAMILIES = [
    family
    for family in (getattr(constants, name) for name in constants.__all__)
    if isinstance(family, type) and issubclass(family, MQInt | MQFlags | MQText) and len(family)
]


@pytest.mark.parametrize(
    ("member", "text"),
    [
        (MQRC(2035), "MQRC_NOT_AUTHORIZED"),
        (MQRC(0), "MQRC_NONE"),
        (MQRC(99999), "MQRC_99999"),
        (MQCC(-1), "MQCC_UNKNOWN"),
        (MQCC(-7), "MQCC_-7"),
        (MQAT(6), "MQAT_UNIX"),
        (MQFB(259), "MQFB_COA"),
        (SegmentType(4), "MESSAGE_DATA"),
        (SegmentType(0x7F), "0x7F"),
        (StatusCode(0x18), "CIPHER_SPEC"),
        (XAReturn(-4), "XAER_NOTA"),
        (XAReturn(3), "XA_RDONLY"),
    ],
)
@pytest.mark.spec("mq-wire.md 9")
def test_a_value_is_shown_by_its_name(member: MQInt, text: str) -> None:
    assert str(member) == text
    assert f"{member}" == text
    assert f"{member:d}" == str(int(member))


@pytest.mark.parametrize(
    ("word", "text"),
    [
        (MQRO(0), "MQRO_NONE"),
        (MQRO(0x300), "MQRO_COA_WITH_DATA"),
        (MQRO(0x380 | 0x10000), "MQRO_PASS_MSG_ID | MQRO_COA_WITH_DATA | 0x10000"),
        (MQRO(0x101C0000), "0x101C0000"),
        (MQMF(0x18), "MQMF_MSG_IN_GROUP | MQMF_LAST_MSG_IN_GROUP"),
        (MQGMO(0x2001), "MQGMO_WAIT | MQGMO_FAIL_IF_QUIESCING"),
        (MQPMO(0x200000), "MQPMO_RETAIN"),
        (ControlFlags1(0x30), "FIRST | LAST"),
        (CapFlags1(0x26), "CONVERSION_CAPABLE | SPLIT_MESSAGE | MQREQUEST"),
        (TMFlags(0x02200000), "TMJOIN | TMSUSPEND"),
        (MQENC(273), "MQENC_NORMAL"),
        (MQENC(0x121), "MQENC_INTEGER_NORMAL | MQENC_DECIMAL_REVERSED | MQENC_FLOAT_IEEE_NORMAL"),
        (
            MQENC(0x01000222),
            "MQENC_INTEGER_REVERSED | MQENC_DECIMAL_REVERSED | MQENC_FLOAT_IEEE_REVERSED | 0x1000000",
        ),
    ],
)
@pytest.mark.spec("mq-wire.md 9.5")
def test_a_word_of_bits_is_shown_by_its_names(word: MQFlags, text: str) -> None:
    assert str(word) == text


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.__name__)
def test_every_name_leads_to_its_value_and_back(family: type[MQInt] | type[MQFlags] | type[MQText]) -> None:
    for name, member in family.__members__.items():
        assert family(member.value) is member
        assert member == member.value
        assert member.known
        if not issubclass(family, MQText):
            assert family.from_text(name) is member
            assert family.from_text(family.prefix() + name) is member
        assert pickle.loads(pickle.dumps(member)) is member


def test_an_unknown_value_survives() -> None:
    for member in (MQRC(99999), MQRO(0x10000), MQFMT("HUGO")):
        assert not member.known
        assert type(member)(member) == member
        assert copy.deepcopy(member) == member
        assert pickle.loads(pickle.dumps(member)) == member
        assert member.value == member
        assert hash(member) == hash(member.value)


def test_unknown_values_are_not_remembered() -> None:
    for family, value in ((MQRC, 77777), (MQRO, 0x10000), (MQFMT, "NOBODY")):
        before = len(family._value2member_map_)
        family(value)
        assert len(family._value2member_map_) == before


def test_flag_words_combine() -> None:
    word = MQRO.COA | MQRO.PASS_MSG_ID
    assert isinstance(word, MQRO)
    assert word == 0x180
    assert MQRO.COA in word
    assert MQRO.COA_WITH_DATA not in word
    assert word & MQRO.COA == 0x100
    assert word ^ MQRO.COA == 0x80
    assert ~MQRO(0xFFFFFF00) == 0xFF
    assert 0x40 | word == 0x1C0
    assert MQRO.from_text("COA | MQRO_PASS_MSG_ID|0x10000") == 0x10180


def test_what_is_no_number_is_no_member() -> None:
    with pytest.raises(ValueError, match="NOT_AUTHORIZED"):
        MQRC("NOT_AUTHORIZED")
    with pytest.raises(ValueError, match="MQRC has no 'NOTHING'"):
        MQRC.from_text("nothing")
    with pytest.raises(ValueError, match="MQRO has no 'HUGO'"):
        MQRO.from_text("COA | hugo")
    with pytest.raises(ValueError, match="7"):
        MQFMT(7)


@pytest.mark.spec("mq-wire.md 9.3")
def test_formats_compare_with_and_without_padding() -> None:
    assert MQFMT("MQSTR   ") is MQFMT.STRING
    assert MQFMT("MQSTR\0\0x") is MQFMT.STRING
    assert MQFMT("") is MQFMT("        ") is MQFMT.NONE
    assert str(MQFMT.RF_HEADER_2) == "MQHRF2"
    assert MQFMT.RF_HEADER_2.mq_name == "MQFMT_RF_HEADER_2"
    assert MQFMT("HUGO").mq_name == "HUGO"


@pytest.mark.spec("mq-wire.md 9.6")
def test_feedback_and_reasons_of_any_kind_have_names() -> None:
    assert feedback_name(259) == "MQFB_COA"
    assert feedback_name(2053) == "MQRC_Q_FULL"
    assert feedback_name(4031) == "MQRCCF_CHANNEL_IN_USE"
    assert feedback_name(70000) == "70000"
    assert reason_name(271) == "271"


@pytest.mark.spec("mq-wire.md 5.16")
def test_parameters_of_pcf_have_names() -> None:
    assert [parameter_name(number) for number in (20, 2016, 3501, 1501, 745, 7001, 8001, 999999)] == [
        "MQIA_Q_TYPE",
        "MQCA_Q_NAME",
        "MQCACH_CHANNEL_NAME",
        "MQIACH_XMIT_PROTOCOL_TYPE",
        "MQIAMO64_BROWSE_BYTES",
        "MQBACF_EVENT_ACCOUNTING_TOKEN",
        "MQGACF_COMMAND_CONTEXT",
        "999999",
    ]


@pytest.mark.spec("mq-wire.md 9.22")
def test_structure_identifiers_in_both_character_sets() -> None:
    assert STRUC_IDS[b"TSH "] == (StrucId.TSH, False)
    assert STRUC_IDS[bytes.fromhex("E3E2C8D4")] == (StrucId.TSHM, True)
    assert STRUC_IDS[bytes.fromhex("E3D4C3F2")] == (StrucId.TMC2, True)
    assert StrucId.MD.ebcdic == bytes.fromhex("D4C44040")
    assert StrucId("MD") is StrucId.MD
    assert len(STRUC_IDS) == 2 * len(StrucId) == 114


@pytest.mark.spec("mq-wire.md 9.2")
def test_numbers_that_the_documents_name_often() -> None:
    assert (MQRC.NO_MSG_AVAILABLE, MQRC.Q_FULL, MQRC.PUT_INHIBITED, MQRC.UNKNOWN_OBJECT_NAME) == (
        2033,
        2053,
        2051,
        2085,
    )
    assert MQRC.STORAGE_MEDIUM_FULL is MQRC.PAGESET_FULL
    assert MQRO.ACCEPT_UNSUP_MASK | MQRO.ACCEPT_UNSUP_IF_XMIT_MASK | MQRO.REJECT_UNSUP_MASK == 0xFFFFFFFF
    assert lengths.MQXQH_LENGTH_1 == lengths.XQH_LENGTH + lengths.MQMD_LENGTH_1


def test_everything_exported_exists_and_enumerations_are_exported() -> None:
    for name in constants.__all__:
        assert hasattr(constants, name)
    declared = {**vars(constants), **vars(administration)}
    enumerations = {name for name, value in declared.items() if isinstance(value, enum.EnumType)}
    assert enumerations <= set(constants.__all__)
