"""Steps of the configuration, right and wrong."""

from __future__ import annotations

from typing import Any

import pytest

from mqbridge.mappings.transformations import MAX_STEPS, PythonFunction, StepError, read_steps


@pytest.mark.parametrize(
    ("item", "shown"),
    [
        ("strip-rfh2", "strip-rfh2"),
        ("strip-headers", "strip-headers"),
        ("strip-dlh", "strip-dlh"),
        ("strip-properties", "strip-properties"),
        ({"set": "usr.seen", "value": True}, "set usr.seen"),
        ({"set": "seen", "value": 5, "type": "i4"}, "set usr.seen"),
        ({"set": "mq_usr.a.b", "value": "x"}, "set mq_usr.a.b"),
        ({"set": "JMSType", "value": "order"}, "set JMSType"),
        ({"set": "MQMD.Priority", "value": 5}, "set MQMD.Priority"),
        ({"set": "Root.MQMD.CorrelId", "value": "4d45"}, "set MQMD.CorrelId"),
        ({"set": "usr.id", "from": "MQMD.MsgId"}, "set usr.id"),
        ({"remove": "usr.seen"}, "remove usr.seen"),
        ({"remove": "usr.*"}, "remove usr.*"),
        ({"remove": "MQMD.ReplyToQ"}, "remove MQMD.ReplyToQ"),
        ({"add": "dlh", "reason": 2053, "queue": "X"}, "add dlh"),
        ({"add": "rfh2", "folders": {"usr": {"colour": "red"}}}, "add rfh2"),
        ({"add": "cih", "fields": {"TransactionId": "ABCD"}}, "add cih"),
        ({"describe": {"format": "MQSTR"}}, "describe"),
        ({"convert": {"ccsid": 1208, "encoding": 546}}, "convert"),
        ({"python": "shop.steps:price"}, "python shop.steps:price"),
    ],
)
def test_steps_are_read(item: Any, shown: str) -> None:
    (step,) = read_steps([item])
    assert (step.number, step.shown) == (1, shown)


def test_the_time_limit_of_a_function_is_read() -> None:
    (step,) = read_steps([{"python": "a:b.c", "time_limit": 0.5}])
    assert step.action == PythonFunction("a:b.c", 0.5)


