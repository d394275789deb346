"""Formats by plug-in: entry points of installed distributions, loaded by services and commands."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import mqbridge
from mqbridge.bridge.cli import cli
from mqbridge.bridge.plug_ins import PlugInError, load_formats, try_formats
from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.structures import MD
from support.formats.installed import install, shop_header, shop_order
from support.processes.running_service import RunningService

MakeService = Callable[..., RunningService]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder on ``sys.path`` for distributions."""
    monkeypatch.syspath_prepend(tmp_path)
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        if not name.startswith(("mqbridge", "support")):
            del sys.modules[name]


def run(*arguments: str, data: bytes = b"") -> Result:
    return CliRunner().invoke(cli, arguments, input=data)


def test_without_plug_ins_the_table_is_empty() -> None:
    assert len(load_formats()) == 0


def test_installed_formats_are_found_by_name(place: Path) -> None:
    install(place)
    formats = mqbridge.load_formats()
    assert [(each.name, each.is_header) for each in formats] == [("SHOPHDR", True), ("SHOPORD", False)]
    assert repr(formats.get("SHOPORD")) == "<Format SHOPORD of shop_formats:ORDER of shop 1.0>"


@pytest.mark.parametrize(
    ("entries", "source", "error"),
    [
        ({"A": "no_such_module:X"}, "", "does not load: ModuleNotFoundError: No module named 'no_such_module'"),
        ({"A": "shop_formats:X"}, "", "does not load: AttributeError"),
        ({"A": "shop_formats:X"}, "X = ", "does not load: SyntaxError"),
        ({"A": "shop_formats:X"}, "raise SystemExit(3)", "does not load: SystemExit: 3"),
        (
            {"A": "shop_formats:X"},
            "X = 1",
            "cannot be used: format A: int is no Structure and has no parse, build",
        ),
        ({"MQSTR": "shop_formats:X"}, "X = 1", "cannot be used: MQSTR is a format of MQ's own"),
        ({"TOOLONGNAME": "shop_formats:X"}, "X = 1", "cannot be used: 'TOOLONGNAME' is no format name"),
    ],
)
def test_one_that_cannot_be_used_is_named(place: Path, entries: dict[str, str], source: str, error: str) -> None:
    install(place, entries, source=source)
    (name, value), *_ = entries.items()
    with pytest.raises(PlugInError) as refused:
        load_formats()
    assert str(refused.value).startswith(f"entry point {name} = {value} of shop 1.0 (group mqbridge.formats) ")
    assert error in str(refused.value)


def test_two_of_one_name_are_named_both(place: Path) -> None:
    install(place)
    install(place, {"SHOPORD": "shop_formats:ORDER"}, name="store")
    formats, faults = try_formats()
    assert len(formats) == 2
    (fault,) = map(str, faults)
    assert "SHOPORD is given twice: by shop_formats:ORDER of shop 1.0 and by shop_formats:ORDER of store 1.0" in fault


def message() -> bytes:
    descriptor = MD.codec(ByteOrder.LITTLE)(format=b"SHOPHDR ", encoding=546, coded_char_set_id=1208, version=2)
    return descriptor.build() + shop_header() + shop_order("BOLT", 5)


def test_decode_uses_them(place: Path) -> None:
    install(place)
    result = run("decode", "--json", "-", data=message())
    assert result.exit_code == 0
    _, header, order = json.loads(result.stdout)["structures"]
    assert (header["structure"], header["fields"]["Branch"]) == ("SHOPHEADER", "London")
    assert (order["structure"], order["fields"]) == ("ORDER", {"Item": "BOLT", "Count": 5})
    shown = run("decode", "-", data=message())
    assert "ORDER  (offset 392, 8 bytes)" in shown.stdout
    assert mqbridge.decode(message(), formats=load_formats())["structures"][2] == order
    assert len(mqbridge.decode(message())["structures"]) == 1


def test_a_command_says_which_does_not_load_and_goes_on(place: Path) -> None:
    install(place, {"SHOPORD": "shop_formats:ORDER", "SHOPHDR": "shop_formats:NOTHING"})
    result = run("decode", "--format", "SHOPORD", "--encoding", "546", "-", data=shop_order("BOLT", 5))
    assert result.exit_code == 0
    assert result.stderr.startswith("warning: entry point SHOPHDR = shop_formats:NOTHING of shop 1.0 (group mqbridge.f")
    assert "Count  5" in result.stdout


def test_a_service_does_not_start_with_one_that_does_not_load(make_service: MakeService, tmp_path: Path) -> None:
    service = make_service()
    service.stop()
    install(service.folder, {"SHOPORD": "no_such_module:ORDER"})
    process = service.launch()
    assert process.wait(60) == 2
    service.close()
    assert "mqbridge: entry point SHOPORD = no_such_module:ORDER of shop 1.0 (group mqbridge.formats) does not" in (
        service.log
    )


def test_a_service_converts_and_shows_them(make_service: MakeService) -> None:
    service = make_service()
    service.stop()
    install(service.folder)
    service.start()
    service.mqsc("DEFINE QLOCAL(SHOP)")
    data = shop_header() + shop_order("BOLT", 5)
    service.command("put", "SHOP", "--format", "SHOPHDR", "--file", "-", input=data)
    (shown,) = service.browse("SHOP")
    assert shown["headers"][0]["fields"]["Branch"] == "London"
    assert shown["body"]["hex"] == shop_order("BOLT", 5).hex()
    assert shown["body"]["format"] == "SHOPORD"
    with mqbridge.connect(f"mq://127.0.0.1:{service.port}/{service.name}?channel=DEV.APP.SVRCONN") as manager:
        got = manager.get("SHOP", convert=500)
    assert got is not None
    assert got.md.coded_char_set_id == 500
    assert got.data[28:] == shop_order("BOLT", 5, codec="cp500")
