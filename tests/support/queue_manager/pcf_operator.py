"""An operator who sends PCF commands to a station's command server and reads the answers."""

from __future__ import annotations

from typing import Any

from mqbridge.bridge.agents.command_server import COMMAND_QUEUE, CommandServer
from mqbridge.bridge.queue_manager import Application, MQError, PutOptions
from mqbridge.bridge.queue_manager.mqsc import Commands
from mqbridge.bridge.security import EVERYBODY_ELSE
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import MQCFT, MQCMD, ByteOrder
from mqbridge.protocol.structures.pcf import (
    Parameter,
    PCFMessage,
    byte_string_parameter,
    make_pcf,
    parse_pcf,
    string_list_parameter,
    string_parameter,
)
from support.gateway.stage import Stage, Station

REPLIES = "REPLIES"
Value = int | str | bytes | list[int] | list[str]


def parameter(number: int, value: Value) -> Parameter:
    """A parameter of the type that suits the value."""
    if isinstance(value, int):
        return Parameter(MQCFT.INTEGER, int(number), int(value))
    if isinstance(value, str):
        return string_parameter(int(number), value.encode())
    if isinstance(value, bytes):
        return byte_string_parameter(int(number), value)
    if all(isinstance(each, int) for each in value):
        return Parameter(MQCFT.INTEGER_LIST, int(number), [int(each) for each in value])
    texts = [str(each).encode() for each in value]
    length = max(map(len, texts), default=0)
    return string_list_parameter(int(number), [text.ljust(length) for text in texts], length)


def integer_filter(number: int, operator: int, value: int) -> Parameter:
    return Parameter(MQCFT.INTEGER_FILTER, int(number), int(value), operator=int(operator))


def string_filter(number: int, operator: int, value: str) -> Parameter:
    data = value.encode()
    return Parameter(MQCFT.STRING_FILTER, int(number), data, operator=int(operator), rest=bytes(-len(data) % 4))


def content(message: PCFMessage) -> dict[int, Any]:
    """Values by parameter: texts decoded and without padding, bytes as they are."""
    return {each.parameter: _value(each) for each in message.parameters}


def _value(each: Parameter) -> Any:
    if each.type == MQCFT.STRING:
        return each.value.decode().rstrip()
    if each.type == MQCFT.STRING_LIST:
        return [text.decode().rstrip() for text in each.value]
    if each.type == MQCFT.GROUP:
        return {inner.parameter: _value(inner) for inner in each.value}
    return each.value


class PcfOperator:
    """Sends commands as ``user``; messages of its answers are in ``messages`` afterwards."""

    def __init__(self, station: Station, user: str = "mqm") -> None:
        self.station = station
        self.user = user
        self.messages: list[Message] = []
        if station.manager.queue(REPLIES) is None:
            station.types(f"DEFINE QLOCAL({REPLIES})")
        self.commands = Commands(station.manager, station.control, station.clock.now)
        self.server = CommandServer(station.gateway.channel_manager, self.commands)
        station.call(lambda: self.server.start(station.clock.now))

    def send(self, data: bytes, **fields: Any) -> Message:
        """Puts data to the command queue; by default as a request of the right form, in big-endian."""
        values = {"format": "MQADMIN", "encoding": 273, "coded_char_set_id": 1208, "msg_type": 1, "expiry": -1}
        message = Message.build(
            data, **{**values, "reply_to_q": REPLIES, "reply_to_q_mgr": self.station.name, **fields}
        )
        manager, now = self.station.manager, self.station.clock.now
        options = PutOptions(application=Application(user=self.user), authority=self.user or EVERYBODY_ELSE)
        done: list[MQError | None] = []
        self.station.call(lambda: manager.put(manager.resolve(COMMAND_QUEUE), message, options, None, now, done.append))
        self.station.stage.wait_until(lambda: done)
        assert done == [None]
        return message

    def received(self) -> list[PCFMessage]:
        """The answers that have come."""
        self.station.stage.wait(0.2)
        station, found = self.station, []
        while (message := station.get(REPLIES)) is not None:
            found.append(message)
        self.messages = found
        return [parse_pcf(each.data, 0, each.order) for each in found]

    def ask(self, command: int, *given: tuple[int, Value] | Parameter, **fields: Any) -> list[PCFMessage]:
        """The answers to a command."""
        parameters = [each if isinstance(each, Parameter) else parameter(*each) for each in given]
        self.send(make_pcf(ByteOrder.BIG, int(command), parameters).build(), **fields)
        return self.received()

    def good(self, command: int, *given: tuple[int, Value] | Parameter) -> list[dict[int, Any]]:
        """What the answers to a command that must succeed hold."""
        answers = self.ask(command, *given)
        assert answers, MQCMD(command)
        assert [(int(each.record.comp_code), int(each.record.reason)) for each in answers] == [(0, 0)] * len(answers)
        assert [int(each.record.control) for each in answers] == [0] * (len(answers) - 1) + [1]
        assert [int(each.record.msg_seq_number) for each in answers] == list(range(1, len(answers) + 1))
        assert {int(each.record.command) for each in answers} == {int(command)}
        return [content(each) for each in answers]

    def bad(self, command: int, *given: tuple[int, Value] | Parameter) -> tuple[int, dict[int, Any]]:
        """Reason and parameters of the answer to a command that must fail."""
        (answer,) = self.ask(command, *given)
        assert (int(answer.record.comp_code), int(answer.record.control)) == (2, 1)
        return int(answer.record.reason), content(answer)

    def got(self, queue: str) -> Message | None:
        """The next message of a queue."""
        return self.station.get(queue)


def operator(script: str = "", user: str = "mqm") -> PcfOperator:
    """An operator at a queue manager EARTH of its own."""
    return PcfOperator(Stage().station("EARTH", script), user)