@pytest.mark.parametrize(
    ("item", "said"),
    [
        ("strip-rhf2", "did you mean 'strip-rfh2'?"),
        ("nonsense", "words are strip-headers"),
        (5, "a word in quotes or a table in braces"),
        ({}, "a table has one of the keys set, remove"),
        ({"sett": "usr.a"}, "a table has one of the keys set, remove"),
        ({"set": "a", "remove": "a"}, "a table has one of the keys"),
        ({"set": "usr.a"}, "set needs one of value and from"),
        ({"set": "usr.a", "value": 1, "from": "b"}, "set needs one of value and from"),
        ({"set": "usr.a", "value": 1, "typ": "i4"}, "set has no key 'typ'; keys are value, from, type"),
        ({"set": "usr.a", "value": 1, "type": "i5"}, "type 'i5' is none of string, boolean, bin.hex, i1"),
        ({"set": "usr.a", "value": 1, "type": 4}, 'type = "i4" is right'),
        ({"set": "usr.a", "value": 300, "type": "i1"}, "300 is no"),
        ({"set": "usr.a", "value": "xy", "type": "bin.hex"}, "hexadecimal digits"),
        ({"set": "usr.a", "value": [1]}, "a string, a number or a boolean"),
        ({"set": "usr.a b", "value": 1}, "can name no property"),
        ({"set": "JMSFoo", "value": 1}, "names that begin with JMS are reserved"),
        ({"set": "usr.NULL.", "value": 1}, "can name no property"),
        ({"set": "", "value": 1}, 'set = "usr.name" is right'),
        ({"set": "MQMD.Colour", "value": 1}, "MQMD has no field 'Colour'"),
        ({"set": "MQMD.Priority", "value": "high"}, "MQMD.Priority is a whole number, not 'high'"),
        ({"set": "MQMD.Priority", "value": True}, "MQMD.Priority is a whole number"),
        ({"set": "MQMD.Priority", "value": 1, "type": "i4"}, "type is for properties"),
        ({"set": "MQMD.Priority", "value": 1 << 40}, "does not fit"),
        ({"set": "MQMD.ReplyToQ", "value": "A" * 49}, "the field has 48"),
        ({"set": "MQMD.MsgId", "value": "xyz"}, "MQMD.MsgId has up to 48 hexadecimal digits"),
        ({"remove": "JMSType"}, "JMSType cannot be removed"),
        ({"remove": "MQMD.Colour"}, "MQMD has no field"),
        ({"remove": 5}, 'remove = "usr.name" is right'),
        ({"add": "xqh"}, "headers that can be added are rfh2, dlh, cih, iih, wih"),
        ({"add": "dlh"}, 'add = "dlh", reason = 2053'),
        ({"add": "dlh", "reason": 0}, "reason is a whole number of 1 or more"),
        ({"add": "dlh", "reason": 1, "queue": "A" * 49}, "queue is a name of up to 48"),
        ({"add": "dlh", "reason": 1, "folders": {}}, "add = 'dlh' has no key 'folders'"),
        ({"add": "rfh2", "folders": {"usr": 5}}, "folders = { usr ="),
        ({"add": "rfh2", "folders": 5}, "folders is a table in braces"),
        ({"add": "rfh2", "folders": {"usr": {"a b": 5}}}, "can name no property"),
        ({"add": "cih", "fields": {"Format": "X"}}, "MQCIH has no field 'Format' to be given; it has Flags"),
        ({"add": "cih", "fields": {"TransactionId": 5}}, "MQCIH.TransactionId is a string"),
        ({"add": "cih", "fields": {"TransactionId": "ABCDE"}}, "the field has 4"),
        ({"add": "cih", "fields": {"ReturnCode": -1 << 40}}, "MQCIH"),
        ({"describe": {"formt": "X"}}, "with some of format, ccsid, encoding"),
        ({"describe": {"format": "MQSTRINGS"}}, "a name of up to 8 characters"),
        ({"describe": {"ccsid": 0}}, "ccsid is a whole number of 1 or more"),
        ({"convert": {}}, "{ convert = { ccsid = 1208"),
        ({"convert": 1208}, "{ convert = { ccsid = 1208"),
        ({"convert": {"ccsid": "1208"}}, "ccsid is a whole number"),
        ({"python": "shop.steps"}, 'python = "module:function" is right'),
        ({"python": "shop steps:price"}, 'python = "module:function" is right'),
        ({"python": 5}, 'python = "module:function" is right'),
        ({"python": "a:b", "time_limit": 0}, "time_limit is a number of seconds up to 300"),
        ({"python": "a:b", "time_limit": "1"}, "time_limit is a number of seconds"),
        ({"python": "a:b", "time_limit": float("nan")}, "time_limit is a number of seconds"),
    ],
)
def test_a_wrong_step_is_told_with_its_number_and_what_is_right(item: Any, said: str) -> None:
    with pytest.raises(StepError) as caught:
        read_steps(["strip-rfh2", item])
    assert caught.value.number == 2
    assert str(caught.value).startswith("step 2: ")
    assert said in str(caught.value)


@pytest.mark.parametrize("items", ["strip-rfh2", 5, {"set": "a"}])
def test_steps_are_a_list(items: Any) -> None:
    with pytest.raises(StepError, match="steps are a list"):
        read_steps(items)


def test_the_number_of_steps_has_a_limit() -> None:
    read_steps(["strip-rfh2"] * MAX_STEPS)
    with pytest.raises(StepError, match="100 steps at most"):
        read_steps(["strip-rfh2"] * (MAX_STEPS + 1))
