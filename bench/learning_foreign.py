"""Eight protocols over TCP that the learner was not made for, built with scapy, whose own fields say where each begins.

Nothing of the learner may be tuned on these: they measure it, and only at the end.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from random import Random
from typing import Any, Final, TypeAlias

from learning_truth import BEGUN, Traffic
from scapy.contrib import bgp, diameter, modbus, mqtt, openflow
from scapy.contrib.automotive.someip import SOMEIP
from scapy.fields import ConditionalField
from scapy.layers import smb2
from scapy.layers.dns import DNS, DNSQR, DNSRR
from scapy.layers.netbios import NBTSession
from scapy.packet import NoPayload, Packet, Raw

from mqbridge.captures.learning import INITIATOR, RESPONDER, Piece, Stream

CONNECTIONS: Final = 10
EXCHANGES: Final = 40
Line: TypeAlias = tuple[int, bytes, list[tuple[Packet, int]]]
"""Side, the whole message, and the packets in it with where they begin."""
Talk: TypeAlias = Callable[[Random, int], Iterator[Line]]


def boundaries(packet: Packet, at: int = 0) -> set[int]:
    """Return where the fields of a dissected packet begin, those of packets in it too."""
    found: set[int] = set()
    _walk(packet, at, found)
    return found


def _walk(packet: Packet, at: int, found: set[int]) -> int:
    if isinstance(packet, NoPayload):
        return at
    if isinstance(packet, Raw):
        found.add(at)
        return at + len(packet.load)
    built: Any = b""
    for field in packet.fields_desc:
        if isinstance(field, ConditionalField) and not field._evalcond(packet):
            continue
        value = packet.getfieldval(field.name)
        if isinstance(built, bytes):
            found.add(at + len(built))
        inner = getattr(field, "fld", field)
        if getattr(inner, "holds_packets", 0) and isinstance(built, bytes) and value is not None:
            place = at + len(built)
            for each in value if isinstance(value, list) else [value]:
                place = _walk(each, place, found) if isinstance(each, Packet) else place + len(bytes(each))
            built += bytes(place - at - len(built))
            continue
        built = field.addfield(packet, built, value)
    return _walk(packet.payload, at + len(built), found)


def _line(side: int, packet: Packet, head: bytes = b"") -> Line:
    data = bytes(packet)
    return side, head + data, [(packet.__class__(data), len(head))]


def _modbus(dice: Random, _: int) -> Iterator[Line]:
    for number in range(EXCHANGES):
        address = dice.randrange(0, 4000)
        count = dice.randrange(1, 30)
        values = [dice.randrange(1 << 16) if dice.random() < 0.5 else dice.randrange(300) for _ in range(count)]
        asked, answered = dice.choice(
            [
                (
                    modbus.ModbusPDU03ReadHoldingRegistersRequest(startAddr=address, quantity=count),
                    modbus.ModbusPDU03ReadHoldingRegistersResponse(registerVal=values),
                ),
                (
                    modbus.ModbusPDU06WriteSingleRegisterRequest(registerAddr=address, registerValue=values[0]),
                    modbus.ModbusPDU06WriteSingleRegisterResponse(registerAddr=address, registerValue=values[0]),
                ),
                (
                    modbus.ModbusPDU10WriteMultipleRegistersRequest(startAddr=address, outputsValue=values),
                    modbus.ModbusPDU10WriteMultipleRegistersResponse(startAddr=address, quantityRegisters=count),
                ),
                (
                    modbus.ModbusPDU01ReadCoilsRequest(startAddr=address, quantity=8 * count),
                    modbus.ModbusPDU01ReadCoilsResponse(coilStatus=[dice.randrange(256) for _ in range(count)]),
                ),
            ]
        )
        unit = dice.randrange(1, 5)
        yield _line(INITIATOR, modbus.ModbusADURequest(transId=number, unitId=unit) / asked)
        yield _line(RESPONDER, modbus.ModbusADUResponse(transId=number, unitId=unit) / answered)


def _name(dice: Random) -> str:
    label = "".join(dice.choice("abcdefghijklmnopqrstuvwxyz") for _ in range(dice.randrange(3, 12)))
    return f"{label}.{dice.choice(['example', 'test', 'invalid'])}.{dice.choice(['com', 'org'])}"


def _dns(dice: Random, _: int) -> Iterator[Line]:
    for _ in range(EXCHANGES):
        name, number = _name(dice), dice.randrange(1 << 16)
        kind = dice.choice(["A", "AAAA", "TXT", "MX"])
        question = DNSQR(qname=name, qtype=kind)
        addresses = [f"192.0.2.{dice.randrange(1, 255)}" for _ in range(dice.randrange(1, 4))]
        answers = [DNSRR(rrname=name, type="A", ttl=dice.choice([60, 300, 3600]), rdata=each) for each in addresses]
        for side, packet in (
            (INITIATOR, DNS(id=number, rd=1, qd=[question])),
            (RESPONDER, DNS(id=number, qr=1, rd=1, ra=1, qd=[question], an=answers)),
        ):
            yield _line(side, packet, struct.pack(">H", len(bytes(packet))))


def _bgp(dice: Random, number: int) -> Iterator[Line]:
    for side in (INITIATOR, RESPONDER):
        yield _line(
            side,
            bgp.BGPHeader(type=1)
            / bgp.BGPOpen(my_as=65000 + number + side, hold_time=90, bgp_id=f"10.0.{number}.{side}"),
        )
        yield _line(side, bgp.BGPHeader(type=4))
    for _ in range(EXCHANGES):
        side = dice.randrange(2)
        if dice.random() < 0.25:
            yield _line(side, bgp.BGPHeader(type=4))
            continue
        attributes = [
            bgp.BGPPathAttr(type_flags=0x40, type_code=1, attribute=bgp.BGPPAOrigin(origin=dice.choice([0, 2]))),
            bgp.BGPPathAttr(
                type_flags=0x40, type_code=3, attribute=bgp.BGPPANextHop(next_hop=f"10.0.{number}.{side + 1}")
            ),
        ]
        if dice.random() < 0.5:
            metric = bgp.BGPPAMultiExitDisc(med=dice.randrange(200))
            attributes.append(bgp.BGPPathAttr(type_flags=0x80, type_code=4, attribute=metric))
        prefixes = [
            bgp.BGPNLRI_IPv4(prefix=f"{dice.randrange(1, 200)}.{dice.randrange(256)}.{dice.randrange(256)}.0/24")
            for _ in range(dice.randrange(1, 5))
        ]
        yield _line(side, bgp.BGPHeader(type=2) / bgp.BGPUpdate(path_attr=attributes, nlri=prefixes))


def _smb2(dice: Random, number: int) -> Iterator[Line]:
    session = dice.randrange(1 << 48)
    for place in range(EXCHANGES):
        file = smb2.SMB2_FILEID(Persistent=dice.randrange(1 << 32), Volatile=dice.randrange(1 << 32))
        data = dice.randbytes(dice.randrange(10, 200))
        command, asked, answered = dice.choice(
            [
                (8, smb2.SMB2_Read_Request(Length=4096, Offset=dice.randrange(1 << 20), FileId=file), None),
                (9, smb2.SMB2_Write_Request(Offset=dice.randrange(1 << 20), FileId=file, DataBufferOffset=112,
                                            DataLen=len(data)) / Raw(data),
                 smb2.SMB2_Write_Response(Count=len(data))),
                (6, smb2.SMB2_Close_Request(FileId=file),
                 smb2.SMB2_Close_Response(EndOfFile=dice.randrange(1 << 16), AllocationSize=dice.randrange(1 << 16))),
            ]
        )  # fmt: skip
        if answered is None:
            answered = smb2.SMB2_Read_Response(DataBufferOffset=80, DataLen=len(data)) / Raw(data)
        for side, packet in ((INITIATOR, asked), (RESPONDER, answered)):
            head = smb2.SMB2_Header(
                Command=command,
                MID=place + 1,
                SessionId=session,
                TID=number + 1,
                Flags=side,
                CreditRequest=1 + 30 * side,
            )
            data = bytes(NBTSession() / head / packet)
            yield side, data, [(NBTSession(data[:4]), 0), (smb2.SMB2_Header(data[4:]), 4)]


def _mqtt(dice: Random, number: int) -> Iterator[Line]:
    client = f"device-{number}".encode()
    yield _line(
        INITIATOR,
        mqtt.MQTT()
        / mqtt.MQTTConnect(
            protoname=b"MQTT", protolevel=4, cleansess=1, klive=60, clientId=client, clientIdlen=len(client)
        ),
    )
    yield _line(RESPONDER, mqtt.MQTT() / mqtt.MQTTConnack(retcode=0))
    for place in range(EXCHANGES):
        topic = f"{dice.choice(['home', 'plant', 'car'])}/{_name(dice)}/{dice.choice(['temp', 'state'])}".encode()
        if dice.random() < 0.2:
            wanted = mqtt.MQTTTopicQOS(topic=topic, QOS=1)
            yield _line(INITIATOR, mqtt.MQTT(QOS=1) / mqtt.MQTTSubscribe(msgid=place + 1, topics=[wanted]))
            yield _line(RESPONDER, mqtt.MQTT() / mqtt.MQTTSuback(msgid=place + 1, retcodes=[1]))
            continue
        value = b'{"value": %d.%d}' % (dice.randrange(100), dice.randrange(10)) * dice.choice([1, 1, 1, 9])
        sent = mqtt.MQTTPublish(topic=topic, msgid=place + 1, value=value)
        yield _line(INITIATOR, mqtt.MQTT(QOS=1) / sent)
        yield _line(RESPONDER, mqtt.MQTT() / mqtt.MQTTPuback(msgid=place + 1))


def _diameter(dice: Random, number: int) -> Iterator[Line]:
    first = dice.randrange(1 << 32)
    for place in range(EXCHANGES):
        name, application = dice.choice([("Device-Watchdog", 0), ("Capabilities-Exchange", 0), ("Accounting", 3)])
        origin = [diameter.AVP(264, val=f"host{number}.example.org"), diameter.AVP(296, val="example.org")]
        more = [diameter.AVP(485, val=place), diameter.AVP(480, val=dice.randrange(1, 5))] if application else []
        session = [diameter.AVP(263, val=f"host{number};{dice.randrange(1 << 31)};{place}")] if application else []
        common = {"drHbHId": place + number * 1000, "drEtEId": (first + place) % (1 << 32), "drAppId": application}
        yield _line(INITIATOR, diameter.DiamReq(name, avpList=[*session, *origin, *more], **common))
        result = [diameter.AVP(268, val=dice.choice([2001, 2001, 5012]))]
        yield _line(RESPONDER, diameter.DiamAns(name, avpList=[*session, *result, *origin], **common))


def _openflow(dice: Random, number: int) -> Iterator[Line]:
    yield _line(INITIATOR, openflow.OFPTHello(xid=1))
    yield _line(RESPONDER, openflow.OFPTHello(xid=1))
    yield _line(RESPONDER, openflow.OFPTFeaturesRequest(xid=2))
    yield _line(INITIATOR, openflow.OFPTFeaturesReply(xid=2, datapath_id=number + 1, n_buffers=256, n_tables=2))
    for place in range(EXCHANGES):
        drawn = dice.random()
        if drawn < 0.2:
            yield _line(RESPONDER, openflow.OFPTEchoRequest(xid=100 + place))
            yield _line(INITIATOR, openflow.OFPTEchoReply(xid=100 + place))
        elif drawn < 0.6:
            data = dice.randbytes(dice.randrange(40, 120))
            head = struct.pack(">IHHBB", dice.randrange(256), len(data), dice.randrange(1, 9), dice.randrange(2), 0)
            packet = openflow.OFPTPacketIn(struct.pack(">BBHI", 1, 10, 18 + len(data), 0) + head)
            yield INITIATOR, bytes(packet) + data, [(packet / Raw(data), 0)]
        else:
            match = openflow.OFPMatch(
                in_port=dice.randrange(1, 9), dl_type=0x800, nw_dst=f"10.0.0.{dice.randrange(255)}"
            )
            yield _line(
                RESPONDER,
                openflow.OFPTFlowMod(
                    xid=100 + place,
                    match=match,
                    cookie=dice.randrange(1 << 40),
                    idle_timeout=dice.choice([0, 30, 60]),
                    priority=dice.randrange(1000),
                    actions=[openflow.OFPATOutput(port=dice.randrange(1, 9)) for _ in range(dice.randrange(1, 3))],
                ),
            )


def _someip(dice: Random, number: int) -> Iterator[Line]:
    for place in range(EXCHANGES):
        method = dice.choice([1, 2, 0x101])
        common = {"srv_id": 0x1234 + number % 3, "sub_id": method, "client_id": number + 1, "session_id": place + 1}
        asked = (
            struct.pack(">HI", dice.randrange(100), dice.randrange(5000))
            if method == 1
            else dice.randbytes(dice.randrange(4, 40))
        )
        yield _line(INITIATOR, SOMEIP(msg_type=0, iface_ver=1, **common) / Raw(asked))
        answer = struct.pack(">fH", 100 * dice.random(), dice.randrange(4)) if method == 1 else b"\0\0\0\1"
        yield _line(RESPONDER, SOMEIP(msg_type=0x80, iface_ver=1, **common) / Raw(answer))


TALKS: Final[dict[str, Talk]] = {
    "Modbus": _modbus,
    "DNS": _dns,
    "BGP": _bgp,
    "SMB2": _smb2,
    "MQTT": _mqtt,
    "Diameter": _diameter,
    "OpenFlow": _openflow,
    "SOME/IP": _someip,
}


def foreign(name: str) -> Traffic:
    """Return traffic of one of the `TALKS`."""
    truth: dict[bytes, frozenset[int]] = {}
    streams = []
    dice = Random(name)
    for number in range(CONNECTIONS):
        time, pieces = BEGUN + 100 * number, []
        for side, data, packets in TALKS[name](dice, number):
            time += dice.random() / 20
            pieces.append(Piece(side, time, data))
            found = set().union(*(boundaries(packet, begin) for packet, begin in packets))
            truth[data] = frozenset(each for each in found if 0 < each < len(data))
        streams.append(Stream(number, tuple(pieces)))
    return Traffic(name, streams, truth)
