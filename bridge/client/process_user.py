"""The user that runs this process."""

from __future__ import annotations

import getpass


def user_of_process() -> str:
    """Name of the user that runs this process; empty if there is none."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return ""
