"""Tables [bus.NAME]: what they say, and what is refused (jms-mapping.md 8)."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqbridge.bridge.config import ConfigError, parse_configuration
from mqbridge.bridge.service.buses import channel_rules
from mqbridge.bridge.service.errors import WRONG_CONFIGURATION, StartError
from mqbridge.bridge.service.opening import channel_limits
from mqbridge.mappings.service_integration import Bus, BusDestination

FILE = Path("/etc/mq/queue-manager.toml")
WHOLE = """\
[queue_manager]
name = "QM1"

[bus.WAS]
virtual_queue_manager = "WASQM"
channels = ["WAS.TO.QM2", "QM2.TO.WAS"]
destinations = { "orders, new" = "ORDERS" }
aliases = { "NEW" = "orders, new", "P.STOCK" = { bus = "PARIS", destination = "STOCK" } }
direct = "QMS"
indirect = ["PARIS"]

[bus."other bus"]
virtual_queue_manager = "OTHER"
channels = ["OTHER.TO.QM3"]
"""


def test_the_rules_of_a_bus_are_those_of_its_channels() -> None:
    read = parse_configuration(WHOLE, FILE)
    found = channel_limits(read).buses
    assert list(found) == ["WAS.TO.QM2", "QM2.TO.WAS", "OTHER.TO.QM3"]
    was, other = found["WAS.TO.QM2"], found["OTHER.TO.QM3"]
    assert found["QM2.TO.WAS"] is was
    aliases = {"NEW": BusDestination("WAS", "orders, new"), "P.STOCK": BusDestination("PARIS", "STOCK")}
    assert was.bus == Bus("WAS", "WASQM", "QMS", frozenset(("PARIS",)), aliases)
    assert was.queue_manager == "QM1"
    assert other.bus == Bus("other bus", "OTHER", "MQ")


def test_without_tables_there_is_no_bus() -> None:
    assert channel_rules(parse_configuration("", FILE)) == {}
    assert parse_configuration("[bus]\n", FILE).buses == {}
    assert parse_configuration("[bus.WAS]\n", FILE).buses["WAS"].direct == "MQ"


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("bus = 1", 1, "'bus' must be tables [bus.NAME], found the number 1"),
        ("[bus]\nWAS = 1", 1, "'bus' must be tables [bus.NAME], found a table"),
        ("[[bus]]\nname = 'WAS'", 1, "'bus' must be tables [bus.NAME], found an array"),
        ("[bus.WAS]\nchanels = []", 2, "unknown key 'chanels' in [bus.WAS]"),
        ("[bus.WAS]\nvirtual_queue_manager = 'a b'", 2, "'virtual_queue_manager' in [bus.WAS]: expected a name"),
        ("[bus.WAS]\ndestinations = ['A']", 2, "'destinations' in [bus.WAS]: expected a table in { }, found an array"),
        ("[bus.WAS.destinations]\na = 'A'\nb = 'no queue'", 3, "'b': expected a name"),
        ("[bus.WAS]\ndestinations = { '' = 'A' }", 2, "expected text in quotes"),
        ("[bus.WAS.aliases]\nA = 'B'\nC = { bus = 'PARIS' }", 3, "'C': expected a destination in quotes"),
        ("[bus.WAS]\naliases = { A = '' }", 2, "'A': expected a destination in quotes"),
        ("[bus.WAS]\naliases = { A = { bus = 1, destination = 'B' } }", 2, "'A': expected text in quotes"),
    ],
)
def test_what_is_not_well_formed(text: str, line: int, problem: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_configuration(text, FILE)
    assert problem in str(caught.value)
    assert caught.value.line == line


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("[bus.'my bus']\nchannels = ['A']", 1, "bus my bus needs a virtual queue manager"),
        ("[bus.WAS]\naliases = { A = 'B', B = 'A' }", 1, "stands for itself"),
        ("[bus.WAS]\naliases = { A = { bus = 'ROME', destination = 'B' } }", 1, "bus WAS does not know"),
        ("[bus.WAS]\nindirect = ['WAS']", 1, "it is that itself"),
        ("[bus.WAS]\nchannels = ['A']\n[bus.SAW]\nchannels = ['B',\n 'A']", 5, "channel A belongs to bus WAS already"),
    ],
)
def test_a_bus_that_cannot_be_prevents_the_start(text: str, line: int, problem: str) -> None:
    with pytest.raises(StartError) as caught:
        channel_rules(parse_configuration(text, FILE))
    assert str(caught.value).startswith(f"{FILE}, line {line}: ")
    assert problem in str(caught.value)
    assert caught.value.status == WRONG_CONFIGURATION
