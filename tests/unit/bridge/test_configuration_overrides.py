from __future__ import annotations

from pathlib import Path

import pytest

from mqbridge.bridge.config import ConfigError, Configuration, override, parse_configuration

FILE = Path("/etc/mq/queue-manager.toml")
TEXT = '[queue_manager]\nname = "EARTH"\nmqsc = ["a.mqsc"]\n[[listener]]\nendpoint = "tcp:1414"\n'


def test_options_win_over_the_file() -> None:
    read = parse_configuration(TEXT, FILE)
    changed = override(
        read,
        name="SATURN",
        data=Path("data"),
        store="memory",
        listeners=["tcp:1", "unix:x"],
        mqsc=[Path("b.mqsc")],
        record=Path("captures"),
    )
    assert changed.record.directory == Path("captures")
    assert changed.record.keep == read.record.keep
    assert changed.queue_manager.name == "SATURN"
    assert changed.queue_manager.data == Path("data")
    assert changed.queue_manager.mqsc == [FILE.parent / "a.mqsc", Path("b.mqsc")]
    assert changed.store.kind == "memory"
    assert changed.store.map_size == read.store.map_size
    assert [listener.endpoint for listener in changed.listeners] == ["tcp:1", "unix:x"]
    assert changed.admin_endpoint == "unix:data/admin.sock:mode=600"


def test_no_option_changes_nothing_and_nothing_is_shared() -> None:
    read = parse_configuration(TEXT, FILE)
    changed = override(read)
    assert changed == read
    changed.queue_manager.mqsc.clear()
    override(read, name="SATURN", store="memory")
    assert read == parse_configuration(TEXT, FILE)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"name": "no blanks"}, "command line: --qmgr: expected a name"),
        ({"store": "oracle"}, 'command line: --store: expected "lmdb" or "memory"'),
        ({"listeners": ["1414"]}, "command line: --listen: expected an endpoint"),
    ],
)
def test_an_option_is_read_as_strictly_as_a_key(options: dict[str, object], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        override(Configuration(), **options)  # type: ignore[arg-type]
