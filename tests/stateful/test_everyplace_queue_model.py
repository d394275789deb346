"""A queue of Everyplace against a list of dictionaries: every call, direct and over a connection, with restarts."""

from __future__ import annotations

from typing import Any, Final

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from mqbridge.protocol.everyplace.calls import (
    Browse,
    BrowseAndLock,
    Browsed,
    Call,
    ConfirmGet,
    ConfirmPut,
    Delete,
    Get,
    Got,
    Outcome,
    Put,
    Refused,
    Undo,
    Unlock,
)
from mqbridge.protocol.everyplace.errors import Code
from mqbridge.protocol.everyplace.field_types import FieldType
from mqbridge.protocol.everyplace.fields import Fields
from mqbridge.protocol.everyplace.message import Message
from mqbridge.protocol.everyplace.names import Address
from mqbridge.protocol.everyplace.reserved import LOCK_ID
from mqbridge.protocol.everyplace.uid import MessageUid
from support.everyplace import Station, World, text_message

Q: Final = Address("Q", "EARTH")
DEFAULT_PRIORITY: Final = 5
EXPIRY: Final = 40_000
TEXTS: Final = ("red", "blue")
CONFIRMS: Final = (11, 12)
texts = st.sampled_from(TEXTS)
confirms = st.sampled_from((0, *CONFIRMS))
Item = dict[str, Any]


