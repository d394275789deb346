"""Write ``conformance.md``, our machines beside the real traffic of ``tests/vectors``: ``make conformance``.

Ends with status 1 where something differs that may not.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from mqbridge.captures.differential.conformance import conformance_page
from support.project.conformance_runs import encounters

PAGE = Path(__file__).with_name("conformance.md")


def main() -> int:
    """Write the page and say how each part did."""
    found = encounters()
    PAGE.write_text(conformance_page(found), encoding="utf-8")
    for one in found:
        counts = f"{one.tally.fields} fields, {len(one.tally.different)} different"
        sys.stdout.write(f"{one.traffic}: our {one.ours}: {counts}\n")
    return 1 if any(one.tally.different for one in found) else 0


if __name__ == "__main__":
    sys.exit(main())
