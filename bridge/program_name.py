"""The name of the ``mqbridge`` command, for commands shown to the user."""

from __future__ import annotations

import os
import shlex
import shutil
import sys


def program() -> str:
    """Return ``mqbridge`` if it is on the path, else the path of the running program."""
    if shutil.which("mqbridge"):
        return "mqbridge"
    called = sys.argv[0]
    return f"{sys.executable} -m mqbridge" if called.endswith(".py") else shlex.quote(os.path.relpath(called))
