"""Message headers and PCF that we build are read by tshark's dissector with the values that we put in.

Not compared, because the dissector shows them wrong (mq-wire.md 5.14): flag words of bridge headers in
little-endian data, and everything behind ObjectType in a reference header.
"""

from __future__ import annotations

import json
import random
import shutil
import string
import subprocess
from pathlib import Path
from typing import Any

import pytest

from mqbridge.captures.recording.recorder import Recorder
from mqbridge.captures.streams.flow_events import Direction, Endpoint
from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.grammar import Structure
from mqbridge.protocol.records import Record
from mqbridge.protocol.structures import (
    CIH,
    DLH,
    IIH,
    IMS_SEGMENT,
    MD1,
    MDE,
    MSH,
    RMH,
    TM,
    TMC2,
    TSH,
    WIH,
    XQH,
    Parameter,
    byte_string_parameter,
    make_pcf,
    make_rfh2,
    string_list_parameter,
    string_parameter,
)

TSHARK = shutil.which("tshark")

pytestmark = [
    pytest.mark.interop("tshark"),
    pytest.mark.skipif(TSHARK is None, reason="tshark is not installed"),
]

ORDERS: tuple[ByteOrder, ...] = (ByteOrder.BIG, ByteOrder.LITTLE)
ENCODINGS = {ByteOrder.BIG: 0x111, ByteOrder.LITTLE: 0x222}

HEAD = {
    "mq.head.structid": "struc_id",
    "mq.head.version": "version",
    "mq.head.length": "struc_length",
    "mq.head.encoding": "encoding",
    "mq.head.ccsid": "coded_char_set_id",
    "mq.head.format": "format",
}
FLAGS = {"mq.head.flags": "flags"}
TRIGGER = {
    "structid": "struc_id",
    "version": "version",
    "qname": "q_name",
    "procname": "process_name",
    "triggerdata": "trigger_data",
    "appltype": "appl_type",
    "applid": "appl_id",
    "envdaqta": "env_data",
}

# Format in front, structure, its fixed fields, and the dissector's names of its fields.
HEADERS: dict[str, tuple[str, Structure, dict[str, Any], dict[str, str]]] = {
    "DLH": (
        "MQDEAD",
        DLH,
        {"struc_id": b"DLH ", "version": 1},
        {
            "mq.dlh.structid": "struc_id",
            "mq.dlh.version": "version",
            "mq.dlh.reason": "reason",
            "mq.dlh.destq": "dest_q_name",
            "mq.dlh.destqmgr": "dest_q_mgr_name",
            "mq.dlh.encoding": "encoding",
            "mq.dlh.ccsid": "coded_char_set_id",
            "mq.dlh.format": "format",
            "mq.dlh.putappltype": "put_appl_type",
            "mq.dlh.putapplname": "put_appl_name",
            "mq.dlh.putdate": "put_date",
            "mq.dlh.puttime": "put_time",
        },
    ),
    "MDE": ("MQHMDE", MDE, {"struc_id": b"MDE ", "version": 2, "struc_length": 72}, {**HEAD, **FLAGS}),
    "CIH": (
        "MQCICS",
        CIH,
        {"struc_id": b"CIH ", "version": 2, "struc_length": 180},
        {
            **HEAD,
            "mq.cih.returncode": "return_code",
            "mq.cih.compcode": "comp_code",
            "mq.cih.reasoncode": "reason",
            "mq.cih.uowcontrols": "uow_control",
            "mq.cih.getwaitintv": "get_wait_interval",
            "mq.cih.linktype": "link_type",
            "mq.cih.outdatalen": "output_data_length",
            "mq.cih.facilkeeptime": "facility_keep_time",
            "mq.cih.adsdescr": "ads_descriptor",
            "mq.cih.converstask": "conversational_task",
            "mq.cih.taskendstatus": "task_end_status",
            "mq.cih.bridgefactokn": "facility",
            "mq.cih.function": "function",
            "mq.cih.abendcode": "abend_code",
            "mq.cih.authenticator": "authenticator",
            "mq.cih.reserved": "reserved1",
            "mq.cih.replytofmt": "reply_to_format",
            "mq.cih.remotesysid": "remote_sys_id",
            "mq.cih.remotetransid": "remote_trans_id",
            "mq.cih.transactionid": "transaction_id",
            "mq.cih.facilitylike": "facility_like",
            "mq.cih.attentionid": "attention_id",
            "mq.cih.startcode": "start_code",
            "mq.cih.cancelcode": "cancel_code",
            "mq.cih.nexttransid": "next_transaction_id",
            "mq.cih.reserved2": "reserved2",
            "mq.cih.reserved3": "reserved3",
            "mq.cih.cursorpos": "cursor_position",
            "mq.cih.erroroffset": "error_offset",
            "mq.cih.inputitem": "input_item",
        },
    ),
    "IIH": (
        "MQIMS",
        IIH,
        {"struc_id": b"IIH ", "version": 1, "struc_length": 84},
        {
            **HEAD,
            "mq.iih.ltermoverrid": "l_term_override",
            "mq.iih.mfsmapname": "mfs_map_name",
            "mq.iih.replytofmt": "reply_to_format",
            "mq.iih.authenticator": "authenticator",
            "mq.iih.transinstid": "tran_instance_id",
            "mq.iih.transstate": "tran_state",
            "mq.iih.commimode": "commit_mode",
            "mq.iih.securityscope": "security_scope",
            "mq.iih.reserved": "reserved",
        },
    ),
    "WIH": (
        "MQHWIH",
        WIH,
        {"struc_id": b"WIH ", "version": 1, "struc_length": 120},
        {
            **HEAD,
            **FLAGS,
            "mq.wih.servicename": "service_name",
            "mq.wih.servicestep": "service_step",
            "mq.wih.msgtoken": "msg_token",
            "mq.wih.reserved": "reserved",
        },
    ),
    "RMH": (
        "MQHREF",
        RMH,
        {"struc_id": b"RMH ", "version": 1, "struc_length": 108},
        {**HEAD, "mq.rmh.objecttype": "object_type"},
    ),
    "TM": (
        "MQTRIG",
        TM,
        {"struc_id": b"TM  ", "version": 1},
        {**{f"mq.tm.{ours}": key for ours, key in TRIGGER.items()}, "mq.t2.userdata": "user_data"},
    ),
    "TMC2": (
        "MQTRIG",
        TMC2,
        {"struc_id": b"TMC2", "version": b"2   "},
        {
            **{f"mq.tmc2.{ours}": key for ours, key in TRIGGER.items()},
            "mq.tmc2.userdata": "user_data",
            "mq.tmc2.qmgrname": "q_mgr_name",
        },
    ),
}

