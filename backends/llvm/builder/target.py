"""The machine that code is generated for, known without importing llvmlite."""
from __future__ import annotations

import platform
from functools import cache

from numpy._core._multiarray_umath import (  # type: ignore[import-not-found]
    __cpu_features__ as cpu_features,
)

from ....base.config import CHECKS, config
from ....base.records import dataclass
from ....errors import BackendError


@dataclass(frozen=True, slots=True)
class Target:
    """`cpu` is an architecture level of LLVM, not a product: a cached object then runs on every
    machine of the same level, and never on a lesser one. `math` is `config.math`."""

    machine: str
    system: str
    cpu: str
    vector_bytes: int
    fma: bool
    math: str = "inline"


# machine, NumPy's names of the features that must be there, LLVM's cpu, vector bytes, fma
LEVELS: tuple[tuple[str, tuple[str, ...], str, int, bool], ...] = (
    ("x86_64", ("AVX512_SKX", "AVX2", "FMA3"), "x86-64-v4", 64, True),
    ("x86_64", ("AVX2", "FMA3", "F16C"), "x86-64-v3", 32, True),
    ("x86_64", ("SSE42",), "x86-64-v2", 16, False),
    ("aarch64", ("ASIMD",), "generic", 16, True),
)
ALIASES = {"amd64": "x86_64", "arm64": "aarch64"}


def host() -> Target:
    """This machine, at the highest level that it reaches and `config.cpu` allows."""
    return at_most(config.cpu)


@cache
def at_most(cpu: str) -> Target:
    """This machine, taken to be of the level `cpu`; of its own where that is empty."""
    machine = platform.machine().lower()
    machine = ALIASES.get(machine, machine)
    reached = [
        Target(machine, platform.system(), name, width, fma)
        for of, features, name, width, fma in LEVELS
        if of == machine and all(cpu_features.get(feature) for feature in features)
    ] or [Target(machine, platform.system(), "generic", 16, False)]
    if (found := next((t for t in reached if cpu in ("", t.cpu)), None)) is None:
        known = ", ".join(target.cpu for target in reached)
        raise BackendError(f"config.cpu is {cpu!r}, and this machine has the levels {known}")
    return found


def check_level(cpu: str) -> None:
    """BackendError for a level that this machine does not have."""
    at_most(cpu)


CHECKS["cpu"] = check_level
