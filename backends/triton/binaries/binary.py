"""A compiled kernel, and how it lies on disk: a line of JSON, then the cubin."""
from __future__ import annotations

import json

from ....base.records import dataclass


@dataclass(frozen=True, slots=True)
class Binary:
    """`name` is the entry in the cubin; `shared` bytes of dynamic memory; `threads` per program."""

    name: str
    cubin: bytes
    shared: int
    threads: int

    def to_bytes(self) -> bytes:
        facts = {"name": self.name, "shared": self.shared, "threads": self.threads}
        return json.dumps(facts).encode() + b"\n" + self.cubin

    @staticmethod
    def from_bytes(content: bytes) -> Binary:
        facts, _, cubin = content.partition(b"\n")
        return Binary(cubin=cubin, **json.loads(facts))