FOLDERS = (b"<mcd><Msd>jms_text</Msd></mcd>  ", b"<usr><a>1</a></usr> ")
PARAMETERS = [
    string_parameter(2016, b"Q.ONE"),
    Parameter(3, 20, 1001),
    Parameter(5, 1002, [1, 2, -3]),
    string_list_parameter(3011, [b"ABC ", b"DEFG"], 4),
    byte_string_parameter(7001, b"\1\2\3"),
    Parameter(13, 3, 100, operator=4),
    Parameter(14, 2016, b"Q*  ", operator=18),
    Parameter(20, 8001, [Parameter(23, 745, 2**40)]),
    Parameter(25, 746, [5, -1]),
]


def filled(structure: Structure, order: ByteOrder, source: random.Random, **fixed: Any) -> Record:
    """A record with something different in every field; texts in capital letters, integers not negative."""
    values: dict[str, Any] = {}
    for slot in structure.slots:
        if slot.field.kind == "char":
            values[slot.field.key] = "".join(source.choices(string.ascii_uppercase, k=slot.size)).encode()
        elif slot.field.kind == "bytes":
            values[slot.field.key] = source.randbytes(slot.size)
        else:
            values[slot.field.key] = source.randrange(1 << (8 * slot.size - 1))
    return structure.codec(order)(**{**values, **fixed})


def segment(format_name: str, data: bytes, order: ByteOrder) -> bytes:
    """A MESSAGE_DATA segment with a message of that data."""
    described = {"format": format_name.ljust(8).encode(), "encoding": ENCODINGS[order], "coded_char_set_id": 819}
    descriptor = MD1.codec(order)(**described)
    message = XQH.codec(order)().build() + descriptor.build() + data
    front = MSH.codec(order)(sequence_number=1, data_length=len(data), message_length=len(message)).build()
    length = TSH.size + len(front) + len(message)
    header = TSH.codec(order)(seg_length=length, segment_type=4, control_flags1=0x30, ccsid=819)
    return header.build() + front + message


