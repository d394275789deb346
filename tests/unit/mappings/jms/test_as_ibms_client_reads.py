"""Messages recorded with IBM's JMS client: read as it read them, written as it wrote them (jms-mapping.md 1 to 6)."""

from __future__ import annotations

import pytest

from mqbridge.mappings.destinations import Destination, MessageBody
from mqbridge.mappings.jms import JmsFormatError, JmsMessage
from support.jms.described import described
from support.jms.recorded import Recorded, recorded

WRITTEN = recorded("written.jsonl")
READ = recorded("read.jsonl")
# Read by us and not by IBM's client: whitespace and references where it wants none, elements in groups, which are no
# properties, and elements of folder jms that it does not know.
WE_READ_MORE = {
    "dlv-odd", "usr-group", "usr-lit-ent", "map-order-attrs", "map-leading", "map-ws", "map-charref", "usr-emoji",
    "usr-refdec", "map-empty-elt", "jms-fields", "map-apos-quote", "native-text-ccsid-unknown", "text-ccsid-unknown",
}  # fmt: skip
# Read by IBM's client and not by us, since they are malformed.
WE_REFUSE = {"bad-usr", "map-char2", "nv-37", "native-text-bad"}
# Read in another way: a property that says it is not null is null to IBM's client; it takes the rest of a tag for a
# name,
# loses a > in a text, and takes references to letters for two characters; a name with a dot is no property of ours; the
# CCSID of the queue manager was filled in.
OTHERWISE = {
    "usr-lit-nilfalse", "usr-lit-spaceattr", "usr-ref", "map-ref", "map-refl", "stream-ref", "usr-names", "dst-bad",
    "usr-quot", "native-text-ccsid0",
}  # fmt: skip
# The queue manager fills these in when a message is put.
FILLED_IN = {"JMSMessageID", "JMSTimestamp", ".JMSXUserID"}
OF_THE_PUT = {".JMSXAppID", ".JMS_IBM_PutApplType", ".JMS_IBM_PutDate", ".JMS_IBM_PutTime", "JMSDeliveryTime"}
OF_THE_GET = {
    "JMSDestination",
    ".JMS_IBM_MQMD_PutApplName",
    ".JMS_IBM_MQMD_PutApplType",
    ".JMS_IBM_MQMD_UserIdentifier",
}


def there(found: Recorded) -> Destination | None:
    return Destination.parse("queue:///DEV.QUEUE.1?" + found.properties) if found.properties else None


def same(ours: dict[str, str], theirs: dict[str, str], but: set[str]) -> None:
    assert {name: value for name, value in ours.items() if name not in but} == {
        name: value for name, value in theirs.items() if name not in but
    }


@pytest.mark.spec("jms-mapping.md 2")
@pytest.mark.spec("jms-mapping.md 3.1")
@pytest.mark.spec("jms-mapping.md 3.2")
@pytest.mark.spec("jms-mapping.md 6")
@pytest.mark.spec("jms-mapping.md 11.7")
@pytest.mark.parametrize("found", WRITTEN, ids=str)
def test_what_the_client_wrote_reads_as_the_client_reads_it(found: Recorded) -> None:
    assert found.read is not None
    jms = JmsMessage.of(found.message, there(found))
    put_again = OF_THE_PUT | OF_THE_GET | {"JMSExpiration", "JMSTimestamp"}
    reader = there(found)
    if found.name.startswith("text?messageBody=1") and reader is not None:  # read with another destination
        assert (jms.kind, jms.body) == ("bytes", found.message.data)
        return
    if "mdWriteEnabled" in found.name:
        put_again |= {".JMSXUserID", ".JMS_IBM_MQMD_ApplOriginData", ".JMS_IBM_MQMD_PutDate", ".JMS_IBM_MQMD_PutTime"}
    if found.name == "text?mdReadEnabled":
        jms = JmsMessage.of(found.message, "queue:///Q?mdReadEnabled=true")
    same(described(jms), found.read, put_again)
    if ".JMSXUserID" not in put_again and not jms.headers.destination:
        assert found.read["JMSDestination"] == "null "


