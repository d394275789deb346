from __future__ import annotations

from pathlib import Path

import pytest

from mqbridge.bridge.config import ConfigError, Configuration, load_configuration, parse_configuration

CONTRACT = """\
[queue_manager]
name = "EARTH"
data = "data/EARTH"                 # relative to this file
mqsc = ["earth.mqsc"]
stop_wait = 10

[store]
kind = "lmdb"                       # or "memory"
map_size = "64 GiB"                 # address space, not disk

[[listener]]
endpoint = "tcp:1414:interface=127.0.0.1"

[channels]
adopt = "all"
max = 10000
max_per_address = 1000
handshake_timeout = 30

[admin]
endpoint = "unix:data/EARTH/admin.sock:mode=600"   # REST, see below

[log]
level = "info"
format = "text"                     # or "json"
"""

FILE = Path("/etc/mq/queue-manager.toml")


def refusal(text: str) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        parse_configuration(text, FILE)
    assert str(caught.value).startswith(str(FILE))
    return caught.value


def test_the_whole_configuration_is_read(tmp_path: Path) -> None:
    file = tmp_path / "queue-manager.toml"
    file.write_text(CONTRACT, encoding="utf-8")
    read = load_configuration(file)
    assert read.source == file
    assert read.queue_manager.name == "EARTH"
    assert read.queue_manager.data == tmp_path / "data" / "EARTH"
    assert read.queue_manager.mqsc == [tmp_path / "earth.mqsc"]
    assert read.queue_manager.stop_wait == 10.0
    assert (read.store.kind, read.store.map_size) == ("lmdb", 64 * 1024**3)
    assert [listener.endpoint for listener in read.listeners] == ["tcp:1414:interface=127.0.0.1"]
    assert (read.channels.adopt, read.channels.max, read.channels.max_per_address) == ("all", 10_000, 1_000)
    assert read.channels.handshake_timeout == 30.0
    assert read.admin_endpoint == f"unix:{tmp_path}/data/EARTH/admin.sock:mode=600"
    assert (read.log.level, read.log.format) == ("info", "text")


def test_without_a_file_the_defaults_are_those_of_a_plain_start() -> None:
    defaults = Configuration()
    assert defaults.queue_manager.name == "MQBRIDGE"
    assert defaults.queue_manager.data == Path("mqbridge-data")
    assert [listener.endpoint for listener in defaults.listeners] == ["tcp:1414:interface=127.0.0.1"]
    assert defaults.admin_endpoint == "unix:mqbridge-data/admin.sock:mode=600"
    assert defaults.source is None


def test_settings_of_tls_are_words_and_a_file() -> None:
    read = parse_configuration('[tls]\noutbound_sni = "hostname"\ncrl = "required"\nkey_log = "keys.log"\n', FILE)
    assert (read.tls.outbound_sni, read.tls.crl, read.tls.key_log) == ("hostname", "required", FILE.parent / "keys.log")
    assert read.key_folder == FILE.parent / "mqbridge-data" / "ssl"
    for wrong in ('outbound_sni = "*"', 'crl = "always"', "key_log = 1", "versions = []"):
        assert refusal(f"[tls]\n{wrong}\n")


def test_an_empty_file_gives_the_defaults_and_its_folder_for_the_data() -> None:
    read = parse_configuration("", FILE)
    assert read.queue_manager.data == FILE.parent / "mqbridge-data"
    assert read.store == Configuration().store
    assert read.channels == Configuration().channels
    assert read.listeners == Configuration().listeners


def test_two_configurations_share_no_lists() -> None:
    one, other = Configuration(), Configuration()
    one.listeners.clear()
    one.queue_manager.mqsc.append(FILE)
    assert len(other.listeners) == 1
    assert other.queue_manager.mqsc == []


def test_several_listeners_and_none() -> None:
    two = '[[listener]]\nendpoint = "tcp:1414"\n[[listener]]\nendpoint = "tcp6:1415"\n'
    assert [one.endpoint for one in parse_configuration(two, FILE).listeners] == ["tcp:1414", "tcp6:1415"]
    assert parse_configuration("listener = []", FILE).listeners == []


