"""What programs do to make others wait: the attacks of `fairness`, each a name, what it prepares and what it does."""

from __future__ import annotations

import struct
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from servers import Ours

import mqbridge
from mqbridge.bridge.rest_client import RestClient, find_address
from mqbridge.protocol.constants import MQGMO, MQMF, MQOO, MQPMO
from mqbridge.protocol.mqi_client import Calls, GetParameters

LONG = 64.0
"""Seconds that an attacker waits for its own answer."""
QUEUE = "ATTACK"
DEEP = f"DEFINE QLOCAL({QUEUE}) MAXDEPTH(999999999) MAXMSGL(104857600)\n"
_PUT = int(MQPMO.ASYNC_RESPONSE)


class Scene:
    """A queue manager with one attacker; ``note``: what else was measured."""

    def __init__(self, server: Ours, channel: str, full: bool) -> None:
        self.server = server
        self.full = full
        self._channel = channel
        self.manager = self.connect()
        self.opened: list[Any] = []
        self.note = ""

    def connect(self) -> mqbridge.QueueManager:
        """Open another connection."""
        return mqbridge.connect(f"mq://127.0.0.1:{self.server.port}/?channel={self._channel}")

    def mqsc(self, *commands: str) -> None:
        """Run MQSC commands."""
        with RestClient(find_address(self.server.folder / "data")) as client:
            for command in commands:
                client.mqsc(command)

    def many(self, short: int, full: int) -> int:
        """A number for the short and one for the full form."""
        return full if self.full else short

    def fill(self, count: int, body: bytes = b"x" * 200, queue: str = QUEUE, **fields: Any) -> None:
        """Put messages, not persistent."""
        opened = self.manager.queue(queue)
        for _ in range(count):
            opened.put(body, persistent=False, options=_PUT, **fields)
        opened.inquire("CURDEPTH")
        opened.close()

    def close(self) -> None:
        """Disconnect the attacker."""
        self.manager.abort()


Act = Callable[[Scene], object]


def _nothing(scene: Scene) -> None:
    del scene


@dataclass(slots=True)
class Attack:
    """``what`` it is; ``mqsc`` and ``options``: how the queue manager begins; ``once``: it can be done only once."""

    name: str
    what: str
    run: Act
    prepare: Act = _nothing
    mqsc: str = ""
    options: tuple[str, ...] = ()
    once: bool = False


# Folders


def folders(count: int) -> bytes:
    """An MQRFH2 with one folder of many empty groups."""
    folder = b"<usr>" + b"<a></a>" * count + b"</usr>"
    return _rfh2([folder])


def empty_folders(count: int) -> bytes:
    """An MQRFH2 with many empty folders."""
    return _rfh2([b"<a></a> "] * count)


def _rfh2(texts: list[bytes]) -> bytes:
    padded = [text + b" " * (-len(text) % 4) for text in texts]
    body = b"".join(struct.pack("<i", len(text)) + text for text in padded)
    header = struct.pack("<4siiii8sii", b"RFH ", 2, 36 + len(body), 546, 1208, b"MQSTR   ", 0, 1208)
    return header + body


def _put_folders(scene: Scene) -> None:
    for make in (folders, empty_folders):
        body = make(330_000)
        for _ in range(scene.many(3, 10)):
            _try(lambda: scene.manager.put(QUEUE, body, persistent=False, format="MQHRF2"))  # noqa: B023


def _try(act: Callable[[], Any]) -> Any:
    try:
        return act()
    except mqbridge.MQError as error:
        return error


def _put_allowed(scene: Scene) -> None:
    """Put messages with the maximum of folders and tags."""
    bodies = [folders(1_490), _rfh2([b"<usr><a></a><a></a><a></a><a></a></usr>"] * 290)]
    for number in range(scene.many(200, 1_000)):
        scene.manager.put(QUEUE, bodies[number % 2], persistent=False, format="MQHRF2")


def _fill_deep(scene: Scene) -> None:
    scene.fill(scene.many(20_000, 100_000), properties={"colour": "blue", "size": 4})


