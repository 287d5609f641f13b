"""What must be right by its types, and what must not: a test lets mypy look at it."""

from decimal import Decimal
from typing import Optional, Union

import stele

with stele.open("https://data.example.org", redirects=True) as release:
    for found in release.records(stele.SIGNAL):
        signal: stele.Signal = found.record
        standing: Optional[stele.Standing] = found.standing
        print(signal["title"].upper(), standing)
        signal["titel"]  # type: ignore[typeddict-item]
    value: Union[int, Decimal] = release.get(stele.HEALTHCARE_STATISTIC, "sta-1").record["value"]
    print(release.get("a_new_kind", "new-1").record["anything"])
    for change in release.changes(stele.ENTITY, release.id, lost=True):
        change.record["name"]  # type: ignore[index]
        print(change.record["name"] if change.record else "gone")
