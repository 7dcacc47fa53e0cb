"""Floating-point instructions as LLVM's constrained intrinsics, which raise their flags as written.

LLVM's passes take it that nobody reads the floating-point flags: they compute earlier what a branch
leads to, fold what is known, and drop what nothing reads. The constrained forms are left where they
are, so that all passes may run on what is around them, and nothing has to be hidden from LLVM. What
cannot raise a flag that NumPy reports (moves, signs, integers made floats) stays as it is.
"""
from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

BITS = {"float": "f32", "double": "f64"}
NEAREST, STRICT = ', metadata !"round.tonearest"', ', metadata !"fpexcept.strict"'
CONSTRAINED = "llvm.experimental.constrained"
_FLOAT = r"(?P<t>float|double)"
_NAME = r"  (?P<name>%\w+) = "

RAISING: tuple[tuple[str, str], ...] = tuple(
    (_NAME + pattern, f"  {{name}} = call {call}") for pattern, call in (
        (rf"(?P<op>fadd|fsub|fmul|fdiv) {_FLOAT} (?P<a>\S+), (?P<b>\S+)",
         f"{{t}} @{CONSTRAINED}.{{op}}.{{s}}({{t}} {{a}}, {{t}} {{b}}{NEAREST}{STRICT})"),
        (rf"fcmp (?P<op>\w+) {_FLOAT} (?P<a>\S+), (?P<b>\S+)",
         f'i1 @{CONSTRAINED}.fcmp.{{s}}({{t}} {{a}}, {{t}} {{b}}, metadata !"{{op}}"{STRICT})'),
        (rf"call {_FLOAT} @llvm\.(?P<op>sqrt|rint|nearbyint)\.f\d+\(\w+ (?P<a>\S+)\)",
         f"{{t}} @{CONSTRAINED}.{{op}}.{{s}}({{t}} {{a}}{NEAREST}{STRICT})"),
        (rf"call {_FLOAT} @llvm\.(?P<op>floor|ceil|trunc|round|roundeven)\.f\d+\(\w+ (?P<a>\S+)\)",
         f"{{t}} @{CONSTRAINED}.{{op}}.{{s}}({{t}} {{a}}{STRICT})"),
        (rf"call {_FLOAT} @llvm\.fma\.f\d+\(\w+ (?P<a>\S+), \w+ (?P<b>\S+), \w+ (?P<c>\S+)\)",
         f"{{t}} @{CONSTRAINED}.fma.{{s}}({{t}} {{a}}, {{t}} {{b}}, {{t}} {{c}}{NEAREST}{STRICT})"),
        (r"fptrunc (?P<t>double) (?P<a>\S+) to float",
         f"float @{CONSTRAINED}.fptrunc.f32.f64(double {{a}}{NEAREST}{STRICT})"),
        (r"fpext (?P<t>float) (?P<a>\S+) to double",
         f"double @{CONSTRAINED}.fpext.f64.f32(float {{a}}{STRICT})"),
    )
)  # fmt: skip
"""What an instruction looks like, and what it becomes."""

PASSED = (
    r"  (%\w+ = )?(store |load |phi |select |bitcast |getelementptr |alloca |fneg |insertelement |"
    r"extractelement |shufflevector |insertvalue |extractvalue |call \w+ (%|asm )|"
    r"[su]itofp \w+ \S+ to (float|double)$|"
    r"call [^@]*@((?!llvm\.)|(llvm\.fabs|llvm\.copysign|llvm\.x86|" + CONSTRAINED + r")\.))"
)
"""Instructions on floats that raise nothing, or cannot be moved."""
FLOATING = r"\b(float|double|half|bfloat|x86_fp80|fp128|ppc_fp128)\b"
OPAQUE = r'  (%\w+) = call (\w+) asm "", "=[rx],0"\((.*)\) memory\(none\)'

compiled = cache(re.compile)
"""Patterns are compiled for the first program that they are applied to."""


def strict(lines: Sequence[str]) -> list[str] | None:
    """The lines of a function on which all of LLVM's passes may run, or None where some would
    change what it reports."""
    found = [kept(line) for line in lines]
    whole = [line for line in found if line is not None]
    return whole if len(whole) == len(found) else None


def kept(line: str) -> str | None:
    """An instruction whose flags are raised where it stands, or None where there is no such."""
    if match := compiled(OPAQUE).fullmatch(line):
        return f"  {match[1]} = bitcast {match[3]} to {match[2]}"
    line = line.replace(" volatile ", " ", 1)
    if not compiled(FLOATING).search(line):
        return line
    for pattern, call in RAISING:
        if match := compiled(pattern).fullmatch(line):
            return call.format(**match.groupdict(), s=BITS[match["t"]])
    return line if compiled(PASSED).match(line) else None