def _select_new(scene: Scene) -> None:
    """Get with a new selector, for which nothing is cached."""
    scene.opened.append(None)
    queue = scene.manager.queue(QUEUE)
    queue.get(selector=f"colour = 'red' AND size > {len(scene.opened)}")
    queue.close()


def _browse_properties(scene: Scene) -> None:
    queue = scene.manager.queue(QUEUE)
    handle = queue.handle(int(MQOO.BROWSE))
    step = int(MQGMO.BROWSE_FIRST)
    while True:
        wanted = GetParameters(options=step | int(MQGMO.NO_PROPERTIES | MQGMO.ACCEPT_TRUNCATED_MSG), max_length=10)
        if scene.manager.link.do(Calls.get, handle, wanted).failed:
            break
        step = int(MQGMO.BROWSE_NEXT)
    queue.close()


# Ids, groups


def _fill_plain(scene: Scene) -> None:
    scene.fill(scene.many(50_000, 300_000))


def _by_id(scene: Scene) -> None:
    queue = scene.manager.queue(QUEUE)
    for name in ("msg_id", "correl_id", "group_id"):
        queue.get(**{name: b"none"})
    queue.get(options=int(MQGMO.LOGICAL_ORDER | MQGMO.ALL_MSGS_AVAILABLE))
    queue.close()


def _fill_groups(scene: Scene) -> None:
    """Put groups without their last message."""
    opened = scene.manager.queue(QUEUE)
    for number in range(scene.many(20_000, 100_000)):
        group, place = divmod(number, 2)
        opened.put(
            b"x",
            persistent=False,
            options=_PUT,
            group_id=b"%024d" % group,
            msg_seq_number=place + 1,
            msg_flags=int(MQMF.MSG_IN_GROUP),
        )
    opened.inquire("CURDEPTH")
    opened.close()


def _by_group(scene: Scene) -> None:
    queue = scene.manager.queue(QUEUE)
    queue.get(options=int(MQGMO.LOGICAL_ORDER | MQGMO.ALL_MSGS_AVAILABLE))
    queue.close()


# Topics


def _subscribe_many(scene: Scene) -> None:
    target = "DEFINE SUB('S{0}') TOPICSTR('news/sport') DEST(ATTACK) SELECTOR('size = {0}')"
    plain = "DEFINE SUB('P{0}') TOPICSTR('news/sport') DEST(ATTACK)"
    count = scene.many(1_000, 4_000)
    scene.mqsc(*(target.format(number) for number in range(count)), *(plain.format(number) for number in range(count)))


def _publish(scene: Scene) -> None:
    for _ in range(5):
        scene.manager.publish("news/sport", b"x" * 2000, properties={"size": 5}, persistent=False)


def _retain_many(scene: Scene) -> None:
    for number in range(scene.many(3_000, 20_000)):
        scene.manager.publish(f"stock/{number}", b"x" * 100, retain=True, persistent=False)


def _take_retained(scene: Scene) -> None:
    with scene.manager.subscribe("stock/#"):
        pass


# Expiry, clearing, units of work


def _expire(scene: Scene) -> None:
    scene.fill(
        scene.many(20_000, 100_000), expiry=2.0, report=0x00200000, reply_to="ATTACK.REPLY", reply_to_queue_manager=""
    )
    time.sleep(5)


def _clear(scene: Scene) -> None:
    scene.fill(scene.many(50_000, 300_000))
    scene.mqsc(f"CLEAR QLOCAL({QUEUE})")


def _unit(scene: Scene) -> None:
    opened = scene.manager.queue(QUEUE)
    for end in (scene.manager.backout, scene.manager.commit):
        for _ in range(9_900):
            opened.put(b"x" * 100, persistent=True, options=_PUT, syncpoint=True)
        end()
    for end in (scene.manager.backout, scene.manager.commit):
        for _ in range(9_900):
            opened.get(syncpoint=True)
        end()
    opened.close()


def _many_handles(scene: Scene) -> None:
    """A program with 250 dynamic queues, each with messages, is gone."""
    manager = scene.connect()
    for _ in range(100):
        queue = manager.temporary_queue()
        for _ in range(scene.many(20, 100)):
            queue.put(b"x" * 100, persistent=False, options=_PUT)
    manager.abort()


