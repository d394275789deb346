"""IBM's JMS client judges: what it wrote reads as it says, and what we wrote it reads and says."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

import mqbridge
from mqbridge import JmsMessage
from support.jms.described import described
from support.jms.exchange import Exchange
from support.jms.specimens import IN_BODIES, LARGE, TYPES, UNICODE
from support.processes.ports import free_port
from support.processes.running_service import MakeService

QUEUE = "DEV.QUEUE.1"
URI = f"queue:///{QUEUE}"
CHANNEL = "SET AUTHREC PROFILE('**') OBJTYPE(QUEUE) PRINCIPAL('checks') AUTHADD(ALL)\n" + (
    "SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('checks') AUTHADD(ALL)\n"
    "DEFINE CHANNEL(EXCHANGE) CHLTYPE(SVRCONN) SHARECNV(10) MCAUSER('checks')\n"
)
OURS: dict[str, tuple[str, Any, dict[str, Any]]] = {
    "text": ("text", UNICODE, {}),
    "text, null": ("text", None, {}),
    "text, empty": ("text", "", {}),
    "text, 1 MiB": ("text", LARGE, {}),
    "bytes": ("bytes", bytes(range(256)), {}),
    "bytes, empty": ("bytes", b"", {}),
    "bytes, 1 MiB": ("bytes", bytes(range(256)) * 4096, {}),
    "map": ("map", IN_BODIES, {}),
    "map, names": ("map", {"with blank": 1, "a.b": 2, "<&'é世🙂": 3, "1digit": 4, "elt": 5, "&lt;": 6}, {}),
    "map, empty": ("map", {}, {}),
    "map, 1 MiB": ("map", {"large": LARGE}, {}),
    "stream": ("stream", tuple(IN_BODIES.values()), {}),
    "stream, empty": ("stream", (), {}),
    "object": ("object", bytes.fromhex("aced0005740003616263"), {}),
    "object, null": ("object", None, {}),
    "none": ("none", None, {"properties": {"only": "this"}}),
    "properties": ("text", "x", {"properties": TYPES | {"$dollar": 1, "_under_line": 2, "umläut": 3}}),
    "correlation": ("text", "x", {"correlation_id": "Grüße 🙂 " * 9}),
    "correlation id": ("text", "x", {"correlation_id": "ID:" + "0a" * 24}),
    "correlation bytes": ("text", "x", {"correlation_id": b"\xfe" * 24}),
    "type": ("text", "x", {"type": "kind & <sort>"}),
    "type, other domain": ("text", "x", {"type": "mcd://mrm/set/type?format=fmt"}),
    "reply to a queue": ("text", "x", {"reply_to": "queue://OTHER/REPLIES?priority=5&targetClient=1"}),
    "reply to a topic": ("text", "x", {"reply_to": "topic://a/b?priority=3"}),
    "urgent": ("text", "x", {"priority": 9, "delivery_mode": 1}),
    "group": ("text", "x", {"group_id": "my group", "group_seq": 3}),
    "provider": (
        "text",
        "x",
        {
            "properties": {
                "JMS_IBM_MsgType": 70_000,
                "JMS_IBM_Feedback": 66_000,
                "JMS_IBM_ArmCorrelator": "arm",
                "JMS_IBM_RMCorrelator": "wrm",
                "JMS_IBM_Report_COA": 0x300,
            },
            "reply_to": "queue://OTHER/REPLIES",
        },
    ),
    "another character set": ("text", "Grüße", {"properties": {"JMS_IBM_Character_Set": "IBM037"}}),
    "UTF-16": ("text", "Grüße, 世界 🙂", {"properties": {"JMS_IBM_Character_Set": "1200", "JMS_IBM_Encoding": 546}}),
}
# The queue manager fills these in, or they are of one end alone.
OF_THE_PUT = {
    "JMSMessageID", "JMSDeliveryTime", ".JMSXAppID", ".JMSXUserID", ".JMSXDeliveryCount", ".JMS_IBM_PutApplType",
    ".JMS_IBM_PutDate", ".JMS_IBM_PutTime",
}  # fmt: skip


def but(facts: dict[str, str], *names: str) -> dict[str, str]:
    return {name: value for name, value in facts.items() if name not in OF_THE_PUT and name not in names}


@pytest.mark.spec("jms-mapping.md 6")
@pytest.mark.parametrize("generation", ["javax", "jakarta"])
def test_both_ends_read_what_the_other_wrote(make_service: MakeService, tmp_path: Path, generation: str) -> None:
    service = make_service(mqsc=CHANNEL, listen=f"tcp:{free_port()}:interface=127.0.0.1")
    with (
        Exchange.ibm(
            generation, tmp_path / "java", port=service.port, channel="EXCHANGE", queue_manager=service.name
        ) as java,
        mqbridge.connect(f"mq://127.0.0.1:{service.port}/{service.name}?channel=EXCHANGE") as manager,
        manager.queue(QUEUE) as queue,
    ):
        names = java.ask("names")
        assert len(names) > 50
        for name in names:
            theirs = java.read(f"send {URI} {name}")
            message = queue.get(wait=10)
            assert message is not None, name
            ours = described(JmsMessage.of(message).content)
            assert ours["JMSMessageID"] == theirs["JMSMessageID"], name
            if "///" in theirs["JMSReplyTo"]:  # the queue manager adds its name
                theirs["JMSReplyTo"] = theirs["JMSReplyTo"].replace("///", f"//{service.name}/")
            # What the descriptor says is not repeated by the sender, and JMS_IBM_MQMD_… were not allowed.
            written = {key: value for key, value in but(theirs).items() if not key.startswith(".JMS_IBM_MQMD")}
            if name == "bytes-encoding":  # the sender shows numbers before they are written in the other byte order
                assert ours["body"] == "bin.hex 0100000000000000000004400004c3a9c080"
                del written["body"]
            if written.get(".JMS_IBM_Character_Set") == "string 1200":
                written[".JMS_IBM_Character_Set"] = "string x-UTF-16LE-BOM"
            assert {key: ours.get(key) for key in written} == written, name
        for name, (kind, body, headers) in OURS.items():
            made = JmsMessage(kind, body, **headers).message(URI)
            queue.put(made)
            theirs = java.read(f"receive {URI}")
            ours = described(JmsMessage.of(made).content)
            assert but(theirs) == but(ours), name
        lives = JmsMessage("text", "x", expiration=int(time.time() * 1000) + 60_000).message(URI)
        queue.put(lives)
        assert java.read(f"receive {URI}")["JMSExpiration"] == described(JmsMessage.of(lives).content)["JMSExpiration"]
        queue.put(JmsMessage("map", {"a": 1, "b": "x"}).message(URI, compatible_maps=True))
        assert java.read(f"receive {URI}")["body[b]"] == "string x"
        queue.put(JmsMessage("text", "plain").message(URI + "?targetClient=1"))
        theirs = java.read(f"receive {URI}")
        assert (theirs["kind"], theirs["body"], theirs["JMSDestination"]) == ("string text", "string plain", "null ")