def test_the_admin_socket_follows_the_data_folder() -> None:
    read = parse_configuration('[queue_manager]\ndata = "/srv/a:b=c"\n', FILE)
    assert read.admin_endpoint == r"unix:/srv/a\:b\=c/admin.sock:mode=600"


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("unix:/run/mq.sock", "unix:/run/mq.sock"),
        ("unix:mq.sock", "unix:/etc/mq/mq.sock"),
        ("unix:address=mq.sock:mode=600", "unix:/etc/mq/mq.sock:mode=600"),
        ("unix:mode=600:mq.sock", "unix:/etc/mq/mq.sock:mode=600"),
        (r"unix:a\\:b.sock:mode=600", r"unix:/etc/mq/a\:b.sock:mode=600"),
        ("tcp:8080:interface=127.0.0.1", "tcp:8080:interface=127.0.0.1"),
    ],
)
def test_endpoints_keep_their_form_and_find_their_folder(written: str, read: str) -> None:
    assert parse_configuration(f'[admin]\nendpoint = "{written}"', FILE).admin.endpoint == read


@pytest.mark.parametrize(
    ("written", "size"),
    [
        ("1048576", 1 << 20),
        ('"1048576"', 1 << 20),
        ('"64 GiB"', 64 << 30),
        ('"1.5GiB"', 3 << 29),
        ('"500 MB"', 500_000_000),
        ('"2 tib"', 2 << 40),
    ],
)
def test_sizes(written: str, size: int) -> None:
    assert parse_configuration(f"[store]\nmap_size = {written}", FILE).store.map_size == size


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ('[queue_manager]\nname = "EARTH"\nstop_wiat = 5\n', 3, "did you mean 'stop_wait'?"),
        ("[channel]\nmax = 5\n", 1, "did you mean 'channels'?"),
        ('[store]\n\n"Map_Size" = 5\n', 3, "did you mean 'map_size'?"),
        ('[store]\nlevel = "info"\n', 2, "it belongs to [log]"),
        ("[log]\nzzz = 1\n", 2, "known here: format, level"),
        ('[record]\nfolder = "captures"\n', 2, "known here: directory, file_size, file_time, keep, passwords"),
        ("store.kind = 'lmdb'\nstore.sizes.map = 1\n", 2, "unknown key 'sizes' in [store]"),
        ('[[listener]]\nendpoint = "tcp:1"\n\n[[listener]]\nendpoint = "tcp:2"\nport = 3\n', 6, "in [[listener]]"),
        ('listener = [\n  {endpoint = "tcp:1"},\n  {endpont = "tcp:2"},\n]\n', 3, "did you mean 'endpoint'?"),
    ],
)
def test_an_unknown_key_is_named_with_its_line_and_the_nearest_one(text: str, line: int, words: str) -> None:
    error = refusal(text)
    assert error.line == line
    assert f"line {line}: unknown key" in str(error)
    assert words in str(error)


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("[queue_manager]\nname = 5\n", 2, "'name' in [queue_manager]: expected text in quotes, found the number 5"),
        ('[queue_manager]\nname = "no blanks"\n', 2, "a name of at most 48"),
        (f'[queue_manager]\nname = "{"X" * 49}"\n', 2, "a name of at most 48"),
        ('[queue_manager]\nname = ""\n', 2, "found the text ''"),
        ('[queue_manager]\nmqsc = "earth.mqsc"\n', 2, "expected an array in [ ]"),
        ('[queue_manager]\nmqsc = [\n  "a.mqsc",\n  # second\n  7,\n]\n', 5, "found the number 7"),
        ("[queue_manager]\nstop_wait = -1\n", 2, "a number of seconds, at least 0"),
        ("[queue_manager]\nstop_wait = inf\n", 2, "found the number inf"),
        ("[queue_manager]\nstop_wait = nan\n", 2, "found the number nan"),
        ('[queue_manager]\nstop_wait = "10"\n', 2, "found the text '10'"),
        ('[store]\nkind = "oracle"\n', 2, 'expected "lmdb" or "memory"'),
        ('[store]\nmap_size = "64 GB of it"\n', 2, '"64 GiB"'),
        ('[store]\nmap_size = "0.3 B"\n', 2, "a size of at least"),
        ("[store]\nmap_size = true\n", 2, "found true"),
        ("[store]\nmap_size = 1.5e9\n", 2, "found the number"),
        ("[store]\nmap_size = 1000\n", 2, "at least 1048576 bytes"),
        ("[channels]\nmax = true\n", 2, "found true"),
        ("[channels]\nmax = 0\n", 2, "a whole number from 1"),
        ("[channels]\nmax = 2026-11-21\n", 2, "found a date or time"),
        ("[channels]\nhandshake_timeout = 0\n", 2, "at least 0.1"),
        ('[channels]\nadopt = ["all"]\n', 2, 'expected "all" or "no", found an array'),
        ('[log]\nlevel = {name = "info"}\n', 2, "found a table"),
        ('[web]\norigins = ["console.example.com"]\n', 2, "an origin such as"),
        ('[web]\norigins = ["https://console.example.com/"]\n', 2, "an origin such as"),
        ('[web]\norigins = ["*"]\n', 2, "an origin such as"),
        ("[web]\nlogin_time = 0\n", 2, "at least 1"),
        ("[web]\nlogins = 0\n", 2, "a whole number from 1 to 1000"),
        ('[web]\nadministrators = "mqm"\n', 2, "an array"),
        ('[web]\nplain = "yes"\n', 2, "true or false"),
        ('[admin]\nendpoint = "1414"\n', 2, "an endpoint such as"),
        ('[admin]\nendpoint = "unix:mode=600"\n', 2, "a path in the endpoint"),
        ("store = 5\n", 1, "'store' must be a table [store], found the number 5"),
        ('# door\n[listener]\nendpoint = "tcp:1"\n', 2, "'listener' must be tables [[listener]], found a table"),
        ("[log]\n\n[[listener]]\n# nothing\n", 3, "[[listener]] has no 'endpoint'"),
    ],
)
def test_a_wrong_value_is_named_with_its_line(text: str, line: int, words: str) -> None:
    error = refusal(text)
    assert error.line == line
    assert words in str(error)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("[store]\nkind = lmdb\n", 2),
        ("[store\n", 1),
        ('[log]\nlevel = "info"\nlevel = "debug"\n', 3),
        ('[log]\nlevel = """info\n', 2),
    ],
)
def test_text_that_is_no_toml_is_refused_with_its_line(text: str, line: int) -> None:
    error = refusal(text)
    assert error.line == line
    assert "not valid TOML" in str(error)
    assert "(at" not in str(error)


