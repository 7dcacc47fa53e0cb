"""How large the caches of the processor are."""
from __future__ import annotations

from functools import cache
from pathlib import Path

CACHES = Path("/sys/devices/system/cpu/cpu0/cache")
UNKNOWN, OWN = 32 << 20, 1 << 20
"""Bytes of the last cache, and of one that a core has for itself, where the system does not say."""
UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


@cache
def last_cache() -> int:
    """Bytes of the largest cache of the processor."""
    sizes = [file.read_text().strip() for file in CACHES.glob("index*/size")]
    return max((int(size[:-1]) * UNITS[size[-1]] for size in sizes if size[-1:] in UNITS),
               default=UNKNOWN)


@cache
def core_cache() -> int:
    """Bytes of the second cache, which each core has for itself."""
    return next((int(size[:-1]) * UNITS[size[-1]] for level in CACHES.glob("index*/level")
                 if level.read_text().strip() == "2"
                 and (size := level.with_name("size").read_text().strip())[-1:] in UNITS), OWN)
