"""Providers that say anything on an open connection: memory, standard error and messages stay as they should be."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest

pytest.importorskip("proton", reason="python-qpid-proton is not installed (extra amqp)")

from mqbridge.bridge.links.engine_events import MAX_FOREIGN
from support.linking import amqp_bytes as amqp
from support.linking import raw_provider as raw
from support.linking.hostile_provider import run
from support.linking.raw_provider import RawProvider

MIB = 1 << 20
ALLOWED = 48 * MIB
"""Growth of the process over a flood of many times that."""


def memory() -> int:
    """Bytes of memory that this process has."""
    gc.collect()
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.partition("VmRSS:")[2].split()[0]) * 1024


def test_no_message_is_lost_and_memory_is_bounded_whatever_providers_say(
    long_form: bool, capfd: pytest.CaptureFixture[str]
) -> None:
    for seed in range(1000, 1010):
        run(seed)
    before = memory()
    for seed in range(1010, 20_000 if long_form else 1060):
        run(seed)
    assert memory() - before < ALLOWED
    assert capfd.readouterr().err == ""  # the engine says nothing of its own there


def opened() -> RawProvider:
    provider = RawProvider(max_message=MIB, max_session=4 * MIB)
    provider.opens()
    provider.attaches()
    return provider


def test_a_message_without_end_is_not_kept(long_form: bool) -> None:
    provider = opened()
    part = raw.transfer(0, bytes(100_000), more=True)
    before = memory()
    provider.says(part)
    later = raw.transfer(0, bytes(100_000), more=True, first=False)
    for _ in range(20_000 if long_form else 2000):
        provider.says(later)
    assert memory() - before < ALLOWED
    assert not provider.ended


def test_messages_for_an_end_that_was_given_up_are_not_kept(long_form: bool) -> None:
    """The provider does not hear of it."""
    provider = opened()
    provider.connection.detach(raw.RECEIVER)
    before = memory()
    for number in range(20_000 if long_form else 2000):
        provider.says(raw.transfer(number, bytes(100_000)))
    assert memory() - before < ALLOWED


@pytest.mark.parametrize("ended", [False, True])
def test_links_that_the_provider_begins_are_not_kept(ended: bool) -> None:
    before = memory()
    for _ in range(2):
        provider = opened()
        for number in range(MAX_FOREIGN + 1):
            fields = amqp.text(f"{number}" * 200), amqp.uint(5 if ended else 5 + number), amqp.FALSE
            begun = amqp.frame(amqp.performative(amqp.ATTACH, *fields))
            provider.says(begun + raw.detach(6, "amqp:internal-error") * ended)
        assert provider.ended
    assert memory() - before < ALLOWED


def test_an_address_that_is_refused_again_and_again_is_not_kept(long_form: bool) -> None:
    provider = opened()
    for turn in range(3):
        for number in range(10_000 if long_form else 500):
            handle = 10 + turn * 100_000 + number
            provider.connection.attach_receiver(handle, "no such queue" * 100)
            provider.hears()
            attached = raw.attach(3, name=f"us:{handle}", source=amqp.NULL)
            provider.says(attached, raw.detach(3, "amqp:not-found", "no"))
        if not turn:
            before = memory()
    assert len(provider.happened) > 3 * 500
    provider.happened.clear()
    assert memory() - before < ALLOWED
    assert not provider.ended