def test_a_file_that_cannot_be_read_is_a_configuration_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"nowhere\.toml: cannot be read: No such file"):
        load_configuration(tmp_path / "nowhere.toml")
    with pytest.raises(ConfigError, match="cannot be read: Is a directory"):
        load_configuration(tmp_path)


def test_a_file_in_another_encoding_is_refused_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "latin.toml"
    file.write_bytes(b"[log]\n# caf\xe9\n")
    with pytest.raises(ConfigError, match="line 2: not UTF-8 text"):
        load_configuration(file)


def test_a_file_of_absurd_length_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "long.toml"
    file.write_bytes(b"#" * ((1 << 20) + 1))
    with pytest.raises(ConfigError, match="longer than"):
        load_configuration(file)


def test_a_byte_order_mark_and_windows_line_ends_change_nothing(tmp_path: Path) -> None:
    file = tmp_path / "windows.toml"
    file.write_bytes(b"\xef\xbb\xbf" + CONTRACT.replace("\n", "\r\n").encode())
    assert load_configuration(file).queue_manager.name == "EARTH"
    file.write_bytes(b'[log]\r\nlevel = "info"\r\nformat = 3\r\n')
    with pytest.raises(ConfigError, match="line 3"):
        load_configuration(file)


def test_a_rest_endpoint_for_users_is_configured() -> None:
    read = parse_configuration(
        '[web]\nendpoint = "tcp:9443"\nreaders = ["audit"]\norigins = ["https://[::1]:8443"]\n', FILE
    )
    web = read.web
    assert (web.endpoint, web.certificate, web.plain) == ("tcp:9443", None, False)
    assert (web.administrators, web.readers, web.origins) == (["mqm"], ["audit"], ["https://[::1]:8443"])
    assert (web.login_time, web.logins) == (7200.0, 10)
    assert Configuration().web.endpoint is None
