"""Captures in Spark: the same rows as the plain way, whatever the partitioning, batch and stream.

One session serves the file; the processes of a cluster have a test file of their own.
"""

from __future__ import annotations

import gzip
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from mqbridge.bridge.cli import replay as replay_command
from mqbridge.captures.analysis import AnalysisOptions, analyse_file
from mqbridge.captures.tables import SCHEMA_VERSION, TABLES, MessageRow, Row
from support.captures.files import as_pcapng, record, secrets
from support.captures.replay_runs import IN, OUT, as_json
from support.captures.spark_captures import EVERYTHING, as_values, make_captures, missing, plain_rows, spark_values
from support.captures.tls_sessions import Tls, TlsSession
from support.captures.vectors import thesis
from support.tshark.run import needs_tshark

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = [
    pytest.mark.interop("spark"),
    pytest.mark.skipif(bool(missing()), reason=missing() or "Spark runs"),
    pytest.mark.timeout(300),
]


FLOWS = AnalysisOptions(tables=frozenset({"flows"}))


@pytest.fixture(scope="module")
def captures(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return make_captures(tmp_path_factory.mktemp("captures") / "folder")


@pytest.fixture(scope="module")
def folder(captures: list[str]) -> str:
    return os.path.dirname(captures[0])


@pytest.fixture(scope="module")
def plain(captures: list[str]) -> list[Row]:
    return plain_rows(captures)


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkSession]:
    from mqbridge.captures.spark import MqCapture, session

    running = session("local[2]")
    running.dataSource.register(MqCapture)
    yield running
    running.stop()


def load(spark: SparkSession, path: str | list[str], **options: Any) -> DataFrame:
    return spark.read.format("mq").options(**options).load(path)


# batch


def test_a_session_listens_on_loopback_alone(spark: SparkSession) -> None:
    settings = spark.sparkContext.getConf()
    assert settings.get("spark.driver.host") == settings.get("spark.driver.bindAddress") == "127.0.0.1"
    assert listening_beyond_loopback(java_of(spark)) == []


@pytest.mark.parametrize("table", TABLES)
def test_rows_are_those_of_the_plain_way_whatever_the_partitioning(
    spark: SparkSession, folder: str, plain: list[Row], table: str
) -> None:
    expected = as_values(table, plain)
    assert expected
    for partitions in (1, 2, 7):
        assert spark_values(load(spark, folder, table=table, partitions=partitions)) == expected, partitions


def test_there_are_as_many_partitions_as_asked_for(spark: SparkSession, folder: str) -> None:
    for partitions in (1, 2, 7):
        assert load(spark, folder, table="flows", partitions=partitions).rdd.getNumPartitions() == partitions


def test_the_schema_says_its_version(spark: SparkSession, folder: str) -> None:
    frame = load(spark, folder, table="flows", version=SCHEMA_VERSION)
    assert {field.metadata["mqbridge.schema_version"] for field in frame.schema.fields} == {SCHEMA_VERSION}
    with pytest.raises(Exception, match="version=0: the tables have version 1 here"):
        load(spark, folder, version=0)


def test_options_choose_fields_and_bodies(spark: SparkSession, captures: list[str]) -> None:
    bare = load(spark, captures[0], fields="none").collect()
    assert bare
    assert all(row.fields is None and row.common is None for row in bare)
    named = load(spark, captures[0], fields="ID.ChannelName, ID.QMgrName").collect()
    assert {name for row in named for name in row.fields} == {"ID.ChannelName", "ID.QMgrName"}
    with_bodies = load(spark, captures[0], table="messages", bodies="bytes").collect()
    assert any(row.body for row in with_bodies)
    assert not any(row.body for row in load(spark, captures[0], table="messages").collect())


def test_a_schema_of_the_user_takes_some_columns(spark: SparkSession, folder: str, plain: list[Row]) -> None:
    wanted = "flow int not null, capture string not null"
    rows = spark.read.format("mq").schema(wanted).option("table", "flows").load(folder).collect()
    assert sorted(tuple(row) for row in rows) == sorted(
        (row.flow, row.capture) for row in plain if type(row) is TABLES["flows"]
    )


