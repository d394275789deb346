"""Bytecode of the archive of a device, kept in a file beside it, as Python keeps that of modules in ``__pycache__``.

Python compiles what it imports from an archive anew at each start, which takes longer than all else before a put. The
file is an archive too, ``mqe.pyz.cpython-311-SIZE``, of bytecode alone. It counts while the archive has that size and
the same time of change, and where nobody but its user and root can write to it.
"""

from __future__ import annotations

import os
import sys

_NEAR = 2.0
"""Seconds to which file systems keep times."""
_UNCHECKED = b"\1\0\0\0"
"""Flags of bytecode that is not compared with its source."""


def use(archive: str) -> bool:
    """Have modules loaded from the file; whether it is one that counts."""
    try:
        own = os.stat(archive)
        kept = os.stat(_place(archive, own))
    except OSError:
        return False
    if abs(own.st_mtime - kept.st_mtime) > _NEAR or not _trusted(kept):
        return False
    sys.path.insert(0, _place(archive, own))
    return True


def keep(archive: str) -> None:
    """Write the file, unless bytecode is not to be written, or cannot be."""
    if sys.dont_write_bytecode:
        return
    part = f"{archive}.{os.getpid()}.part"
    try:
        own = os.stat(archive)
        place = _place(archive, own)
        try:
            _write(archive, part)
            os.utime(part, ns=(own.st_atime_ns, own.st_mtime_ns))
            os.replace(part, place)
        except BaseException:
            os.unlink(part)
            raise
        _forget_older(archive, place)
    except OSError:
        return


def _place(archive: str, own: os.stat_result) -> str:
    return f"{archive}.{sys.implementation.cache_tag}-{own.st_size}"


def _trusted(kept: os.stat_result) -> bool:
    if not hasattr(os, "geteuid"):
        return True
    return kept.st_uid in (0, os.geteuid()) and not kept.st_mode & 0o022


def _write(archive: str, target: str) -> None:
    import marshal
    import zipfile
    from importlib.util import MAGIC_NUMBER

    descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
    with os.fdopen(descriptor, "wb") as file, zipfile.ZipFile(archive) as sources, zipfile.ZipFile(file, "w") as kept:
        for name in sources.namelist():
            code = compile(sources.read(name), os.path.join(archive, name), "exec", dont_inherit=True)
            kept.writestr(f"{name}c", MAGIC_NUMBER + _UNCHECKED + bytes(8) + marshal.dumps(code))


def _forget_older(archive: str, place: str) -> None:
    """Remove the files of other archives that had the same name, for this version of Python."""
    folder, name = os.path.split(f"{archive}.{sys.implementation.cache_tag}-")
    for each in os.listdir(folder or "."):
        other = os.path.join(folder, each)
        if each.startswith(name) and other != place:
            os.unlink(other)