def leaves(node: Any, name: str = "") -> list[tuple[str, str]]:
    """Field names and values of the dissector's tree, in its order."""
    if isinstance(node, dict):
        return [leaf for key, value in node.items() for leaf in leaves(value, key)]
    if isinstance(node, list):
        return [leaf for item in node for leaf in leaves(item, name)]
    return [(name, node)]


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object whose names may repeat: values of repeated names become lists."""
    found: dict[str, Any] = {}
    for name, value in pairs:
        found[name] = [found[name], value] if name in found else value
    return found


def same(shown: str, value: bytes | int) -> bool:
    """Whether what the dissector shows is the value of a field."""
    if isinstance(value, int):
        return int(shown, 0) == value
    return shown.encode() == value or shown.replace(":", "") == value.hex()


@pytest.fixture(scope="module")
def dissected(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], tuple[Any, list[tuple[str, str]]]]:
    assert TSHARK is not None
    path: Path = tmp_path_factory.mktemp("headers") / "headers.pcap"
    source = random.Random(515)
    built: dict[tuple[str, str], Any] = {}
    with path.open("wb") as file:
        connection = Recorder(file).connect(Endpoint("10.0.0.1", 40000), Endpoint("10.0.0.2", 1414), 1.0)
        for order in ORDERS:
            link = {"encoding": ENCODINGS[order], "coded_char_set_id": 819, "format": b"MQSTR   "}
            for name, (format_name, structure, fixed, _) in HEADERS.items():
                known = {slot.field.key for slot in structure.slots}
                values = {**fixed, **{key: value for key, value in link.items() if key in known}}
                record = built[name, order] = filled(structure, order, source, **values)
                data = record.build() + (IMS_SEGMENT.codec(order)().build() if name == "IIH" else b"")
                connection.send(Direction.INITIATOR, segment(format_name, data, order), 2.0)
            rules = built["RFH2", order] = make_rfh2(order, FOLDERS, **link)
            connection.send(Direction.INITIATOR, segment("MQHRF2", rules.build() + b"body", order), 2.0)
            command = built["PCF", order] = make_pcf(order, 13, PARAMETERS, type=7, reason=2033)
            connection.send(Direction.INITIATOR, segment("MQEVENT", command.build(), order), 2.0)
    listed = subprocess.run(
        [TSHARK, "-r", str(path), "-d", "tcp.port==1414,mq", "-T", "json"],
        capture_output=True,
        text=True,
        check=True,
        timeout=100,
    )
    layers = [packet["_source"]["layers"] for packet in json.loads(listed.stdout, object_pairs_hook=once)]
    messages = [layer for layer in layers if "mq" in layer]
    assert len(messages) == len(built)
    assert not [key for key, layer in zip(built, messages, strict=True) if "_ws.malformed" in layer]
    shown = [
        [leaf for layer, node in layers.items() if layer.startswith("mq") for leaf in leaves(node)]
        for layers in messages
    ]
    return {key: (built[key], tree) for key, tree in zip(built, shown, strict=True)}


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("name", HEADERS)
@pytest.mark.spec("mq-wire.md 5.15")
def test_every_field_of_a_header_has_the_dissectors_value(
    dissected: dict[tuple[str, str], tuple[Any, list[tuple[str, str]]]], name: str, order: ByteOrder
) -> None:
    record, tree = dissected[name, order]
    shown = dict(tree)
    for field, key in HEADERS[name][3].items():
        value = getattr(record, key)
        # names are shown up to 60 characters or so; long texts are compared by their beginning
        text = shown[field]
        assert same(text, value) or (isinstance(value, bytes) and len(text) > 40 and value.startswith(text.encode())), (
            field,
            text,
            value,
        )


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.spec("mq-wire.md 5.15")
def test_folders_are_read_by_the_dissector(
    dissected: dict[tuple[str, str], tuple[Any, list[tuple[str, str]]]], order: ByteOrder
) -> None:
    header, tree = dissected["RFH2", order]
    shown = dict(tree)
    for field, key in HEAD.items():
        assert same(shown[field], getattr(header.record, key))
    assert shown["mq.rfh.ccsid"] == "1208"
    assert [value.encode() for name, value in tree if name == "mq.rfh.string"] == list(FOLDERS)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.spec("mq-wire.md 5.16")
def test_parameters_are_read_by_the_dissector(
    dissected: dict[tuple[str, str], tuple[Any, list[tuple[str, str]]]], order: ByteOrder
) -> None:
    _, tree = dissected["PCF", order]
    shown = dict(tree)
    assert (shown["mqpcf.cfh.type"], shown["mqpcf.cfh.command"], shown["mqpcf.cfh.ParmCount"]) == ("7", "13", "9")
    every = [inner for parameter in PARAMETERS for inner in parameter.walk()]

    def values(name: str) -> list[str]:
        return [value for found, value in tree if found == name]

    assert values("mqpcf.parm.type") == [str(int(one.type)) for one in every]
    assert values("mqpcf.parm.id") == [str(one.parameter) for one in every]
    assert values("mqpcf.parm.int") == ["1001", "100"]
    assert values("mqpcf.parm.intlist") == ["1", "2", "-3"]
    assert values("mqpcf.parm.int64") == [str(2**40)]
    assert values("mqpcf.parm.int64list") == ["5", "-1"]
    assert values("mqpcf.parm.bytestring") == ["01:02:03"]
    assert values("mqpcf.filter.op") == ["4", "18"]
    assert values("mqpcf.parm.string") == ["Q.ONE", "Q*  "]
    assert values("mqpcf.parm.stringlist") == ["ABC", "DEFG"]
