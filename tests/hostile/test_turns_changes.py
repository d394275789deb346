"""Searches that give way while the queue changes: what they find is what a search at that moment would find."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mqbridge.bridge.queue_manager import GetOptions, MQError, RetrievedMessage, SearchYielded
from mqbridge.bridge.queue_manager.getting.searching import Search
from mqbridge.bridge.queue_manager.handle import Handle
from mqbridge.bridge.queue_manager.units_of_work import UnitOfWork
from mqbridge.protocol.constants import MQGMO, MQMF, MQMO, MQOO, MQRC, ByteOrder
from support.queue_manager.direct_calls import get_message
from support.queue_manager.host import Host

IN = int(MQOO.INPUT_SHARED | MQOO.BROWSE)
BROWSE_FIRST = int(MQGMO.BROWSE_FIRST)
WANTED, OTHER = b"w" * 24, b"o" * 24
STEPS = st.one_of(
    st.tuples(st.just("put"), st.integers(0, 9), st.booleans()),
    st.tuples(st.just("put in a unit"), st.integers(0, 9), st.booleans()),
    st.tuples(st.just("get"), st.booleans(), st.just(False)),
    st.tuples(st.just("get in a unit"), st.booleans(), st.just(False)),
    st.tuples(st.sampled_from(["commit", "back out", "look", "look"]), st.just(0), st.just(False)),
)


class Scene:
    """A queue, a search that gives way after each message, and somebody else who changes the queue meanwhile."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, way: str) -> None:
        monkeypatch.setattr("mqbridge.bridge.queue_manager.turns.UNITS_IN_A_TURN", 1)
        self.host = host = Host()
        host.local("Q")
        self.way = way
        self.search = Search()
        self.unit: UnitOfWork = host.begin()
        self.handle: Handle = host.open("Q", IN, selection_string="JMSType = 'w'" if way == "selector" else "")

    def put(self, priority: int, wanted: bool, unit: UnitOfWork | None = None) -> None:
        fields: dict[str, Any] = {"priority": priority, "correl_id": WANTED if wanted else OTHER}
        if self.way == "groups":  # a group is complete where its one message is its last
            last = MQMF.LAST_MSG_IN_GROUP if wanted else 0
            fields |= {"group_id": self.host.queue_manager._core.ids.message_id(), "msg_seq_number": 1}
            fields |= {"msg_flags": int(MQMF.MSG_IN_GROUP | last), "version": 2}
        data = b"data"
        if self.way == "selector":
            data, fields = _typed("w" if wanted else "o"), fields | {"format": "MQHRF2", "encoding": 546}
        self.host.put("Q", data, unit, **fields)

    def changes(self, step: tuple[str, Any, bool]) -> None:
        what, value, wanted = step
        host = self.host
        match what:
            case "put":
                self.put(value, wanted)
            case "put in a unit":
                self.put(value, wanted, self.unit)
            case "get":
                host.get("Q", match=MQMO.MATCH_CORREL_ID, correl_id=WANTED if value else OTHER)
            case "get in a unit":
                host.get("Q", self.unit, match=MQMO.MATCH_CORREL_ID, correl_id=WANTED if value else OTHER)
            case "commit":
                host.commit(self.unit)
                self.unit = host.begin()
            case "back out":
                host.backout(self.unit)
                self.unit = host.begin()

    def options(self, bits: int = BROWSE_FIRST, **more: Any) -> GetOptions:
        if self.way == "groups":
            bits |= int(MQGMO.LOGICAL_ORDER | MQGMO.ALL_MSGS_AVAILABLE)
        if self.way == "index":
            more |= {"match": MQMO.MATCH_CORREL_ID, "correl_id": WANTED}
        return GetOptions(bits, **more)

    def looks(self) -> RetrievedMessage | None:
        """One turn of the search. Raises `SearchYielded`."""
        manager = self.host.queue_manager
        manager.turns.renew()
        options = self.options(in_turns=manager.turns, search=self.search)
        return get_message(manager, self.handle, options, None, self.host.now)

    def whole(self) -> RetrievedMessage | None:
        """What a search finds that is made at once."""
        selection = "JMSType = 'w'" if self.way == "selector" else ""
        handle = self.host.open("Q", IN, selection_string=selection)
        try:
            return get_message(self.host.queue_manager, handle, self.options(), None, self.host.now)
        finally:
            self.host.close(handle)


def _typed(kind: str) -> bytes:
    from mqbridge.protocol.structures import make_rfh2

    folders = [f"<mcd><Type>{kind}</Type></mcd>".encode()]
    values: dict[str, Any] = {"encoding": 546, "coded_char_set_id": 1208, "name_value_ccsid": 1208}
    return make_rfh2(ByteOrder.LITTLE, folders, format=b"MQSTR   ", **values).build()


@pytest.mark.parametrize("way", ["selector", "index", "groups"])
@settings(max_examples=30, deadline=None)
@given(first=st.lists(st.tuples(st.integers(0, 9), st.booleans()), max_size=8), steps=st.lists(STEPS, max_size=25))
def test_what_is_found_is_what_is_there_first(
    way: str, first: list[tuple[int, bool]], steps: list[tuple[str, Any, bool]]
) -> None:
    with pytest.MonkeyPatch.context() as monkeypatch:
        scene = Scene(monkeypatch, way)
        for priority, wanted in first:
            scene.put(priority, wanted and len(first) < 4)  # deep queues begin without what is looked for
        for step in [*steps, *[("look", 0, False)] * 200]:
            if step[0] != "look":
                scene.changes(step)
                continue
            try:
                found = scene.looks()
            except SearchYielded:
                continue
            expected = scene.whole()
            assert (found and found.position) == (expected and expected.position)
            scene.search.end()
            break
        else:
            pytest.fail("the search did not come to an end")
        queue = scene.host.queue_manager.queue("Q")
        assert queue is not None
        assert not any(isinstance(each, Search) for each in queue.indexes)


def searching(monkeypatch: pytest.MonkeyPatch, bits: int = BROWSE_FIRST) -> tuple[Scene, GetOptions]:
    """A search that has begun and gone on once."""
    scene = Scene(monkeypatch, "selector")
    for _ in range(5):
        scene.put(4, False)
    manager = scene.host.queue_manager
    options = scene.options(bits, in_turns=manager.turns, search=scene.search)
    with pytest.raises(SearchYielded):
        get_message(manager, scene.handle, options, None, scene.host.now)
    return scene, options


def goes_on(scene: Scene, options: GetOptions) -> int:
    scene.host.queue_manager.turns.renew()
    with pytest.raises(MQError) as caught:
        get_message(scene.host.queue_manager, scene.handle, options, None, scene.host.now)
    return caught.value.reason


def test_gets_are_inhibited_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    scene, options = searching(monkeypatch)
    from mqbridge.bridge.queue_manager.objects import Kind

    scene.host.alter(Kind.QLOCAL, "Q", GET="DISABLED")
    assert goes_on(scene, options) == MQRC.GET_INHIBITED


def test_the_queue_manager_quiesces_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    scene, options = searching(monkeypatch, BROWSE_FIRST | int(MQGMO.FAIL_IF_QUIESCING))
    scene.host.queue_manager.quiesce()
    assert goes_on(scene, options) == MQRC.Q_MGR_QUIESCING


def test_a_search_that_is_given_up_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    scene, _ = searching(monkeypatch)
    queue = scene.host.queue_manager.queue("Q")
    assert queue is not None
    assert scene.search in queue.indexes
    scene.search.end()
    scene.search.end()
    assert scene.search not in queue.indexes