def test_wrong_options_say_what_is_wrong(spark: SparkSession, folder: str) -> None:
    with pytest.raises(Exception, match="no such option: tabel; there are "):
        load(spark, folder, tabel="flows")


def test_a_path_at_which_there_is_nothing_is_an_error(spark: SparkSession, folder: str) -> None:
    with pytest.raises(Exception, match="no file matches"):
        load(spark, f"{folder}/*.nothing").count()
    with pytest.raises(Exception, match="no path that every worker can open"):
        load(spark, "s3a://bucket/captures").count()


CONDITIONS = [
    ("flows", "kind = 'message-channel'"),
    ("flows", "channel in ('TO.B', 'QM1.TO.QM2') or user is null"),
    ("flows", "not channel = 'NO.SUCH' and end < timestamp'2026-01-01 00:00:01' and tls_version is null"),
    ("segments", "flow = 3 and direction = 'initiator' and packet > 20"),
    ("segments", "severity is not null and capture like '%/a.pcap'"),
    ("messages", "latency < 0.01 and body_length >= 1 and whole"),
    ("messages", "priority between 1 and 9 and capture <> 'elsewhere'"),
    ("findings", "rule in ('C-901', 'C-903') and time <= timestamp'2026-06-01 00:00:00'"),
]


@pytest.mark.parametrize(("table", "condition"), CONDITIONS)
def test_pushed_filters_change_no_result(spark: SparkSession, captures: list[str], table: str, condition: str) -> None:
    def found() -> list[str]:
        return spark_values(load(spark, [captures[1], captures[6]], table=table).where(condition))

    switch = "spark.sql.python.filterPushdown.enabled"
    pushed = found()
    spark.conf.set(switch, "false")
    try:
        assert found() == pushed
    finally:
        spark.conf.set(switch, "true")


def test_filters_reach_the_reader(spark: SparkSession, folder: str, tmp_path: Path) -> None:
    from mqbridge.captures.spark import MqCapture

    seen = str(tmp_path / "seen")

    class Watched(MqCapture):
        @classmethod
        def name(cls) -> str:
            return "watched"

        def reader(self, schema: Any) -> Any:
            reader = super().reader(schema)
            push = reader.pushFilters

            def watched(filters: Any) -> Any:
                left = list(push(filters))
                Path(seen).write_text(repr(reader.table.conditions.all))
                return left

            reader.pushFilters = watched
            return reader

    spark.dataSource.register(Watched)
    frame = spark.read.format("watched").option("table", "flows").load(folder)
    frame.where("kind = 'tls' and flow > 3").count()
    assert "Condition(column='kind', holds='EqualTo', value='tls', negated=False)" in Path(seen).read_text()


# stream


def test_a_stream_takes_each_file_once_and_goes_on_from_its_checkpoint(
    spark: SparkSession, captures: list[str], tmp_path: Path
) -> None:
    watched, results, checkpoint = (tmp_path / name for name in ("watched", "results", "checkpoint"))
    watched.mkdir()

    def drop(capture: str, name: str) -> None:
        shutil.copy(capture, watched / f"{name}.part")
        (watched / f"{name}.part").rename(watched / name)

    def start(**trigger: Any) -> Any:
        stream = spark.readStream.format("mq").option("table", "flows").option("maxFilesPerTrigger", "1")
        writer = stream.load(str(watched)).writeStream.format("parquet")
        return writer.option("checkpointLocation", str(checkpoint)).trigger(**trigger).start(str(results))

    def check(*names: str) -> None:
        expected = as_values("flows", plain_rows(str(watched / name) for name in names))
        assert spark_values(spark.read.parquet(str(results))) == expected

    drop(captures[1], "1.pcap")
    query = start(processingTime="0 seconds")
    try:
        query.processAllAvailable()
        check("1.pcap")
        shutil.copy(captures[1], watched / "2.pcap.part")
        drop(captures[3], "3.pcap")
        query.processAllAvailable()
        check("1.pcap", "3.pcap")
    finally:
        query.stop()
    (watched / "2.pcap.part").rename(watched / "2.pcap")
    drop(captures[6], "4.pcap")
    query = start(availableNow=True)
    assert query.awaitTermination(200)
    check("1.pcap", "2.pcap", "3.pcap", "4.pcap")
    assert query.exception() is None


