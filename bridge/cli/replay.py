"""``mqbridge replay``: judge captures of MQ traffic."""

from __future__ import annotations

import gc
import json
import os
import shutil
import sys
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from mqbridge.captures.analysis import ALL_TABLES, AnalysisOptions, analyse_file, analyse_set
from mqbridge.captures.reading.embedded_keys import holds_keys
from mqbridge.captures.report.json_form import report_json, rules_json
from mqbridge.captures.report.summary import Summary
from mqbridge.captures.rotated_sets import rotated_sets
from mqbridge.captures.rules import Severity, load
from mqbridge.captures.spark.paths import find_captures, identity, is_url
from mqbridge.captures.tables import CaptureRow, Row

from .against_options import AgainstOptions, against_options
from .ending import fail, interruptions, reason_of, replace_closed_output, silence
from .progress import Progress

if TYPE_CHECKING:
    from mqbridge.captures.tables.parquet import ParquetTables

Taker = Callable[[Row], None]

PAGE: Final = "report.html"
UNREADABLE: Final = 2
NOT_CONFORMING: Final = 1
NEW_LINE: Final = "\n"
STANDARD_INPUT: Final = "-"
GROWING: Final = ".pcap.part"
"""Suffix of captures that are still being written."""

SPARK_SIZE: Final = 64 << 20
"""Total size of several captures, in bytes, from which Spark saves more time than its start takes."""
PROGRESS_SIZE: Final = 16 << 20
"""Size of captures, in bytes, from which a progress bar is shown."""
PROGRESS_ROWS: Final = 500
"""Rows between updates of the bar."""
COLLECT_EVERY: Final = 100_000
"""New objects between runs of the cycle collector."""
SHOWN_EXAMPLES: Final = 5
"""Findings per rule in the terminal report."""


@click.command("replay")
@click.argument("paths", metavar="PCAP...", nargs=-1)
@click.option("--json", "as_json", is_flag=True, help="One JSON object in place of a report.")
@click.option("--rules", "show_rules", is_flag=True, help="Show the catalogue of rules and read nothing.")
@click.option(
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Write all tables as Parquet into DIR, and report.html.",
)
@click.option(
    "--fail-on",
    multiple=True,
    type=click.Choice([severity.value for severity in Severity]),
    help="Status 1 for a finding of this severity too; may be given several times.",
)
@click.option(
    "--keylog",
    type=click.Path(exists=True, dir_okay=False, readable=True),
    metavar="FILE",
    help="Keys of TLS connections, as SSLKEYLOGFILE has them; needs tshark.",
)
@click.option("--master", metavar="URL", help="Let Spark do it, there: local[*], spark://HOST:PORT, yarn.")
@against_options
@click.pass_context
def command(
    context: click.Context,
    paths: tuple[str, ...],
    as_json: bool,
    show_rules: bool,
    output: Path | None,
    fail_on: tuple[str, ...],
    keylog: str | None,
    master: str | None,
    **endpoint: Any,
) -> None:
    """Judge captures of MQ traffic: what passed, and where it leaves the protocol.

    PCAP is a pcap or pcapng file, plain or compressed, a folder of them, - for standard input, or a URL that Spark can
    read (s3a://, hdfs://). Status 0: nothing is wrong; 1: there is an error, or a finding of --fail-on; 2: an input
    cannot be read. With --against: 1: an answer is different; 20: the endpoint is not reachable.
    """
    replace_closed_output()
    with interruptions():
        if show_rules:
            _show_rules(as_json)
            return
        if not paths:
            raise click.UsageError("name a capture, or ask for --rules", context)
        against = AgainstOptions.of(endpoint)
        if against.target is not None:
            if output is not None or fail_on or master is not None:
                raise click.UsageError(
                    "--against judges nothing: --output, --fail-on and --master do not go with it", context
                )
            from .replay_against import play_against

            context.exit(play_against(paths, against, keylog=keylog, as_json_object=as_json))
        try:
            status = _replay(paths, as_json, output, {*fail_on, Severity.ERROR.value}, keylog, master)
        except BrokenPipeError:
            raise
        except OSError as error:
            fail(reason_of(error), UNREADABLE)
        context.exit(status)


def _replay(
    paths: tuple[str, ...],
    as_json: bool,
    output: Path | None,
    wrong: set[str],
    keylog: str | None,
    master: str | None,
) -> int:
    summary = Summary(None if as_json or output is not None else SHOWN_EXAMPLES)
    tables = ALL_TABLES if output is not None else ALL_TABLES - {"segments", "messages"}
    run = _Run(AnalysisOptions(tables=tables), keylog)
    with ExitStack() as stack:
        stack.enter_context(_infrequent_collection())
        takers: list[Taker] = [summary.add]
        if output is not None:
            takers.append(stack.enter_context(_page(output)))
            takers.append(stack.enter_context(_parquet(output)).write)
        for row in run.rows(paths, master):
            for take in takers:
                take(row)
    try:
        _print(summary, output, as_json=as_json)
    except BrokenPipeError:
        silence()  # who reads has seen enough: the verdict stays the same
    if run.unreadable:
        return UNREADABLE
    return NOT_CONFORMING if wrong & summary.severities.keys() else 0


def _print(summary: Summary, output: Path | None, *, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(report_json(summary), ensure_ascii=False, indent=1))
    elif any(row.readable for row in summary.captures):
        from .replay_report import print_report

        print_report(summary, output)