@pytest.mark.spec("jms-mapping.md 2.2")
@pytest.mark.spec("jms-mapping.md 4")
@pytest.mark.spec("jms-mapping.md 6.1")
@pytest.mark.spec("jms-mapping.md 11.1")
@pytest.mark.spec("jms-mapping.md 11.8")
@pytest.mark.parametrize("found", READ, ids=str)
def test_what_others_wrote_reads_as_the_client_reads_it(found: Recorded) -> None:
    jms = JmsMessage.of(found.message, now=1_795_425_817.0)
    if found.name in WE_REFUSE or (found.read is None and found.name not in WE_READ_MORE):
        with pytest.raises(JmsFormatError):
            described(jms)
        return
    if found.name in WE_READ_MORE | OTHERWISE:
        if "ccsid-unknown" not in found.name:
            described(jms)
        return
    assert found.read is not None
    ours = described(jms)
    but = FILLED_IN | OF_THE_PUT | {"JMSExpiration"}
    if found.read.get("body", "").startswith("error"):
        return
    same(ours, found.read, but)
    shown = int(found.read["JMSExpiration"].split()[1])
    if shown <= 0 or shown > 1_795_500_000_000 or shown < 1_795_000_000_000:
        assert ours["JMSExpiration"] == found.read["JMSExpiration"]
    else:  # in ten minutes from the get, which was a moment later
        assert abs(int(ours["JMSExpiration"].split()[1]) - shown) < 300_000


@pytest.mark.spec("jms-mapping.md 1")
@pytest.mark.spec("jms-mapping.md 2.1")
@pytest.mark.spec("jms-mapping.md 4.1")
@pytest.mark.spec("jms-mapping.md 5")
@pytest.mark.spec("jms-mapping.md 11.10")
@pytest.mark.parametrize("found", [each for each in WRITTEN if "?" not in each.name], ids=str)
def test_what_the_client_wrote_is_written_again_byte_for_byte(found: Recorded) -> None:
    jms = JmsMessage.of(found.message)
    headers = jms.headers
    settable = {
        name: value
        for name, value in jms.provider_properties.items()
        if name.startswith(("JMS_IBM_Report", "JMS_IBM_MsgType", "JMS_IBM_F", "JMS_IBM_E", "JMS_IBM_C"))
        or name.endswith(("Correlator", "In_Group"))
    }
    again = JmsMessage(
        jms.kind,
        jms.body,
        properties=jms.properties | settable,
        type=headers.type,
        correlation_id=headers.correlation_id,
        reply_to=reply_to_as_written(found),
        delivery_mode=headers.delivery_mode,
        priority=headers.priority,
        expiration=headers.expiration,
        group_id=headers.group_id if "<Gid>" in folder(found) else None,
        group_seq=headers.group_seq if "<Seq>" in folder(found) else None,
    )
    assert headers.destination is not None
    made = again.message(headers.destination, now=headers.timestamp / 1000)
    # Java 17 writes the smallest number as one that is not the shortest.
    assert made.data.replace(b"5.0E-324", b"4.9E-324") == found.message.data
    ours, theirs = made.md, found.message.md
    for key in (
        "report", "msg_type", "expiry", "feedback", "encoding", "coded_char_set_id", "format", "priority",
        "persistence", "correl_id", "reply_to_q", "put_appl_type", "msg_seq_number", "msg_flags", "version",
    ):  # fmt: skip
        assert getattr(ours, key) == getattr(theirs, key), key
    if "<Gid>" in folder(found):
        assert ours.group_id == theirs.group_id


def folder(found: Recorded) -> str:
    return found.message.data.decode("latin_1")


def reply_to_as_written(found: Recorded) -> str | None:
    """The queue manager fills in its name; the client wrote none."""
    text = found.message.data.decode("utf-8", "replace")
    if "<Rto>" not in text:
        return None
    return text[text.index("<Rto>") + 5 : text.index("</Rto>")].replace("&amp;", "&")


def test_enough_is_recorded() -> None:
    assert len(WRITTEN) > 100
    assert len(READ) > 200
    assert MessageBody.MQ == 1
