"""What must be installed for the demo of links; as a program it says in one sentence what is missing, status 2."""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
from importlib.util import find_spec
from pathlib import Path

from maven import NotAvailable, require_java

ENGINE = "proton"
PACKAGES = "Debian: apt-get install default-jdk-headless maven gcc libc6-dev python3-dev"


def missing(*, with_engine: bool = False) -> str:
    """One sentence; blank if nothing is missing. ``with_engine``: the AMQP engine too, which `make` installs."""
    try:
        require_java()
    except NotAvailable as reason:
        return f"make demo-jms needs a Java 17 development kit and Maven, but {reason} ({PACKAGES})."
    if find_spec(ENGINE) is not None:
        return ""
    if with_engine:
        return (
            "The AMQP engine python-qpid-proton is not installed: pip install --editable '.[amqp]', or make demo-jms."
        )
    compiler = os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc"
    if shutil.which(compiler.split()[0]) is None:
        return (
            f"make demo-jms needs a C compiler for the AMQP engine, but there is no {compiler.split()[0]} ({PACKAGES})."
        )
    if not (Path(sysconfig.get_path("include")) / "Python.h").exists():
        return f"make demo-jms needs the headers of Python for the AMQP engine ({PACKAGES})."
    return ""


if __name__ == "__main__":
    if what := missing():
        print(what, file=sys.stderr)
        sys.exit(2)
