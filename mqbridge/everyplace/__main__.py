"""``python -m mqbridge.everyplace`` and ``python3 mqe.pyz``: the program of a device."""

from __future__ import annotations

import sys

from mqbridge.bridge.everyplace.device.program.main import main

if __name__ == "__main__":
    sys.exit(main())
