from __future__ import annotations

import shutil
import subprocess

import pytest

from mqbridge.protocol import constants

TSHARK = shutil.which("tshark")

pytestmark = [
    pytest.mark.interop("tshark"),
    pytest.mark.skipif(TSHARK is None, reason="tshark is not installed"),
]

# Names that the dissector has wrong or of an old version; mq-wire.md 5.14 tells the proof.
STALE_STATUS = {0x0A, 0x0B, 0x0C, 0x0E, 0x0F}


@pytest.fixture(scope="module")
def tables() -> dict[str, dict[int, str]]:
    assert TSHARK is not None
    listed = subprocess.run([TSHARK, "-G", "values"], capture_output=True, text=True, check=True, timeout=100)
    found: dict[str, dict[int, str]] = {}
    for line in listed.stdout.splitlines():
        kind, _, rest = line.partition("\t")
        if kind == "V" and rest.startswith(("mq.", "mqpcf.")):
            field, value, name = rest.split("\t", 2)
            number = int(value, 0)
            found.setdefault(field, {})[number - (1 << 32) if number > 0x7FFFFFFF else number] = name
    return found


@pytest.mark.parametrize(
    ("field", "families"),
    [
        ("mq.tsh.type", ["SegmentType"]),
        ("mq.api.completioncode", ["MQCC"]),
        ("mq.api.reasoncode", ["MQRC", "MQRCCF"]),
        ("mq.inq.sel", ["MQIA", "MQCA"]),
        ("mq.md.appltype", ["MQAT"]),
        ("mq.md.msgtype", ["MQMT"]),
        ("mq.md.persistence", ["MQPER"]),
        ("mq.od.objtype", ["MQOT"]),
        ("mq.status.code", ["StatusCode"]),
        ("mq.notif.code", ["NotificationCode"]),
        ("mq.spi.verb", ["SpiVerb"]),
        ("mq.xa.returnvalue", ["XAReturn"]),
        ("mq.cih.uowcontrols", ["MQCUOWC"]),
        ("mq.cih.taskendstatus", ["MQCTES"]),
        ("mq.cih.linktype", ["MQCLT"]),
        ("mqpcf.cfh.command", ["MQCMD"]),
        ("mqpcf.cfh.type", ["MQCFT"]),
        ("mqpcf.parm.type", ["MQCFT"]),
        ("mqpcf.filter.op", ["MQCFOP"]),
        (
            "mqpcf.parm.id",
            [
                *("MQIA", "MQCA", "MQIAMO", "MQIAMO64", "MQCAMO", "MQIACF"),
                *("MQCACF", "MQIACH", "MQCACH", "MQBACF", "MQGACF"),
            ],
        ),
    ],
)
@pytest.mark.spec("mq-wire.md 9")
def test_the_names_are_those_of_the_dissector(
    tables: dict[str, dict[int, str]], field: str, families: list[str]
) -> None:
    enumerations = [getattr(constants, family) for family in families]
    ours: dict[int, set[str]] = {}
    for family in enumerations:
        for name, member in family.__members__.items():
            ours.setdefault(int(member), set()).update({family.prefix() + name, str(member)})
    assert tables[field]
    for number, name in tables[field].items():
        if family.__name__ == "StatusCode" and number in STALE_STATUS:
            continue
        assert name in ours.get(number, set()), f"{field} {number}"
