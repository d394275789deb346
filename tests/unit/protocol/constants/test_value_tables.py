"""Every row of the value tables of mq-wire.md: the number has this name in the family that the section describes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mqbridge.protocol import constants
from mqbridge.protocol.constants import MQFlags, MQInt, MQText, lengths

NUMBERS = Path(__file__).with_name("numbers.txt")
Rows = list[tuple[int | str, str]]


def value_tables() -> dict[tuple[str, str], Rows]:
    """Section and family → rows of value and name."""
    tables: dict[tuple[str, str], Rows] = {}
    for line in NUMBERS.read_text(encoding="ascii").splitlines():
        if re.match(r"\d", line):
            section, family = line.split()
            rows = tables[section, family] = []
        elif line.startswith(" "):
            for piece in line.strip(", ").split(", "):
                value, name = piece.rsplit(" ", 1)
                rows.append((value.strip("'") if value.startswith("'") else int(value, 0), name))
    return tables


TABLES = value_tables()
ALSO = {
    "MQOO": "mqi.md 2.1", "MQPMO": "mqi.md 5.1", "MQMF": "mqi.md 6.1", "MQGMO": "mqi.md 7.1", "MQCO": "mqi.md 3",
    "MQRC": "mqi.md 20",
    "MQRO": "channels.md 9.1", "MQFB": "channels.md 9.4", "MQCHT": "channels.md 1",
}  # fmt: skip
"""Sections of the other notes that hold rows of the same tables."""


def also(family: str) -> list[str]:
    return [ALSO[family]] if family in ALSO else []


@pytest.mark.parametrize(
    ("family", "rows"),
    [
        pytest.param(
            family,
            rows,
            id=f"{section} {family}",
            marks=[pytest.mark.spec(f"mq-wire.md {section}"), *(pytest.mark.spec(each) for each in also(family))],
        )
        for (section, family), rows in TABLES.items()
    ],
)
def test_every_row_has_its_name_and_its_number(family: str, rows: Rows) -> None:
    members: dict[str, MQInt | MQFlags | MQText] = getattr(constants, family).__members__
    found = {name: members[name].value if name in members else "missing" for _, name in rows}
    assert found == {name: value if isinstance(value, int) else shown(family, value) for value, name in rows}


def shown(family: str, text: str) -> str:
    """A text as its family keeps it: structure ids with their blanks, all others without."""
    return text if family == "StrucId" else text.rstrip()


@pytest.mark.spec("mq-wire.md 3")
def test_the_reply_to_a_call_has_the_type_of_the_request_plus_0x10() -> None:
    for value, name in TABLES["3", "SegmentType"]:
        if name.endswith("_REPLY"):
            request = constants.SegmentType[name.removesuffix("_REPLY")]
            assert value == request + 0x10


@pytest.mark.spec("mq-wire.md 3")
@pytest.mark.parametrize("unused", [0x00, *range(0x10, 0x81), 0x90, 0xA0, 0xB0])
def test_unused_segment_types_have_no_name(unused: int) -> None:
    assert not constants.SegmentType(unused).known


@pytest.mark.spec("mq-wire.md 9.21")
@pytest.mark.parametrize(
    ("length", "names"),
    [
        (48, "Q_NAME Q_MGR_NAME PROCESS_NAME NAMELIST_NAME TOPIC_NAME COMM_INFO_NAME AUTH_INFO_NAME LISTENER_NAME"),
        (48, "CLUSTER_NAME Q_MGR_IDENTIFIER LOCAL_ADDRESS"),
        (20, "CHANNEL_NAME SHORT_CONN_NAME MCA_NAME"),
        (264, "CONN_NAME"),
        (8, "MODE_NAME FORMAT TIME PUT_DATE PUT_TIME STORAGE_CLASS SERVICE_STEP VERSION"),
        (64, "TP_NAME LONG_USER_ID TRIGGER_DATA Q_DESC Q_MGR_DESC CHANNEL_DESC PROCESS_DESC NAMELIST_DESC TOPIC_DESC"),
        (128, "EXIT_NAME CONN_TAG PROCESS_ENV_DATA PROCESS_USER_DATA"),
        (32, "EXIT_DATA ACCOUNTING_TOKEN APPL_IDENTITY_DATA SERVICE_NAME"),
        (24, "MSG_ID CORREL_ID GROUP_ID CONNECTION_ID"),
        (16, "MSG_TOKEN LUWID"),
        (40, "SECURITY_ID"),
        (4, "APPL_ORIGIN_DATA"),
        (28, "APPL_NAME APPL_TAG PUT_APPL_NAME"),
        (12, "USER_ID PASSWORD DATE CF_STRUC_NAME"),
        (1024, "CSP_USER_ID"),
        (256, "CSP_PASSWORD PROCESS_APPL_ID"),
        (10240, "SELECTOR TOPIC_STR"),
    ],
)
def test_string_lengths(length: int, names: str) -> None:
    assert {getattr(lengths, f"MQ_{name}_LENGTH") for name in names.split()} == {length}


@pytest.mark.spec("channels.md 13")
def test_trigger_types() -> None:
    assert {each.name: each.value for each in constants.MQTT} == {"NONE": 0, "FIRST": 1, "EVERY": 2, "DEPTH": 3}


@pytest.mark.spec("mq-wire.md 9.21")
def test_the_length_of_a_property_name() -> None:
    assert lengths.MQ_MAX_PROPERTY_NAME_LENGTH == 4095


EBCDIC = """
TSH=E3E2C840 TSHC=E3E2C8C3 TSHM=E3E2C8D4 ID=C9C44040 UID=E4C9C440 CAUT=C3C1E4E3 MSH=D4E2C840 XQH=E7D8C840
MD=D4C44040 MDE=D4C4C540 OD=D6C44040 PMO=D7D4D640 GMO=C7D4D640 FCNO=C6C3D5D6 FOPA=C6D6D7C1 FCMI=C6C3D4C9
LPOO=D3D7D6D6 SPQU=E2D7D8E4 SPQI=E2D7D8C9 SPQO=E2D7D8D6 SPPU=E2D7D7E4 SPPI=E2D7D7C9 SPPO=E2D7D7D6 SPGU=E2D7C7E4
SPGI=E2D7C7C9 SPGO=E2D7C7D6 SPAU=E2D7C1E4 SPAI=E2D7C1C9 SPAO=E2D7C1D6 SPOU=E2D7D6E4 SPOI=E2D7D6C9 SPOO=E2D7D6D6
DLH=C4D3C840 DH=C4C84040 RFH=D9C6C840 CIH=C3C9C840 IIH=C9C9C840 WIH=E6C9C840 RMH=D9D4C840 TM=E3D44040 TMC2=E3D4C3F2
TMC=E3D4C340 CNO=C3D5D640 CSP=C3E2D740 SD=E2C44040 SRO=E2D9D640 STAT=E2E3C1E3
SPNU=E2D7D5E4 SPNI=E2D7D5C9 SPNO=E2D7D5D6
SPRU=E2D7D9E4 SPRI=E2D7D9C9 SPRO=E2D7D9D6 SPBU=E2D7C2E4 SPBI=E2D7C2C9 SPBO=E2D7C2D6 LSD=D3E2C440
"""


@pytest.mark.spec("mq-wire.md 9.22")
def test_structure_identifiers_in_ebcdic() -> None:
    rows = dict(row.split("=") for row in EBCDIC.split())
    found = {name: member.ebcdic.hex().upper() for name, member in constants.StrucId.__members__.items()}
    assert found == rows
