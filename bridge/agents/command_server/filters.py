"""Filters of PCF inquiries: one condition on one attribute, WHERE in MQSC (channels.md 17.2 rule 6)."""

from __future__ import annotations

from typing import Final

from mqbridge.protocol.constants import MQCFOP, MQCFT, MQRCCF
from mqbridge.protocol.structures.pcf import Parameter

from .errors import RequestError

_OPERATORS: Final = {
    MQCFOP.LESS: "LT",
    MQCFOP.EQUAL: "EQ",
    MQCFOP.NOT_GREATER: "LE",
    MQCFOP.GREATER: "GT",
    MQCFOP.NOT_EQUAL: "NE",
    MQCFOP.NOT_LESS: "GE",
    MQCFOP.CONTAINS: "CT",
    MQCFOP.EXCLUDES: "EX",
    MQCFOP.LIKE: "LK",
    MQCFOP.NOT_LIKE: "NL",
    MQCFOP.CONTAINS_GEN: "CTG",
    MQCFOP.EXCLUDES_GEN: "EXG",
}
_ERRORS: Final = {
    MQCFT.INTEGER_FILTER: MQRCCF.CFIF_OPERATOR_ERROR,
    MQCFT.STRING_FILTER: MQRCCF.CFSF_OPERATOR_ERROR,
    MQCFT.BYTE_STRING_FILTER: MQRCCF.CFBF_OPERATOR_ERROR,
}


def condition(keyword: str, parameter: Parameter, value: str) -> list[str]:
    """Return attribute, operator and value of a WHERE clause. Raises `RequestError` for an invalid operator."""
    word = _OPERATORS.get(MQCFOP(parameter.operator))
    if word is None:
        reason = _ERRORS[MQCFT(parameter.type)]
        raise RequestError(reason, f"operator {parameter.operator} for {keyword}", parameter.parameter)
    return [keyword, word, value]