class _Run:
    """The analysis of captures, one after the other or through Spark. ``unreadable``: one could not be read."""

    def __init__(self, options: AnalysisOptions, keylog: str | None) -> None:
        self.options = options
        self.keylog = keylog
        self.unreadable = False

    def rows(self, paths: tuple[str, ...], master: str | None) -> Iterator[Row]:
        """Yield the rows of all captures."""
        urls = [path for path in paths if is_url(path)]
        found = self._found([path for path in paths if path not in urls])
        sets = [[path] for path in found] if self.keylog is not None else _sets(found)
        many = len(found) == len(sets) > 1 and _size(found) >= SPARK_SIZE
        if urls or master is not None or (many and _has_spark() and _has_java()):
            if STANDARD_INPUT in found:
                raise click.UsageError("Spark cannot read standard input")
            rows = self._by_spark([*found, *urls], master)
        else:
            rows = self._here(sets)
        for row in rows:
            if isinstance(row, CaptureRow) and not row.readable:
                self._complain(f"{row.capture}: {row.error}")
            yield row

    def _found(self, paths: list[str]) -> list[str]:
        found: dict[Hashable, str] = {}
        for path in paths:
            try:
                captures = [path] if path == STANDARD_INPUT else find_captures([path])
            except (FileNotFoundError, ValueError) as error:
                self._complain(str(error))
                continue
            if not captures:
                growing = sorted(Path(path).rglob(f"*{GROWING}")) if os.path.isdir(path) else []
                hint = f" but {growing[0].name}, which still grows: name it to read it" if growing else ""
                self._complain(f"{path}: no capture is in this folder{hint}")
            for capture in captures:
                found.setdefault(STANDARD_INPUT if capture == STANDARD_INPUT else identity(capture), capture)
        return list(found.values())

    def _here(self, sets: list[list[str]]) -> Iterator[Row]:
        size = sum(map(_size, sets))
        with Progress("bytes", size, shown=size >= PROGRESS_SIZE) as progress:
            for path, *further in sets:
                if further:
                    rows = analyse_set([path, *further], self.options)
                    yield from _counted(rows, lambda rows=rows: rows.bytes_read, progress)
                    continue
                # A name with bytes that are no text could stand in no table.
                options = replace(self.options, capture=os.fsencode(path).decode(errors="replace"))
                try:
                    with nullcontext(sys.stdin.buffer) if path == STANDARD_INPUT else open(path, "rb") as source:
                        place = source.tell if source.seekable() else lambda: 0
                        yield from _counted(analyse_file(source, options, keylog=self.keylog), place, progress)
                except OSError as error:
                    if error.filename is None:
                        raise
                    self._complain(reason_of(error))

    def _by_spark(self, paths: list[str], master: str | None) -> Iterator[Row]:
        if not _has_spark():
            fail("Spark is not installed: pip install 'mqbridge[spark]'", UNREADABLE)
        from mqbridge.captures.spark.replaying import replay_paths

        done = 0
        with Progress("bytes", None, shown=True) as progress:

            def advance(now: int, _total: int) -> None:
                nonlocal done
                progress.advance(now - done)
                done = now

            rows = replay_paths(paths, self.options, master, advance, keylog=self.keylog, complain=self._complain)
            try:
                yield from rows
            except Exception as error:  # Spark's own cannot be named here, where it is seldom installed
                fail(f"Spark: {type(error).__name__}: {str(error).partition(NEW_LINE)[0]}", UNREADABLE)

    def _complain(self, text: str) -> None:
        self.unreadable = True
        click.echo(text, err=True)


def _sets(captures: list[str]) -> list[list[str]]:
    """Group captures into rotated sets; files with TLS keys stay alone, because tshark decrypts one file at a time."""
    sets: list[list[str]] = []
    for files in rotated_sets(captures):
        sets += [[file] for file in files] if len(files) > 1 and any(map(holds_keys, files)) else [files]
    return sets


def _counted(rows: Iterable[Row], place: Callable[[], int], progress: Progress) -> Iterator[Row]:
    """Yield the rows, moving the bar to the current ``place`` in the input, in bytes."""
    done = 0
    for number, row in enumerate(rows):
        if number % PROGRESS_ROWS == 0:
            now = place()
            progress.advance(now - done)
            done = now
        yield row


def _size(captures: list[str]) -> int:
    return sum(Path(path).stat().st_size for path in captures if path != STANDARD_INPUT)


def _has_spark() -> bool:
    return find_spec("pyspark") is not None


def _has_java() -> bool:
    return "JAVA_HOME" in os.environ or shutil.which("java") is not None


def _parquet(folder: Path) -> AbstractContextManager[ParquetTables]:
    try:
        from mqbridge.captures.tables.parquet import ParquetTables
    except ModuleNotFoundError:
        fail("--output needs pyarrow: pip install 'mqbridge[parquet]'", UNREADABLE)
    return ParquetTables(folder, ALL_TABLES)


@contextmanager
def _page(folder: Path) -> Iterator[Taker]:
    """Take rows and write the page at the end unless there was an error; it is renamed to its name when complete."""
    from mqbridge.captures.report.page import PageData, write_page

    data = PageData()
    yield data.take
    part = folder / f"{PAGE}.part"
    try:
        write_page(data, part)
        part.replace(folder / PAGE)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(part)) from error
    finally:
        part.unlink(missing_ok=True)


@contextmanager
def _infrequent_collection() -> Iterator[None]:
    """Collect garbage less often: rows are many and form no cycles."""
    thresholds = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(COLLECT_EVERY)
    try:
        yield
    finally:
        gc.set_threshold(*thresholds)
        gc.unfreeze()


def _show_rules(as_json: bool) -> None:
    rules = load().values()
    if as_json:
        click.echo(json.dumps(rules_json(rules), ensure_ascii=False, indent=1))
        return
    from .replay_report import print_rules

    print_rules(rules)
