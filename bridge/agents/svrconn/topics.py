"""Subscriptions of client programs: MQSUB and MQSUBRQ."""

from __future__ import annotations

from typing import Any

from mqbridge.bridge.agents.svrconn.hconn import Hconn
from mqbridge.bridge.queue_manager.calls import requests
from mqbridge.bridge.queue_manager.calls.outcomes import Published, Subscribed
from mqbridge.bridge.queue_manager.calls.requests import RequestPublications
from mqbridge.bridge.queue_manager.pubsub import MANAGED_OPEN_OPTIONS, SubscriptionRequest
from mqbridge.mappings.moment import Time
from mqbridge.protocol.constants import MQSO, LsdOptions
from mqbridge.protocol.inferred import SUBSCRIPTION_BY_ID
from mqbridge.protocol.mqi import Call, Subscribe
from mqbridge.protocol.mqi import SubscriptionRequest as SubscriptionRequestCall
from mqbridge.protocol.text import decode_text


def text_of(structure: Any, name: str) -> str:
    """A string of an OD or SD; empty if there is none. Raises ``ConversionError``."""
    if not structure.has(f"{name}_vs_ptr"):
        return ""
    raw = structure.string(name)
    return decode_text(raw, structure.string_ccsid(name)).rstrip("\0 ") if raw else ""


def alternate_user_of(call: Call, structure: Any) -> str:
    """AlternateUserId of an OD or SD."""
    return call.text(structure.record.alternate_user_id) if structure.has("alternate_user_id") else ""


def subscribe(program: Hconn, call: Subscribe, now: Time) -> None:
    """MQSUB, SPI SUBSCRIBE."""
    program.connected()
    sd, record, local = call.sd, call.sd.record, call.local
    request = SubscriptionRequest(
        record.options,
        call.text(record.object_name),
        text_of(sd, "object_string"),
        text_of(sd, "sub_name"),
        text_of(sd, "sub_user_data"),
        text_of(sd, "selection_string"),
        record.sub_correl_id,
        record.sub_expiry,
        record.pub_priority,
        record.pub_accounting_token,
        call.text(record.pub_appl_identity_data),
        record.sub_level,
        open_options=(0 if local is None else local.open_options) or MANAGED_OPEN_OPTIONS,
        shared=local is not None and local.options & LsdOptions.SHARED == LsdOptions.SHARED,
        # who only resumes or unsubscribes names no selector
        replaces=local is not None and bool(record.options & MQSO.CREATE),
        identifier=local.sub_id if local is not None and local.options & SUBSCRIPTION_BY_ID else b"",
    )
    asked = requests.Subscribe(program.next_tag(), call.handle, request, alternate_user_of(call, sd))
    program.ask(call, asked, _subscribed, now)


def _subscribed(program: Hconn, call: Subscribe, outcome: Subscribed, _now: Time) -> None:
    call.sd.record.sub_correl_id = outcome.correl_id
    if call.local is not None:
        call.local.sub_id = outcome.sub_id
        if outcome.queue_name is not None:
            call.local.q_name = call.field(outcome.queue_name, len(call.local.q_name))
    program.machine.replies.subscribe(call, handle=outcome.hobj, subscription=outcome.hsub)


def request(program: Hconn, call: SubscriptionRequestCall, now: Time) -> None:
    """MQSUBRQ."""
    asked = RequestPublications(program.next_tag(), call.handle, call.action, call.options.options)
    program.ask(call, asked, _published, now)


def _published(program: Hconn, call: SubscriptionRequestCall, outcome: Published, _now: Time) -> None:
    call.options.num_pubs = outcome.number
    program.reply(call)
