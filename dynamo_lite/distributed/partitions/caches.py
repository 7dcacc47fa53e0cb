"""How large the caches of the processor are."""
from __future__ import annotations

from functools import cache
from pathlib import Path

CACHES = Path("/sys/devices/system/cpu/cpu0/cache")
UNKNOWN, OWN = 32 << 20, 1 << 20
"""Bytes of the last cache, and of one that a core has for itself, where the system does not say."""
UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def last_cache() -> int:
    """Bytes of the largest cache of the processor."""
    return max(sizes().values(), default=UNKNOWN)


def core_cache() -> int:
    """Bytes of the second cache, which each core has for itself."""
    return sizes().get("2", OWN)


@cache
def sizes() -> dict[str, int]:
    """Bytes of the largest cache of each level, as far as the system says."""
    found: dict[str, int] = {}
    for file in CACHES.glob("index*/size"):
        level, size = (each.read_text().strip() for each in (file.with_name("level"), file))
        if size[-1:] in UNITS:
            found[level] = max(found.get(level, 0), int(size[:-1]) * UNITS[size[-1]])
    return found
