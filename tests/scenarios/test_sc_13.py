"""SC-13: a store-and-forward chain of four hops."""

from __future__ import annotations

import pytest

from mqbridge.protocol.everyplace.calls import Done
from support.everyplace import Station, World, text_message

HOUR = 3600.0
COUNT = 100


@pytest.mark.spec(
    "SC-13", "E-131", "E-184", "E-189", "E-190", "E-213", "E-315", "E-320", "E-324", "E-345", "E-348", "E-349"
)
def test_a_hundred_messages_pass_a_chain_whose_third_is_down_for_a_while() -> None:
    world = World()
    names = ["A", "B", "C", "D"]
    stations = [world.queue_manager(name) for name in names]
    a, b, c, d = stations
    for station, following in zip(stations, names[1:], strict=False):
        station.connection(following)
        station.store_and_forward("SAF", ["D"], forward=following)
    d.local("Q")
    c.away = True
    priorities = [world.random.randrange(10) for _ in range(COUNT)]
    for number, priority in enumerate(priorities):
        message = text_message(f"{number}")
        message.priority = priority
        assert a.put("Q@D", message) == Done()
    world.run(10)
    assert (len(a.stored("SAF@B")), len(b.stored("SAF@C"))) == (0, COUNT), "B holds them"
    assert {wire.called.name for wire in world.wires_of("A")} == {"B"}, "each knows the next one alone"
    wanted = [f"{each}" for each in sorted(range(COUNT), key=lambda each: (-priorities[each], each))]
    seen = arrivals(d)
    c.away = False
    c.kill()
    world.run(HOUR)
    assert d.texts("Q") == wanted
    assert seen == wanted, "higher priorities left each queue first"
    assert [len(each.stored(f"SAF@{after}")) for each, after in zip(stations, names[1:], strict=False)] == [0, 0, 0]


def arrivals(station: Station) -> list[str]:
    """Return a list to which the texts of the messages are added as they arrive."""
    found: list[str] = []
    held = station.stored("Q").held
    held.watchers.append(lambda entry: found.append(held.read(entry)["text"]))
    return found
