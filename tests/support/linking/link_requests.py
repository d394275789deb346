"""Requests and replies of a simulated link: programs that ask at either end, and what has become of every reply.

A reply names its request; so one that has come to a program that did not ask is seen.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mqbridge.bridge.queue_manager import GetOptions, MQError, PutOptions, UnitOfWork
from mqbridge.bridge.queue_manager.calls.requests import Commit, PutOne
from mqbridge.bridge.queue_manager.objects import Kind
from mqbridge.mappings.amqp import AddressKind, AmqpMessage, AmqpProperties, AmqpType, BodyKind, Scalar
from mqbridge.mappings.jms import JmsMessage
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import MQGMO, MQMT, MQOO, MQPMO
from support.simulation.oracle import drain
from support.simulation.program import Program

if TYPE_CHECKING:
    from .link_scenario import LinkScenario

ASKED_THERE, ASKED_HERE = "stock.asks", "ASKS"
ANSWERS_HERE, ANSWERS_THERE = "LINK.ANSWERS", "mq.answers"
FIXED, OF_TOPIC, MODEL, KEPT_MODEL = "ANSWERS", "ANSWERS.OF.TOPIC", "ANSWERS.MODEL", "KEPT.MODEL"
TOPIC = "answers/new"
EXPIRY = 2.0
SHARED = b"chosen by several      ."
_REPLY = re.compile(rb"REPLY (\w+) (\d+) of (\d+)")


def text_of(body: object) -> bytes:
    """What a program here has put, without headers before it."""
    assert isinstance(body, bytes)
    return body[body.index(b"EARTH ") :]


@dataclass
class Request:
    """``place``: where its replies go. ``replies``: how many were sent. ``sure``: none of them may be lost."""

    place: str
    replies: int = 0
    sure: bool = True


class LinkRequests:
    """The requests of one seed. Programs that answer are perfect: they answer each request that they get."""

    def __init__(self, scenario: LinkScenario) -> None:
        self.scenario = scenario
        self.random = scenario.random
        self.known: dict[str, Request] = {}
        self.found: Counter[tuple[bytes, str]] = Counter()
        """Replies by their text and the place where they came."""
        self.gone: set[str] = set()
        """Temporary queues of the provider whose programs have ended."""
        self._temporary: dict[str, Any] = {}
        """Handles of temporary dynamic queues, of this life of the queue manager."""
        self._answered: set[bytes] = set()
        self._pending = 0
        self._lives = 0
        self.expires = self.random.random() < 0.3
        self.settings: dict[str, Any] = {
            "reply_queue": ANSWERS_HERE,
            "reply_address": ANSWERS_THERE,
            "reply_expiry": EXPIRY if self.expires else 86_400.0,
        }

    @staticmethod
    def definitions() -> list[tuple[Kind, str, dict[str, Any]]]:
        deep = {"MAXDEPTH": 100_000}
        return [
            *((Kind.QLOCAL, name, deep) for name in (ASKED_HERE, ANSWERS_HERE, FIXED, OF_TOPIC)),
            (Kind.QMODEL, MODEL, {"DEFTYPE": "TEMPDYN", **deep}),
            (Kind.QMODEL, KEPT_MODEL, {"DEFTYPE": "PERMDYN", **deep}),
            (Kind.SUB, "ANSWERS", {"TOPICSTR": TOPIC, "DEST": OF_TOPIC}),
        ]

    def _chosen(self, name: str) -> bytes:
        """A CorrelId that a program chooses for a request. What others chose is free when their requests expire."""
        return SHARED if not self.expires and self.random.random() < 0.5 else name.encode().ljust(24)

    # A program here asks

    def ask_here(self, number: int) -> None:
        scenario, random = self.scenario, self.random
        node, now = scenario.node, scenario.clock.now
        if not node.alive:
            scenario.clock.after(0.5, lambda: self.ask_here(number))
            return
        node.call(lambda: self._ask_here(f"H{number}", random.choice([FIXED, OF_TOPIC, MODEL, KEPT_MODEL]), now))

    def _ask_here(self, name: str, where: str, now: float) -> None:
        node, oracle = self.scenario.node, self.scenario.oracle
        place = where
        try:
            if where in (MODEL, KEPT_MODEL):
                place = self._own_queue(where, now)
        except MQError:
            return  # the store is full
        text = oracle.body("EARTH", 0, int(name[1:]), True, ordered=False, length=60) + f" ASK {name}".encode()
        data = text
        fields: dict[str, Any] = {"reply_to_q": place, "msg_type": int(MQMT.REQUEST)}
        if where == OF_TOPIC:
            jms = JmsMessage("text", text.decode(), reply_to=f"topic://{TOPIC}").message("queue:///TO.STOCK", now=now)
            data, fields = jms.data, {"format": "MQHRF2", "coded_char_set_id": 1208, "encoding": 273}
        elif self.random.random() < 0.3:
            fields["correl_id"] = self._chosen(name)
        self.known[name] = Request(place, sure=where != MODEL)
        message = Message.build(data, **{"format": "MQSTR", "persistence": 1, "expiry": -1} | fields)
        oracle.asked(text)
        program = Program(node.manager, now)
        put = PutOne(1, "TO.STOCK", "", message.raw_md, data, int(MQPMO.SYNCPOINT), message.order, message.ccsid)
        try:
            program.ask(put, now, lambda _: None)
        except MQError:
            oracle.refused(text)
            return
        program.ask(Commit(1000), now, oracle.answered([text]))

    def _own_queue(self, model: str, now: float) -> str:
        """A dynamic queue of a program, which ends some time later."""
        scenario, node = self.scenario, self.scenario.node
        if node.starts != self._lives:
            self._lives = node.starts
            self._temporary.clear()
        handle = node.manager.open(model, options=int(MQOO.INPUT_SHARED), dynamic_name="AMQ.*", now=now)
        name: str = handle.target.queue.name
        if model == MODEL:
            self._temporary[name] = handle
            scenario.clock.after(self.random.random() * 4, lambda: node.call(lambda: self._end_program(name)))
        else:
            node.manager.close(handle, 0, now)
        return name

    def _end_program(self, name: str) -> None:
        handle = self._temporary.pop(name, None) if self._lives == self.scenario.node.starts else None
        if handle is not None:
            self._collect_here(name)
            self.scenario.node.manager.close(handle, 0, self.scenario.clock.now)

    def answer_there(self) -> None:
        """Programs of the provider answer what has come to them, some of it late."""
        scenario, random = self.scenario, self.random
        for message in scenario.broker.queue("stock.in").messages:
            body = message.body
            found = re.search(rb"ASK (\w+)", body) if isinstance(body, bytes) and b"ASK " in body else None
            if found is None or found[1] in self._answered:
                continue
            self._answered.add(found[1])
            assert message.properties.reply_to == ANSWERS_THERE
            fields = message.properties
            correlation = fields.correlation_id if random.random() < 0.5 else None
            self._pending += 1
            self._later(found[1].decode(), fields.message_id if correlation is None else correlation)

    def _later(self, name: str, correlation: Any) -> None:
        number = self.random.choice([1, 1, 1, 3])

        def reply() -> None:
            self._pending -= 1
            self.known[name].replies = number
            for index in range(number):
                text = b"REPLY %s %d of %d" % (name.encode(), index, number)
                properties = AmqpProperties(message_id=f"ID:{name}-{index}", correlation_id=correlation)
                message = AmqpMessage(BodyKind.DATA, text, properties, durable=True)
                self.scenario.broker.put_here(ANSWERS_THERE, message)

        self.scenario.clock.after(self._wait(), reply)

    def _wait(self) -> float:
        return self.random.choice([0.0, 0.1, 3.0]) * self.random.random()

    # A program of the provider asks

    def ask_there(self, number: int) -> None:
        scenario, random = self.scenario, self.random
        name = f"T{number}"
        if random.random() < 0.1:
            self._reply_to_nobody(name)
            return
        kind = random.choice([AddressKind.QUEUE, AddressKind.TEMPORARY_QUEUE, AddressKind.TOPIC])
        place = "answers.q" if kind is AddressKind.QUEUE else f"{kind.name.lower()}-{number}"
        self.known[name] = Request(place)
        correlation = random.choice([None, f"ID:{self._chosen(name).hex()}"])
        identifier = random.choice([f"ID:{name}", name.encode(), number + 1])
        message = AmqpMessage(
            BodyKind.DATA,
            f"ASK {name}".encode(),
            AmqpProperties(message_id=identifier, correlation_id=correlation, reply_to=place),
            message_annotations={"x-opt-jms-reply-to": Scalar(AmqpType.BYTE, int(kind))},
            durable=True,
        )
        scenario.broker.put_here(ASKED_THERE, message)
        if kind is AddressKind.TEMPORARY_QUEUE and random.random() < 0.3:
            scenario.clock.after(random.random() * 4, lambda: self.gone.add(place))

    def _reply_to_nobody(self, name: str) -> None:
        """A reply that nobody has asked for."""
        self.known[name] = Request("nowhere", 1)
        properties = AmqpProperties(correlation_id=self.random.choice([None, "ID:unknown", 7]))
        message = AmqpMessage(BodyKind.DATA, f"REPLY {name} 0 of 1".encode(), properties, durable=True)
        self.scenario.broker.put_here(ANSWERS_THERE, message)

    def is_gone(self, message: AmqpMessage) -> bool:
        """Whether a message is a reply to a queue that is gone."""
        return message.properties.to in self.gone

    def answer_here(self) -> None:
        """A program here answers what it gets, each request in a unit of work with its replies."""
        scenario, random = self.scenario, self.random
        manager, now = scenario.node.manager, scenario.clock.now
        unit = UnitOfWork()
        got = manager.get(manager.local_queue(ASKED_HERE), GetOptions(int(MQGMO.SYNCPOINT | MQGMO.NO_WAIT)), unit, now)
        if got is None:
            return
        request = got.message.md
        name = got.message.data.split()[-1].decode()
        number = random.choice([1, 1, 1, 3])
        correl_id = request.correl_id if any(request.correl_id) and random.random() < 0.5 else request.msg_id
        for index in range(number):
            text = f"REPLY {name} {index} of {number}".encode()
            reply = Message.build(text, format="MQSTR", persistence=1, expiry=-1, correl_id=correl_id)
            manager.put(manager.resolve(request.reply_to_q, request.reply_to_q_mgr), reply, PutOptions(), unit, now)
        self.known[name].replies = max(self.known[name].replies, number)
        manager.commit(unit, now)

    # Time passes

    def work(self) -> None:
        """Programs that answer, at either end, look again and again."""
        scenario = self.scenario
        self.answer_there()
        if scenario.node.alive:
            scenario.node.call(self.answer_here)
        scenario.clock.after(self.random.random() * 0.8, self.work)

    def at_rest(self) -> bool:
        broker, manager = self.scenario.broker, self.scenario.node.manager
        if self._pending or broker.queue(ASKED_THERE).messages or broker.queue(ANSWERS_THERE).messages:
            return False
        queues = [manager.queue(name) for name in (ASKED_HERE, ANSWERS_HERE)]
        return not any(queue.depth or queue.uncommitted_gets for queue in queues if queue is not None)

    # What has come

    def _collect_here(self, queue: str) -> None:
        for message in drain(self.scenario.node, queue):
            self._note(message.data, queue)

    def _note(self, data: object, place: str) -> None:
        match = _REPLY.search(data) if isinstance(data, bytes) else None
        if match is not None:
            self.found[match[0], place] += 1

    def check(self, dead: list[bytes], *, once: bool) -> list[str]:
        """What is wrong with the replies. ``once``: the provider drops what it has had."""
        scenario, problems = self.scenario, []
        for queue in {each.place for each in self.known.values()}:
            if scenario.node.manager.queue(queue) is not None:
                self._collect_here(queue)
        self._collect_here(OF_TOPIC)
        for address in {each.place for each in self.known.values()}:
            for message in scenario.broker.queue(address).messages:
                self._note(message.body, address)
        for data in dead:
            self._note(data, "dead")
        totals: Counter[bytes] = Counter()
        for (text, place), count in self.found.items():
            name = text.split()[1].decode()
            rejected_in_doubt = name.startswith("T") and (scenario.refusing or self.known[name].place in self.gone)
            totals[text] = max(totals[text], count) if rejected_in_doubt else totals[text] + count
            if place not in ("dead", self.known[name].place):
                problems.append(f"{text!r} came to {place}, not to {self.known[name].place}")
        for text, count in totals.items():
            if count > 1 and (once or text.startswith(b"REPLY H")):
                problems.append(f"{text!r} came {count} times")
        for name, request in self.known.items():
            came = {text for text in totals if text.split()[1].decode() == name}
            if request.sure and len(came) < self._expected(name, request, came):
                problems.append(f"{name}: {len(came)} of {request.replies} replies came")
        return problems

    def _expected(self, name: str, request: Request, came: set[bytes]) -> int:
        """How many replies must have come. A program here that answered again after a crash may have chosen another
        number than before it."""
        if name.startswith("H") or request.place == "nowhere":
            return request.replies
        return min((int(text.split()[-1]) for text in came), default=1)