# replay


def test_replay_gives_the_rows_of_the_plain_way_in_their_order(
    spark: SparkSession, folder: str, plain: list[Row], captures: list[str]
) -> None:
    from mqbridge.captures.spark.replaying import replay_paths

    told: list[tuple[int, int]] = []
    rows = list(replay_paths([folder], EVERYTHING, spark=spark, progress=lambda *done: told.append(done)))
    by_capture = {capture: [row for row in plain if row.capture == capture] for capture in captures}
    found = {capture: [row for row in rows if row.capture == capture] for capture in captures}
    assert found == by_capture
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert told[-1][0] == told[-1][1] == sum(os.path.getsize(c) for c in captures if os.path.exists(c))


def test_replay_divides_large_captures(
    spark: SparkSession, captures: list[str], plain: list[Row], monkeypatch: pytest.MonkeyPatch
) -> None:
    from mqbridge.captures.spark import planning
    from mqbridge.captures.spark.replaying import replay_paths

    monkeypatch.setattr(planning, "LARGE", 1)
    divided = [captures[0], captures[3]]
    assert all(len(planning.divide(planning.whole_piece(each), 2, None, across=False)) == 2 for each in divided)
    rows = list(replay_paths(divided, EVERYTHING, spark=spark))
    expected = [row for row in plain if row.capture in divided]
    assert sorted(map(repr, rows)) == sorted(map(repr, expected))
    found = AnalysisOptions(tables=frozenset({"findings"}))
    rows = list(replay_paths(divided, found, spark=spark))
    assert sorted(map(repr, rows)) == sorted(repr(row) for row in expected if type(row) is TABLES["findings"])


def test_rules_that_look_at_many_flows_find_the_same(spark: SparkSession, captures: list[str]) -> None:
    storm = next(capture for capture in captures if "storm" in capture)
    expected = [row for row in plain_rows([storm]) if type(row) is TABLES["findings"]]
    assert {row.rule for row in expected} >= {"C-720"}
    for partitions in (1, 2, 7, 12):
        assert spark_values(load(spark, storm, table="findings", partitions=partitions)) == as_values(
            "findings", expected
        )
    without = load(spark, storm, table="findings", partitions=2, across="false").select("rule").distinct().collect()
    assert "C-720" not in {row.rule for row in without}


def test_replay_reads_urls(spark: SparkSession, captures: list[str], plain: list[Row], tmp_path: Path) -> None:
    from mqbridge.captures.spark.replaying import replay_paths

    there = [capture for capture in captures if os.path.exists(capture)]
    folder = os.path.dirname(captures[0])
    copied = shutil.copytree(folder, tmp_path / "copied", ignore=lambda *_: ["h.pcap"])
    rows = list(replay_paths([f"file://{copied}"], EVERYTHING, spark=spark))
    found = [row._replace(capture=row.capture.replace(f"file:{copied}", folder)) for row in rows]
    assert {row.capture for row in found} == set(there)
    for capture in there:
        assert [row for row in found if row.capture == capture] == [row for row in plain if row.capture == capture]


def test_urls_give_data_frames(spark: SparkSession, captures: list[str], plain: list[Row]) -> None:
    from mqbridge.captures.spark import read_urls

    frame = read_urls(spark, f"file://{captures[0]}", table="flows")
    expected = (row._replace(capture=f"file:{row.capture}") for row in plain if row.capture == captures[0])
    assert spark_values(frame) == as_values("flows", expected)


