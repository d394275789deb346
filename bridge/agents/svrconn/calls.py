"""The table of functions that make a client program's calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from mqbridge.bridge.agents.svrconn import attributes, connect, getting, notify, opening, putting, topics, transactions
from mqbridge.bridge.agents.svrconn.hconn import Hconn
from mqbridge.bridge.queue_manager.calls import requests
from mqbridge.bridge.queue_manager.calls.outcomes import Done, Failed
from mqbridge.mappings.moment import Time
from mqbridge.protocol.constants import MQRC
from mqbridge.protocol.mqi import (
    Backout,
    Call,
    Close,
    Commit,
    Connect,
    Disconnect,
    Get,
    Inquire,
    Notify,
    Open,
    Put,
    Put1,
    Reserve,
    Set,
    Stat,
    Subscribe,
    SubscriptionRequest,
    Xa,
)


def _done(program: Hconn, call: Call, outcome: Done, _now: Time) -> None:
    """Answer a call that returns only a reason."""
    program.reply(call, outcome.reason)


def _disconnect(program: Hconn, call: Disconnect, now: Time) -> None:
    if program.broken:  # there is nothing left to end
        program.reply(call)
        return
    program.connected()
    program.streams.drop(now)
    program.unsent_bodies.discard()
    program.ask(call, requests.Disconnect(program.next_tag()), _done, now)
    program.joined = False


def _commit(program: Hconn, call: Commit, now: Time) -> None:
    tag = program.next_tag()
    outcome = program.connected().submit(requests.Commit(tag), now)
    if outcome is None:
        program.pending[tag] = call, _done
    elif type(outcome) is Failed:
        program.fail(call, outcome)
        if outcome.reason != MQRC.BACKED_OUT:  # it goes on
            return
    else:
        program.reply(call)
    program.streams.unit_ended(now)


def _backout(program: Hconn, call: Backout, now: Time) -> None:
    outcome = program.connected().submit(requests.Backout(0), now)
    if type(outcome) is Failed:
        program.fail(call, outcome)
        return
    program.reply(call)
    program.streams.unit_ended(now)


CALLS: Final[dict[type[Call], Callable[[Hconn, Any, Time], None]]] = {
    Connect: connect.connect,
    Disconnect: _disconnect,
    Commit: _commit,
    Backout: _backout,
    Open: opening.open_object,
    Close: opening.close_object,
    Put: putting.put,
    Put1: putting.put_one,
    Reserve: putting.reserve,
    Notify: notify.notify,
    Stat: putting.status,
    Get: getting.get,
    Inquire: attributes.inquire,
    Set: attributes.set_values,
    Xa: transactions.call,
    Subscribe: topics.subscribe,
    SubscriptionRequest: topics.request,
}
