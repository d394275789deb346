"""The parameters of PCF messages: the grammar of each type, mq-wire.md 5.16.

Every parameter begins with its type, its length and its id. Tests compare the hand-written,
faster reader of :mod:`protocol.structures.pcf` with these grammars. ``Rest`` holds the bytes within StrucLength behind
the fields: padding to a multiple of 4, or fields of later versions.
"""

from __future__ import annotations

from typing import Any, Final

from construct import Array, Bytes, Check, Struct, this

from mqbridge.protocol.constants import MQCFOP, MQCFT, parameter_name
from mqbridge.protocol.fields import Numbers, char, part, raw
from mqbridge.protocol.grammar import Structure

MAX_EMPTY_STRINGS: Final = 1000
"""Limit of entries in a list of strings of length 0, which take no bytes."""


def _begin(n: Numbers, kind: MQCFT, length: int) -> tuple[Any, ...]:
    return (
        n.u32("Type", f"{kind}", names=MQCFT, default=int(kind)),
        n.u32("StrucLength", "bytes of this parameter", default=length),
        n.u32("Parameter", "which parameter", names=parameter_name),
    )


def _rest(length: Any) -> Any:
    return part("Rest", Bytes(length), "padding and what else StrucLength counts", kind="bytes", default=b"")


def _integer(n: Numbers) -> Any:
    return Struct(
        *_begin(n, MQCFT.INTEGER, 16),
        n.i32("Value", "the number"),
        _rest(this.struc_length - 16),
    )


def _string(n: Numbers) -> Any:
    return Struct(
        *_begin(n, MQCFT.STRING, 20),
        n.i32("CodedCharSetId", "code page of the text"),
        n.u32("StringLength", "bytes of the text"),
        char("String", this.string_length, "the text"),
        _rest(this.struc_length - 20 - this.string_length),
    )


def _integer_list(n: Numbers) -> Any:
    return Struct(
        *_begin(n, MQCFT.INTEGER_LIST, 16),
        n.u32("Count", "numbers"),
        part("Values", Array(this.count, n.plain("i32")), "the numbers"),
        _rest(this.struc_length - 16 - 4 * this.count),
    )


def _string_list(n: Numbers) -> Any:
    return Struct(
        *_begin(n, MQCFT.STRING_LIST, 24),
        n.i32("CodedCharSetId", "code page of the texts"),
        n.u32("Count", "texts"),
        n.u32("StringLength", "bytes of each text"),
        Check((this.string_length > 0) | (this.count <= MAX_EMPTY_STRINGS)),
        part("Strings", Array(this.count, Bytes(this.string_length)), "the texts, filled with blanks"),
        _rest(this.struc_length - 24 - this.count * this.string_length),
    )


def _byte_string(n: Numbers) -> Any:
    return Struct(
        *_begin(n, MQCFT.BYTE_STRING, 16),
        n.u32("StringLength", "bytes"),
        raw("String", this.string_length, "the bytes"),
        _rest(this.struc_length - 16 - this.string_length),
    )


def _integer_filter(n: Numbers) -> Any:
    return Struct(
        *_begin(n, MQCFT.INTEGER_FILTER, 20),
        n.u32("Operator", "how to compare", names=MQCFOP),
        n.i32("FilterValue", "what to compare with"),
        _rest(this.struc_length - 20),
    )


def _string_filter(n: Numbers) -> Any:
    return Struct(
        *_begin(n, MQCFT.STRING_FILTER, 24),
        n.u32("Operator", "how to compare", names=MQCFOP),
        n.i32("CodedCharSetId", "code page of the text"),
        n.u32("FilterValueLength", "bytes of the text"),
        char("FilterValue", this.filter_value_length, "what to compare with"),
        _rest(this.struc_length - 24 - this.filter_value_length),
    )


def _byte_string_filter(n: Numbers) -> Any:
    return Struct(
        *_begin(n, MQCFT.BYTE_STRING_FILTER, 20),
        n.u32("Operator", "how to compare", names=MQCFOP),
        n.u32("FilterValueLength", "bytes"),
        raw("FilterValue", this.filter_value_length, "what to compare with"),
        _rest(this.struc_length - 20 - this.filter_value_length),
    )


def _group(n: Numbers) -> Any:
    return Struct(
        *_begin(n, MQCFT.GROUP, 16),
        n.u32("ParameterCount", "parameters of the group, which follow"),
        _rest(this.struc_length - 16),
    )


def _integer64(n: Numbers) -> Any:
    return Struct(
        *_begin(n, MQCFT.INTEGER64, 24),
        n.u32("Reserved", "0"),
        n.i64("Value", "the number"),
        _rest(this.struc_length - 24),
    )


def _integer64_list(n: Numbers) -> Any:
    return Struct(
        *_begin(n, MQCFT.INTEGER64_LIST, 16),
        n.u32("Count", "numbers"),
        part("Values", Array(this.count, n.plain("i64")), "the numbers"),
        _rest(this.struc_length - 16 - 8 * this.count),
    )


def _structure(name: str, layout: Any) -> Structure[Any]:
    return Structure(name, layout, mq_name="MQ" + name, spec="mq-wire.md 5.16")


PARAMETERS: Final[dict[int, Structure[Any]]] = {
    MQCFT.INTEGER: _structure("CFIN", _integer),
    MQCFT.STRING: _structure("CFST", _string),
    MQCFT.INTEGER_LIST: _structure("CFIL", _integer_list),
    MQCFT.STRING_LIST: _structure("CFSL", _string_list),
    MQCFT.BYTE_STRING: _structure("CFBS", _byte_string),
    MQCFT.INTEGER_FILTER: _structure("CFIF", _integer_filter),
    MQCFT.STRING_FILTER: _structure("CFSF", _string_filter),
    MQCFT.BYTE_STRING_FILTER: _structure("CFBF", _byte_string_filter),
    MQCFT.GROUP: _structure("CFGR", _group),
    MQCFT.INTEGER64: _structure("CFIN64", _integer64),
    MQCFT.INTEGER64_LIST: _structure("CFIL64", _integer64_list),
}
"""Structure by type of parameter. Other types are kept as bytes."""
