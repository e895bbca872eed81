"""What is true of every page of a report, and what it holds."""

from __future__ import annotations

import json
import re
from typing import Any


def own_part(page: str) -> str:
    """Return a page without plotly's own script."""
    start = page.index("/**\n* plotly.js")
    return page[:start] + page[page.index("</script>", start) :]


def data_of(page: str) -> dict[str, Any]:
    """Return the data that its script draws and lists."""
    (found,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    return dict(json.loads(found))


def asks_nothing_of_the_network(page: str) -> None:
    """Assert that a page holds all it needs."""
    own = own_part(page)
    assert page.count("* plotly.js v") == 1
    assert not re.search(r"https?:", own)
    assert not re.search(r"@import|url\(|<link(?! rel=\"icon\" href=\"data:,\">)|<iframe|<img|srcset", own)
    targets = re.findall(r"(?:src|href)=\"([^\"]*)\"", own)
    assert targets
    assert all(target.startswith("#") or target == "data:," for target in targets)
    assert "default-src 'none'" in own
