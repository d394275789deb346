"""The compiled wheel: the modules that mypyc compiles, and the build that compiles and notes them (``make wheel``).

Compiled are the modules through which every message goes, from the segment to the row and back; others would make the
wheel larger and nothing faster. What was compiled is noted in `NOTE`, which `mqbridge/build.py` reads at run time.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import sysconfig
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from pathlib import Path
from typing import Any, Final

from mypyc.build import mypycify
from setuptools import Extension
from setuptools.command.build_ext import build_ext

PACKAGE: Final = "mqbridge"
NOTE: Final = "compiled.json"
"""Beside the package's own modules: version, Python, and the size of each source that was compiled."""

COMPILED: Final = (
    "protocol/framing.py",
    "protocol/numbers.py",
    "protocol/records.py",
    "protocol/segment.py",
    "protocol/text.py",
    "protocol/channel/*.py",
    "protocol/layouts/*.py",
    "protocol/mqi/*.py",
    "protocol/mqi_client/*.py",
    "protocol/observer/*.py",
    "protocol/observer/channel/*.py",
    "protocol/observer/client/*.py",
    "protocol/structures/async_message.py",
    "protocol/structures/linked.py",
    "protocol/structures/request_msgs.py",
    "protocol/structures/builders.py",
    "protocol/structures/versioned.py",
    "mappings/body.py",
    "mappings/message.py",
    "mappings/mq.py",
    "bridge/queue_manager/*.py",
    "bridge/queue_manager/calls/*.py",
    "bridge/queue_manager/connections/*.py",
    "bridge/queue_manager/getting/*.py",
    "bridge/queue_manager/putting/*.py",
    "bridge/queue_manager/queues/*.py",
    "bridge/queue_manager/objects/definition.py",
    "bridge/queue_manager/objects/registry.py",
    "bridge/queue_manager/pubsub/facade.py",
    "bridge/queue_manager/pubsub/state.py",
    "bridge/agents/*.py",
    "bridge/agents/gateway/connection_registry.py",
    "bridge/agents/gateway/conversation_driver.py",
    "bridge/agents/gateway/effects.py",
    "bridge/agents/gateway/gateway.py",
    "bridge/agents/gateway/timers.py",
    "bridge/agents/message_channel/*.py",
    "bridge/agents/message_channel/receiver/*.py",
    "bridge/agents/message_channel/sender/*.py",
    "bridge/agents/svrconn/*.py",
    "bridge/client/link.py",
    "bridge/store/changes.py",
    "bridge/store/journal.py",
    "bridge/store/journal_entries.py",
    "bridge/store/merged_rows.py",
    "bridge/store/message_operations.py",
    "bridge/store/rows.py",
    "bridge/store/unit_changes.py",
    "captures/analysis/analyser.py",
    "captures/analysis/flow_analysis.py",
    "captures/analysis/message_rows.py",
    "captures/analysis/observed_rows.py",
    "captures/analysis/segment_rows.py",
    "captures/reading/link_layers.py",
    "captures/rules/judging.py",
    "captures/rules/memo_keys.py",
    "captures/streams/connection.py",
    "captures/streams/fast_paths.py",
    "captures/streams/flows.py",
    "captures/streams/ordinary.py",
    "captures/streams/ordinary_cutter.py",
    "captures/streams/reassembly.py",
    "captures/streams/segments.py",
)
"""Patterns of modules below the package."""

INTERPRETED: Final = (
    "*/__init__.py",
    # Values alone. What mypyc makes of dataclasses and named tuples is no faster than what Python makes of them.
    "protocol/channel/events.py",
    "protocol/channel/parameters.py",
    "protocol/mqi/events.py",
    "protocol/mqi/parameters.py",
    "protocol/mqi/spi_calls.py",
    "protocol/mqi/states.py",
    "protocol/mqi_client/events.py",
    "protocol/mqi_client/get_parameters.py",
    "protocol/mqi_client/parameters.py",
    "protocol/mqi_client/states.py",
    "protocol/observer/observations.py",
    "protocol/observer/channel/observations.py",
    "protocol/observer/channel/batch_observations.py",
    "protocol/observer/client/call_observations.py",
    "protocol/observer/client/connection_observations.py",
    "bridge/queue_manager/effects.py",
    "bridge/queue_manager/calls/agent_requests.py",
    "bridge/queue_manager/calls/outcomes.py",
    "bridge/queue_manager/calls/requests.py",
    "bridge/queue_manager/calls/xa_requests.py",
    "bridge/agents/message_channel/channel.py",
    # Its views are held by weak references, which compiled classes do not have.
    "bridge/queue_manager/getting/message_selection.py",
    # Interpreted classes have it as their base, which compiled code does not allow.
    "bridge/agents/channel_instance.py",
)
"""Patterns of modules among them that are not compiled."""


def compiled_modules(package: Path) -> list[str]:
    """Return the modules to compile as paths below the folder of the package."""
    chosen = chain.from_iterable(package.glob(pattern) for pattern in COMPILED)
    paths = {path.relative_to(package) for path in chosen}
    return sorted(path.as_posix() for path in paths if not any(path.match(pattern) for pattern in INTERPRETED))


def compiled_extensions() -> list[Extension]:
    """Translate the modules to C. Ends the program where that, or compiling the result, cannot work."""
    compiler = (sysconfig.get_config_var("CC") or "cc").split()[0]
    headers = Path(sysconfig.get_path("include"), "Python.h")
    if shutil.which(compiler) is None or not headers.exists():
        sys.exit(
            f"mqbridge: MQBRIDGE_COMPILE=1 needs a C compiler ({compiler}) and the headers of Python ({headers});"
            " in Debian these are the packages gcc, libc6-dev and python3-dev. Without it pure Python is installed."
        )
    paths = [f"{PACKAGE}/{path}" for path in compiled_modules(Path(PACKAGE))]
    options = ["--config-file=", "--ignore-missing-imports", "--disable-error-code=import-untyped"]
    level = os.environ.get("MQBRIDGE_OPTIMISATION", "2")
    extensions: list[Extension] = mypycify(
        [*options, *paths], opt_level=level, debug_level="0", multi_file=True, group_name=PACKAGE
    )
    return extensions


def forget_others(target: Path, suffix: str, modules: list[str]) -> None:
    """Take away what an earlier build has left of modules that are not compiled any more."""
    for left in target.rglob(f"*{suffix}"):
        if left.relative_to(target).as_posix().removesuffix(suffix) + ".py" not in modules:
            left.unlink()


class CompiledBuild(build_ext):
    """Compiles the C files of an extension side by side, and writes the note."""

    def build_extensions(self) -> None:
        """Compile all extensions."""
        compile_files = self.compiler.compile

        def side_by_side(sources: list[str], **options: Any) -> list[str]:
            with ThreadPoolExecutor(os.cpu_count()) as threads:
                done = threads.map(lambda source: compile_files([source], **options), sources)
                return [file for files in done for file in files]

        self.compiler.compile = side_by_side
        super().build_extensions()

    def run(self) -> None:
        """Compile, and write down what was compiled."""
        package, suffix = Path(PACKAGE), sysconfig.get_config_var("EXT_SUFFIX")
        target = package if self.inplace else Path(self.build_lib, PACKAGE)
        modules = compiled_modules(package)
        forget_others(target, suffix, modules)
        super().run()
        note = {
            "version": self.distribution.get_version(),
            "python": sys.implementation.cache_tag,
            "suffix": suffix,
            "sources": {path: (package / path).stat().st_size for path in modules},
        }
        (target / NOTE).write_text(json.dumps(note, indent=1))
