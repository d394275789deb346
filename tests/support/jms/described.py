"""What a JMS message says, in the lines in which the Java program ``Described`` shows what IBM's client reads."""

from __future__ import annotations

import hashlib
import struct

from mqbridge.mappings.jms import JmsMessage, Typed

LONGEST = 2000
PADDED = {"JMS_IBM_Format": 8, "JMSXAppID": 28, "JMSXUserID": 12}
"""Texts that IBM's client shows with the blanks of their fields."""


def described(jms: JmsMessage) -> dict[str, str]:
    """Type and value by name."""
    headers = jms.headers
    found = {
        "kind": Typed(jms.kind, "string"),
        "JMSMessageID": text(headers.message_id),
        "JMSTimestamp": Typed(headers.timestamp, "i8"),
        "JMSCorrelationID": text(headers.correlation_id),
        "JMSReplyTo": text(None if headers.reply_to is None else headers.reply_to.uri),
        "JMSDestination": text(None if headers.destination is None else headers.destination.uri),
        "JMSDeliveryMode": Typed(headers.delivery_mode, "i4"),
        "JMSRedelivered": Typed(jms.redelivered, "boolean"),
        "JMSType": text(headers.type),
        "JMSExpiration": Typed(headers.expiration, "i8"),
        "JMSPriority": Typed(headers.priority, "i4"),
        "JMSDeliveryTime": Typed(headers.delivery_time, "i8"),
        ".JMSXDeliveryCount": Typed(headers.delivery_count, "i4"),
        ".JMSXUserID": text(headers.user_id),
        ".JMSXAppID": text(headers.app_id),
    }
    if headers.group_id is not None:
        found[".JMSXGroupID"] = text(headers.group_id)
    if headers.group_seq is not None:
        found[".JMSXGroupSeq"] = Typed(headers.group_seq, "i4")
    found |= {"." + name: value for name, value in (jms.provider_properties | jms.properties).items()}
    body = jms.body
    if isinstance(body, dict):
        found |= {f"body[{escaped(name)}]": value for name, value in body.items()}
        body = Typed(len(body), "i4")
    elif isinstance(body, tuple) and not isinstance(body, Typed):
        found |= {f"body[{number}]": value for number, value in enumerate(body)}
        body = Typed(len(body), "i4")
    elif isinstance(body, bytes):
        body = Typed(body, "bin.hex")
    elif jms.kind == "object":
        body = Typed(b"\xac\xed\x00\x05p", "bin.hex")
    else:
        body = text(body)
    if jms.kind != "none":
        found["body"] = body
    return {name: shown(name, value) for name, value in found.items()}


def text(value: str | None) -> Typed:
    return Typed(value, "null" if value is None else "string")


def shown(name: str, given: Typed) -> str:
    value, dt = given
    if dt == "r4":
        return f"r4 {bits('>f', value):08x}"
    if dt == "r8":
        return f"r8 {bits('>d', value):016x}"
    if isinstance(value, bytes):
        return "bin.hex " + shortened(value.hex())
    if isinstance(value, bool):
        return f"{dt} {str(value).lower()}"
    if isinstance(value, str):
        return f"{dt} " + shortened(
            escaped(value.rstrip(" ") if name[1:] in PADDED or ".JMS_IBM_MQMD" in name else value)
        )
    return f"{dt} {'' if value is None else value}"


def bits(form: str, value: object) -> int:
    return int.from_bytes(struct.pack(form, value), "big")


def escaped(value: str) -> str:
    raw = value.encode("utf-16-be", "surrogatepass")
    units = [int.from_bytes(raw[at : at + 2], "big") for at in range(0, len(raw), 2)]
    return "".join(chr(unit) if 32 <= unit < 127 and unit != 92 else f"\\u{unit:04x}" for unit in units)


def shortened(value: str) -> str:
    return value if len(value) <= LONGEST else f"{len(value)} {hashlib.sha256(value.encode()).hexdigest()}"


def read_lines(lines: list[str]) -> dict[str, str]:
    """The lines of the Java program in the same form."""
    found = {}
    for line in lines:
        name, dt, value = line.split("\t", 2)
        if name[1:] in PADDED or ".JMS_IBM_MQMD" in name:
            value = value.rstrip(" ")
        found[name] = f"{dt} {value}"
    return found
