"""Messages of every kind, with every header field and every type of property, for programs with any JMS client."""

from __future__ import annotations

from mqbridge.mappings.jms import Typed

from .dictated import Dictated
from .specimens import IN_BODIES, LARGE, TYPES, UNICODE

OBJECT = bytes.fromhex("aced0005740003616263")
"""The Java serialization of the string abc."""
LARGE_OBJECT = bytes.fromhex("aced00057c") + len(LARGE).to_bytes(8, "big") + LARGE.encode()


def _text(properties: dict[str, object] | None = None, /, **headers: object) -> Dictated:
    return Dictated("text", "x", headers, properties or {})


MATRIX = {
    "text": Dictated("text", UNICODE),
    "text-null": Dictated("text"),
    "text-empty": Dictated("text", ""),
    "text-large": Dictated("text", LARGE),
    "bytes": Dictated("bytes", bytes(range(256))),
    "bytes-empty": Dictated("bytes", b""),
    "bytes-large": Dictated("bytes", bytes(range(256)) * 4096),
    "map": Dictated("map", IN_BODIES),
    "map-names": Dictated("map", {"with blank": 1, "a.b": 2, "<&'é世🙂": 3, "1digit": 4, "elt": 5, "&lt;": 6}),
    "map-empty": Dictated("map", {}),
    "map-large": Dictated("map", {"large": LARGE, "bytes": bytes(1 << 19)}),
    "stream": Dictated("stream", tuple(IN_BODIES.values())),
    "stream-empty": Dictated("stream", ()),
    "stream-large": Dictated("stream", (LARGE, bytes(1 << 19))),
    "object": Dictated("object", OBJECT),
    "object-null": Dictated("object"),
    "object-large": Dictated("object", LARGE_OBJECT),
    "none": Dictated("none"),
    "none-property": Dictated("none", None, {}, {"only": "this"}),
    "properties": _text(dict(TYPES)),
    "property-names": _text({"$dollar": 1, "_under_line": 2, "umläut": 3, "世界": 4, "xsi": 5, "n" * 500: 6}),
    "properties-many": _text({f"property{number}": f"<{number}>" for number in range(300)}),
    "type": _text(JMSType="kind & <sort> 世"),
    "type-empty": _text(JMSType=""),
    "type-uri": _text(JMSType="mcd://mrm/set/type?format=fmt"),
    "correlation": _text(JMSCorrelationID="Grüße 🙂 " * 9),
    "correlation-empty": _text(JMSCorrelationID=""),
    "correlation-id": _text(JMSCorrelationID="ID:" + "0a" * 24),
    "correlation-capitals": _text(JMSCorrelationID="ID:" + "AB" * 24),
    "correlation-short": _text(JMSCorrelationID="ID:414d"),
    "correlation-bytes": _text(JMSCorrelationID=b"\xfe" * 24),
    "correlation-few-bytes": _text(JMSCorrelationID=b"\xfe\xfd"),
    "reply-queue": _text(JMSReplyTo="REPLIES"),
    "reply-topic": _text(JMSReplyTo="topic://a/b"),
    "group": _text({"JMSXGroupID": "my group", "JMSXGroupSeq": 3}),
    "group-id": _text({"JMSXGroupID": "ID:" + "0b" * 24, "JMSXGroupSeq": 1}),
    "group-long": _text({"JMSXGroupID": "Grüße " * 20, "JMSXGroupSeq": 999_999_999}),
    "group-without-number": _text({"JMSXGroupID": "my group"}),
    "expires": _text(timeToLive=Typed(600_000, "i8")),
    "expires-late": _text(timeToLive=Typed(400_000_000_000, "i8")),
    "delayed": _text(deliveryDelay=Typed(300, "i8")),
} | {
    f"priority-{priority}": _text(JMSPriority=priority, JMSDeliveryMode=1 + priority % 2) for priority in range(10)
}  # fmt: skip
"""By name."""
FOREIGN = {
    "correlation-message-id": _text(JMSCorrelationID="ID:c8ddfc31-b8b7-4ddc-9f7e-0f3b3f3a8f52:1:1:1-1"),
    "correlation-uuid": _text(JMSCorrelationID="ID:AMQP_UUID:c8ddfc31-b8b7-4ddc-9f7e-0f3b3f3a8f52"),
    "correlation-ulong": _text(JMSCorrelationID="ID:AMQP_ULONG:18446744073709551615"),
    "correlation-many-bytes": _text(JMSCorrelationID="ID:AMQP_BINARY:" + "FE" * 30),
    "correlation-binary": _text(JMSCorrelationID="ID:AMQP_BINARY:00FF80"),
    "group-foreign": _text({"JMSXGroupID": "ID:my group", "JMSXGroupSeq": 1}),
    "group-zero": _text({"JMSXGroupID": "my group", "JMSXGroupSeq": 0}),
    "group-negative": _text({"JMSXGroupID": "my group", "JMSXGroupSeq": -1}),
    "type-uri-of-map": Dictated("map", {"a": 1}, {"JMSType": "mcd://mrm/set/type?format=fmt"}),
    "type-uri-of-jms": _text(JMSType="mcd://jms_map/set/type"),
    "type-uri-of-nothing": _text(JMSType="mcd://"),
    "vendor": _text({"JMS_OTHER_property": "theirs", "JMS_AMQP_REPLY_TO_GROUP_ID": "my answers"}),
}
"""What Qpid JMS sends and IBM's client refuses to send."""
IBM_ALONE = {
    "character-set": Dictated("text", "Grüße", {}, {"JMS_IBM_Character_Set": "IBM037"}),
    "character-set-wide": Dictated(
        "text", "Grüße, 世界 🙂", {}, {"JMS_IBM_Character_Set": "1200", "JMS_IBM_Encoding": 546}
    ),
    "map-character-set": Dictated("map", {"text": "Grüße <&>"}, {}, {"JMS_IBM_Character_Set": "IBM037"}),
    "format": Dictated("bytes", b"\x01\x02", {}, {"JMS_IBM_Format": "MYFORMAT"}),
    "provider": _text(
        {
            "JMS_IBM_MsgType": 70_000,
            "JMS_IBM_Feedback": 66_000,
            "JMS_IBM_ArmCorrelator": "arm",
            "JMS_IBM_RMCorrelator": "wrm",
            "JMS_IBM_Last_Msg_In_Group": True,
            "JMSXGroupID": "my group",
            "JMSXGroupSeq": 2,
        }
    ),
}
"""What IBM's client alone sends."""
_CORRELATIONS = {
    "correlation-bytes": {"JMSCorrelationID": "string ID:" + "fe" * 24},
    "correlation-few-bytes": {"JMSCorrelationID": "string ID:fefd"},
    "correlation-binary": {"JMSCorrelationID": "string ID:00ff80"},
} | {
    name: {"JMSCorrelationID": f"string AMQP:{FOREIGN[name].headers['JMSCorrelationID']}"}
    for name in ("correlation-message-id", "correlation-uuid", "correlation-ulong", "correlation-many-bytes")
}  # fmt: skip
FOREIGN_HEADERS = _CORRELATIONS | {
    name: {"JMSType": f"string AMQP:{message.headers['JMSType']}"}
    for name, message in FOREIGN.items()
    if "JMSType" in message.headers
}
"""How those of Qpid JMS that IBM's client does not have are read here."""