class Queues(RuleBasedStateMachine):
    """``items``: what the queue must hold, as dictionaries. ``remote``: calls go over a connection."""

    remote = False

    def __init__(self) -> None:
        super().__init__()
        self.world = World()
        self.earth = self.world.queue_manager("EARTH")
        self.earth.local("Q", PRIORITY=DEFAULT_PRIORITY, EXPIRY=EXPIRY)
        self.caller: Station = self.earth
        if self.remote:
            self.caller = self.world.queue_manager("MOON")
            self.caller.connection("EARTH")
            self.caller.remote("Q", "EARTH", synchronous=True)
        self.items: list[Item] = []
        self.uids: list[MessageUid] = [MessageUid("MARS", 1)]
        self.locks: list[int] = [1]
        self.places = 0

    # The model

    def now(self) -> int:
        return int(self.earth.now * 1000)

    def gone(self, item: Item) -> bool:
        """Whether an item is as good as deleted: expired, and not held by a lock or a get."""
        return item["state"] in ("PU", "U") and item["expires"] <= self.now()

    def sorted(self) -> list[Item]:
        return sorted(self.items, key=lambda each: (-each["priority"], each["place"]))

    def visible(self, wanted: dict[str, Any]) -> list[Item]:
        found = []
        for item in self.sorted():
            if wanted.get("lock"):
                seen = item["state"] == "LB" and item["lock"] == wanted["lock"]
            else:
                seen = item["state"] == "U" and not self.gone(item)
            if seen and wanted.get("text", item["text"]) == item["text"]:
                found.append(item)
        return found

    def named(self, uid: MessageUid, *states: str) -> Item | None:
        return next((each for each in self.items if each["uid"] == uid and each["state"] in states), None)

    def place(self) -> int:
        self.places += 1
        return self.places

    # Calls

    def ask(self, call: Call) -> Outcome:
        return self.caller.ask(call)

    def check(self, outcome: Outcome, code: Code | None) -> None:
        found = outcome.code if isinstance(outcome, Refused) else None
        assert found is code, (outcome, code)

    def wanted(self, text: str | None, lock: int) -> tuple[Fields, dict[str, Any]]:
        fields, model = Fields(), {}
        if text is not None:
            fields["text"] = model["text"] = text
        if lock:
            fields.put(LOCK_ID, lock, FieldType.LONG)
            model["lock"] = lock
        return fields, model

    @rule(text=texts, confirm=confirms, priority=st.none() | st.integers(0, 9), lasts=st.none() | st.integers(1, 90))
    def put(self, text: str, confirm: int, priority: int | None, lasts: int | None) -> None:
        message = text_message(text)
        message.priority = priority
        if lasts is not None:
            message.expire_after(lasts * 1000)
        self.check(self.ask(Put(Q, message, confirm)), None)
        uid = message.uid
        assert uid is not None
        self.uids.append(uid)
        self.items.append(
            {
                "uid": uid,
                "text": text,
                "state": "PU" if confirm else "U",
                "confirm": confirm,
                "lock": 0,
                "lock_confirm": 0,
                "priority": DEFAULT_PRIORITY if priority is None else priority,
                "place": self.place(),
                "expires": self.now() + EXPIRY if lasts is None else uid.time + lasts * 1000,
            }
        )

    @rule(data=st.data(), text=texts, confirm=confirms)
    def put_again(self, data: st.DataObject, text: str, confirm: int) -> None:
        uid = data.draw(st.sampled_from(self.uids))
        message = text_message(text)
        message.identify(uid)
        message.resend = True
        self._forget_expired()
        held = next((each for each in self.items if each["uid"] == uid), None)
        self.check(self.ask(Put(Q, message, confirm)), None)
        if held is not None and held["state"] != "PU":
            return
        if held is not None:
            self.items.remove(held)
        self.items.append(
            {
                "uid": uid,
                "text": text,
                "state": "PU" if confirm else "U",
                "confirm": confirm,
                "lock": 0,
                "lock_confirm": 0,
                "priority": DEFAULT_PRIORITY,
                "place": self.place(),
                "expires": self.now() + EXPIRY,
            }
        )

    @rule(data=st.data())
    def confirm_put(self, data: st.DataObject) -> None:
        uid = data.draw(st.sampled_from(self.uids))
        item = self.named(uid, "PU")
        outcome = self.ask(ConfirmPut(Q, uid))
        if item and not self.gone(item):
            self.check(outcome, None)
            item |= {"state": "U", "confirm": 0, "place": self.place()}
        elif not item:
            self.check(outcome, Code.NOT_FOUND)

    @rule(data=st.data(), text=st.none() | texts, confirm=confirms, locked=st.booleans())
    def get(self, data: st.DataObject, text: str | None, confirm: int, locked: bool) -> None:
        fields, model = self.wanted(text, data.draw(st.sampled_from(self.locks)) if locked else 0)
        expected = self.visible(model)
        outcome = self.ask(Get(Q, fields, confirm))
        self.check(outcome, None if expected else Code.Q_NO_MATCHING_MSG)
        if not expected:
            return
        item = expected[0]
        assert isinstance(outcome, Got)
        assert (outcome.message.uid, outcome.message["text"]) == (item["uid"], item["text"])
        if confirm:
            item |= {"state": "BG" if item["state"] == "LB" else "GU", "confirm": confirm}
        else:
            self.items.remove(item)

    @rule(data=st.data())
    def confirm_get(self, data: st.DataObject) -> None:
        uid = data.draw(st.sampled_from(self.uids))
        item = self.named(uid, "GU", "BG")
        self.check(self.ask(ConfirmGet(Q, uid)), None if item else Code.NOT_FOUND)
        if item:
            self.items.remove(item)

    @rule(text=st.none() | texts, confirm=confirms)
    def browse_and_lock(self, text: str | None, confirm: int) -> None:
        fields, model = self.wanted(text, 0)
        expected = self.visible(model)
        outcome = self.ask(BrowseAndLock(Q, fields, confirm))
        assert isinstance(outcome, Browsed)
        assert [each.uid for each in outcome.messages] == [each["uid"] for each in expected]
        for item in expected:
            item |= {"state": "LB", "lock": outcome.lock, "lock_confirm": confirm}
        assert outcome.lock not in self.locks
        self.locks.append(outcome.lock)

    @rule(data=st.data())
    def unlock(self, data: st.DataObject) -> None:
        uid, lock = data.draw(st.sampled_from(self.uids)), data.draw(st.sampled_from(self.locks))
        item = self.named(uid, "LB")
        wrong = Code.WRONG_LOCK if item else Code.NOT_FOUND
        fits = item is not None and item["lock"] == lock
        self.check(self.ask(Unlock(Q, uid, lock)), None if fits else wrong)
        if item is not None and fits:
            item |= {"state": "U", "lock": 0, "lock_confirm": 0}

    @rule(data=st.data(), locked=st.booleans())
    def delete(self, data: st.DataObject, locked: bool) -> None:
        uid = data.draw(st.sampled_from(self.uids))
        lock = data.draw(st.sampled_from(self.locks)) if locked else 0
        item = self.named(uid, "LB" if locked else "U")
        code = None
        if item is None or self.gone(item):
            code = Code.NOT_FOUND
        elif locked and item["lock"] != lock:
            code = Code.WRONG_LOCK
        self.check(self.ask(Delete(Q, uid, lock)), code)
        if item is not None and code is None:
            self.items.remove(item)

    @rule(confirm=st.sampled_from(CONFIRMS))
    def undo(self, confirm: int) -> None:
        self.check(self.ask(Undo(Q, confirm)), None)
        for item in list(self.items):
            if item["state"] == "LB" and item["lock_confirm"] == confirm:
                item |= {"state": "U", "lock": 0, "lock_confirm": 0}
            elif item["state"] == "PU" and item["confirm"] == confirm:
                self.items.remove(item)
            elif item["state"] == "GU" and item["confirm"] == confirm:
                item |= {"state": "U", "confirm": 0}
            elif item["state"] == "BG" and item["confirm"] == confirm:
                item |= {"state": "LB", "confirm": 0}

    # Time and crashes

    @rule(seconds=st.integers(1, 30))
    def wait(self, seconds: int) -> None:
        self.world.run(seconds)

    @rule()
    def restart(self) -> None:
        self.earth.kill()
        self.world.settle()

    @precondition(lambda self: self.remote)
    @rule()
    def cut(self) -> None:
        self.world.cut_all("MOON", "EARTH")
        self.world.settle()

    def _forget_expired(self) -> None:
        self.items = [each for each in self.items if not self.gone(each)]

    @invariant()
    def what_is_visible_is_the_same(self) -> None:
        outcome = self.ask(Browse(Q, Fields()))
        assert isinstance(outcome, Browsed)
        expected = self.visible({})
        assert [each["text"] for each in outcome.messages] == [each["text"] for each in expected]
        assert [Message.of(each).uid for each in outcome.messages] == [each["uid"] for each in expected]


class RemoteQueues(Queues):
    """The same over a connection."""

    remote = True


QUICK: Final = settings(max_examples=60, stateful_step_count=40, deadline=None)


@pytest.mark.spec("E-151", "E-152", "E-153", "E-154", "E-160", "E-161", "E-162", "E-163", "E-164", "E-165", "E-166")
class TestQueues(Queues.TestCase):  # type: ignore[misc,name-defined]
    settings = QUICK


@pytest.mark.spec("E-128", "E-152", "E-153", "E-160", "E-161", "E-162", "E-163", "E-164", "E-165", "E-166", "E-192")
class TestRemoteQueues(RemoteQueues.TestCase):  # type: ignore[misc,name-defined]
    settings = settings(QUICK, max_examples=15)
