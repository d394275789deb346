"""Builds the package from setup.cfg; ``MQBRIDGE_COMPILE=1`` compiles the modules of `packaging/compiling.py` too."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from setuptools import setup

BUILDING = {"bdist_wheel", "build", "build_ext"} & set(sys.argv)
"""Other commands only ask what there is to know of the package, when mypy may not be there yet."""

if os.environ.get("MQBRIDGE_COMPILE", "0") in ("", "0") or not BUILDING:
    setup()
else:
    sys.path.insert(0, str(Path(__file__).parent / "packaging"))
    from compiling import CompiledBuild, compiled_extensions

    setup(ext_modules=compiled_extensions(), cmdclass={"build_ext": CompiledBuild})
