"""How the ``mqbridge`` command is called from here, for commands that are shown to be typed."""

from __future__ import annotations

import os
import shlex
import shutil
import sys


def program() -> str:
    """``mqbridge`` where that is found, else the path of the program that runs."""
    if shutil.which("mqbridge"):
        return "mqbridge"
    called = sys.argv[0]
    return f"{sys.executable} -m mqbridge" if called.endswith(".py") else shlex.quote(os.path.relpath(called))