def test_urls_that_cannot_be_read_say_why(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from mqbridge.captures.spark import FileTooLargeError, url_files
    from mqbridge.captures.spark.replaying import replay_paths

    with pytest.raises(FileNotFoundError, match="no such file or folder"):
        list(replay_paths([f"file://{tmp_path}/nothing"], EVERYTHING, spark=spark))
    with pytest.raises(OSError, match="S3AFileSystem not found"):
        list(replay_paths(["s3a://bucket/folder"], EVERYTHING, spark=spark))
    with (tmp_path / "large.pcap").open("wb") as file:
        file.truncate(url_files.MAX_SIZE + 1)
    with pytest.raises(FileTooLargeError, match="2,147,483,648 bytes; behind URLs"):
        list(replay_paths([f"file://{tmp_path}/large.pcap"], EVERYTHING, spark=spark))
    (tmp_path / "folder").mkdir()
    with pytest.raises(FileNotFoundError, match="no capture is in this folder"):
        list(replay_paths([f"file://{tmp_path}/folder"], EVERYTHING, spark=spark))


def test_a_capture_by_path_and_by_url_comes_once(spark: SparkSession, captures: list[str], tmp_path: Path) -> None:
    from mqbridge.captures.spark.replaying import replay_paths

    for name in ("a b%20c.pcap", "d.pcap"):
        shutil.copy(captures[0], tmp_path / name)
    rows = list(replay_paths([str(tmp_path / "a b%20c.pcap"), f"file://{tmp_path}"], FLOWS, spark=spark))
    assert {row.capture for row in rows} == {f"{tmp_path}/a b%20c.pcap", f"file:{tmp_path}/d.pcap"}
    assert len(rows) == 2 * len(plain_rows([captures[0]], FLOWS))


# TLS


@pytest.fixture(scope="module")
def secret(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with captures of TLS, one of them packed, one in clear, one that holds its keys, and ``keys.log``."""
    folder = tmp_path_factory.mktemp("secret")
    data = []
    for version, keylog in ((Tls.V1_2, "keys.log"), (Tls.V1_3, "keys.log"), (Tls.V1_3, "others.log")):
        session = TlsSession(version, "mq.example.com", folder / keylog)
        for direction, sent in (IN, thesis(1)), (OUT, thesis(2)), (IN, thesis(3)):
            session.send(direction, sent)
        data.append(record(*session.wire))
    (folder / "a.pcap").write_bytes(data[0])
    (folder / "b.pcap.gz").write_bytes(gzip.compress(data[1]))
    (folder / "d.pcapng").write_bytes(as_pcapng(data[2], {1: secrets((folder / "others.log").read_bytes())}))
    (folder / "c.pcap").write_bytes(record((IN, thesis(1)), (OUT, thesis(2)), (IN, thesis(3))))
    return folder


def with_keys(secret: Path) -> list[Row]:
    """What the plain way says of the captures of a folder with its keys."""
    names = ("a.pcap", "b.pcap.gz", "c.pcap", "d.pcapng")
    rows = [row for name in names for row in analyse_file(secret / name, EVERYTHING, keylog=secret / "keys.log")]
    messages = [row.capture for row in rows if isinstance(row, MessageRow)]
    assert messages == [str(secret / name) for name in names]
    return rows


@needs_tshark
def test_the_option_keylog_decrypts(spark: SparkSession, secret: Path) -> None:
    rows = with_keys(secret)
    keylog = os.path.relpath(secret / "keys.log")
    for table, partitions in (("messages", 3), ("flows", 1)):
        frame = load(spark, str(secret), table=table, keylog=keylog, partitions=partitions)
        assert spark_values(frame) == as_values(table, rows)
    assert load(spark, str(secret), table="messages").count() == 2  # in clear, and with keys of its own


@needs_tshark
def test_the_option_keylog_decrypts_what_comes_into_a_folder(spark: SparkSession, secret: Path, tmp_path: Path) -> None:
    stream = spark.readStream.format("mq").option("table", "messages").option("keylog", str(secret / "keys.log"))
    writer = stream.load(str(secret)).writeStream.format("parquet").option("checkpointLocation", str(tmp_path / "seen"))
    query = writer.trigger(availableNow=True).start(str(tmp_path / "rows"))
    assert query.awaitTermination(200)
    assert query.exception() is None
    assert spark_values(spark.read.parquet(str(tmp_path / "rows"))) == as_values("messages", with_keys(secret))


@needs_tshark
def test_keys_go_with_urls(spark: SparkSession, secret: Path) -> None:
    from mqbridge.captures.spark import read_urls
    from mqbridge.captures.spark.replaying import replay_paths

    rows = [row._replace(capture=f"file:{row.capture}") for row in with_keys(secret)]
    frame = read_urls(spark, f"file://{secret}", table="messages", keylog=str(secret / "keys.log"))
    assert spark_values(frame) == as_values("messages", rows)
    found = replay_paths([f"file://{secret}"], EVERYTHING, spark=spark, keylog=str(secret / "keys.log"))
    assert sorted(map(repr, found)) == sorted(map(repr, rows))


@needs_tshark
def test_replay_of_a_folder_with_a_key_log(spark: SparkSession, secret: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from mqbridge.captures.spark import replaying

    keylog = os.path.relpath(secret / "keys.log")
    expected = as_json(secret, "--keylog", keylog)
    assert [flow["kind"] for flow in expected["flows"]] == ["message-channel"] * 4
    asked = []

    def replayed(*given: Any, **named: Any) -> Iterator[Row]:
        asked.append(named["keylog"])
        return replaying_paths(*given, **named, spark=spark)  # a session made by the command would end ours

    replaying_paths = replaying.replay_paths
    monkeypatch.setattr(replaying, "replay_paths", replayed)
    monkeypatch.setattr(replay_command, "SPARK_SIZE", 1)
    assert as_json(secret, "--keylog", keylog) == expected
    assert asked == [keylog]


def java_of(spark: SparkSession) -> int:
    return int(spark.sparkContext._jvm.java.lang.ProcessHandle.current().pid())


def listening_beyond_loopback(pid: int) -> list[str]:
    """Addresses of sockets on which a process listens, other than loopback."""
    inodes = set()
    for entry in Path(f"/proc/{pid}/fd").iterdir():
        try:
            target = os.readlink(entry)
        except FileNotFoundError:
            continue  # closed meanwhile
        if target.startswith("socket:["):
            inodes.add(target[8:-1])
    found = []
    for name in ("tcp", "tcp6"):
        for line in Path(f"/proc/{pid}/net/{name}").read_text().splitlines()[1:]:
            fields = line.split()
            address = fields[1].rpartition(":")[0]
            if fields[3] == "0A" and fields[9] in inodes and not address.endswith("0100007F"):
                found.append(address)
    return found


def test_messages_of_a_described_protocol_are_a_table(spark: SparkSession, tmp_path: Path) -> None:
    from mqbridge.captures.described import DescribedMessages, ReadMessage
    from mqbridge.captures.dialogues.captures import CaptureDialogues
    from mqbridge.mappings.templates import read_protocol

    text = """
[protocol]
name = "host"
[framing]
kind = "length"
position = 0
width = 2
counts = "rest"
[[transaction]]
name = "request"
recognise = [{ position = 2, value = "01" }]
template = "0000 01"
field = [
    { name = "length", position = 0, length = 2, type = "unsigned", compute = { kind = "length", of = { from = 2 } } },
    { name = "text", position = 3, length = "rest", type = "text", map = "message" },
]
"""
    (tmp_path / "host.toml").write_text(text)
    folder = tmp_path / "captures"
    folder.mkdir()
    large = [(IN, bytes.fromhex("0003 01") + b"ab") for _ in range(3000)]
    (folder / "a.pcap").write_bytes(record(*large, (OUT, bytes.fromhex("0001 02"))))
    (folder / "b.pcap").write_bytes(record((IN, bytes.fromhex("0002 01") + b"c")))
    reader = spark.read.format("mq").option("protocol", str(tmp_path / "host.toml"))
    for partitions in ("1", "4"):
        rows = reader.option("partitions", partitions).load(str(folder)).collect()
        assert len(rows) == 3002
        assert {row.fault for row in rows if row.message is None} == {"no transaction is it"}
        assert {tuple(sorted(row.fields.items())) for row in rows if row.fields} == {
            (("length", "3"), ("text", "ab")),
            (("length", "2"), ("text", "c")),
        }
    plain = list(DescribedMessages(read_protocol(text, "host.toml"), CaptureDialogues(str(folder / "a.pcap"))))
    ours = reader.load(str(folder / "a.pcap")).where("message is not null")
    assert ours.count() == sum(isinstance(each, ReadMessage) for each in plain)
    assert ours.where("packet = 4").first().offset == plain[0].offset
    with pytest.raises(Exception, match="goes with the option protocol"):
        spark.read.format("mq").option("table", "protocol_messages").load(str(folder))