def _waiters(scene: Scene) -> None:
    """Programs that wait with selectors while messages come that none of them wants."""
    for _ in range(200):
        scene.manager.put(QUEUE, b"x", persistent=False, properties={"size": 1})
    scene.mqsc(f"CLEAR QLOCAL({QUEUE})")


def _wait(scene: Scene) -> None:
    def waits(number: int) -> None:
        manager = scene.connect()
        _try(lambda: manager.get(QUEUE, selector=f"size = {number} OR colour = 'red'", wait=LONG))

    for number in range(100, scene.many(200, 500)):
        threading.Thread(target=waits, args=(number,), daemon=True).start()


# Displays


def _define_many(scene: Scene) -> None:
    count = scene.many(3_000, 10_000)
    scene.mqsc(*(f"DEFINE QLOCAL(MANY.{number})" for number in range(count)))


def _define_lists(scene: Scene) -> None:
    names = ",".join(f"A.NAME.THAT.IS.LONG.{number}" for number in range(250))
    scene.mqsc(*(f"DEFINE NAMELIST(MANY.{number}) NAMES({names})" for number in range(scene.many(200, 1_000))))


def _display(*commands: str) -> Act:
    def run(scene: Scene) -> None:
        scene.mqsc(*commands)

    return run


def _inquire(command: int, parameter: int) -> Act:
    """Send a PCF inquiry for all objects of a kind, and discard the replies."""

    def run(scene: Scene) -> None:
        name = b"*   "
        given = struct.pack("<5i", 4, 20 + len(name), parameter, 1208, 1) + name
        data = struct.pack("<9i", 1, 36, 1, command, 1, 1, 0, 0, 1) + given
        with scene.manager.temporary_queue() as answers:
            scene.manager.put(
                "SYSTEM.ADMIN.COMMAND.QUEUE",
                data,
                format="MQADMIN",
                msg_type=1,
                reply_to=answers.name,
                persistent=False,
            )
            while (answer := answers.get(wait=LONG)) is not None:
                if struct.unpack_from("<i", answer.data, 20)[0]:
                    return

    return run


ATTACKS = [
    Attack("folders", "messages with 330,000 folders are put", _put_folders, mqsc=DEEP),
    Attack(
        "select folders", "selectors look at messages with as many as are allowed", _select_new, _put_allowed, mqsc=DEEP
    ),
    Attack("drop folders", "such messages are browsed without properties", _browse_properties, _put_allowed, mqsc=DEEP),
    Attack("select", "a selector looks at a deep queue", _select_new, _fill_deep, mqsc=DEEP),
    Attack("ids", "gets by ids and groups of a deep queue", _by_id, _fill_plain, mqsc=DEEP, once=True),
    Attack("groups", "a get in logical order passes over groups", _by_group, _fill_groups, mqsc=DEEP),
    Attack("publish", "publications to many subscriptions", _publish, _subscribe_many, mqsc=DEEP),
    Attack("retained", "a subscription to many retained publications", _take_retained, _retain_many, mqsc=DEEP),
    Attack(
        "expiry",
        "many messages expire at once, with reports",
        _expire,
        mqsc=DEEP + "DEFINE QLOCAL(ATTACK.REPLY) MAXDEPTH(999999999)\n",
        once=True,
    ),
    Attack("clear", "a deep queue is cleared", _clear, mqsc=DEEP, once=True),
    Attack("unit", "large units of work are committed and backed out", _unit, mqsc=DEEP, once=True),
    Attack("gone", "a program with many dynamic queues is gone", _many_handles, mqsc=DEEP),
    Attack("waiters", "many wait with selectors for what comes", _waiters, _wait, mqsc=DEEP),
    Attack(
        "display",
        "MQSC displays of many queues",
        _display("DISPLAY QLOCAL(*) ALL", "DISPLAY QSTATUS(*) ALL"),
        _define_many,
    ),
    Attack("inquire", "a PCF inquiry about many queues", _inquire(13, 2016), _define_many),
    Attack("namelists", "displays of many long name lists", _display("DISPLAY NAMELIST(*) ALL"), _define_lists),
]
