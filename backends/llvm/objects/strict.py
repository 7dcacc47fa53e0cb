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

BITS = {"float": 32, "double": 64}
NEAREST, STRICT = ', metadata !"round.tonearest"', ', metadata !"fpexcept.strict"'
CONSTRAINED = "llvm.experimental.constrained"
_FLOAT = r"(?P<t>(?:<\d+ x )?(?:float|double)>?)"
_NAME = r"  (?P<name>%\w+) = "
_TYPE = r"(?:<\d+ x )?\w+>?"
_VALUE = r"(?:splat \(\w+ [^\s()]+\)|<[^<>]+>|[^\s(),]+)"
_A, _B, _C = (f"(?P<{letter}>{_VALUE})" for letter in "abc")

RAISING: tuple[tuple[str, str], ...] = tuple(
    (_NAME + pattern, f"  {{name}} = call {call}") for pattern, call in (
        (rf"(?P<op>fadd|fsub|fmul|fdiv) {_FLOAT} {_A}, {_B}",
         f"{{t}} @{CONSTRAINED}.{{op}}.{{s}}({{t}} {{a}}, {{t}} {{b}}{NEAREST}{STRICT})"),
        (rf"fcmp (?P<op>\w+) {_FLOAT} {_A}, {_B}",
         f'{{r}} @{CONSTRAINED}.fcmp.{{s}}({{t}} {{a}}, {{t}} {{b}}, metadata !"{{op}}"{STRICT})'),
        (rf"call {_FLOAT} @llvm\.(?P<op>sqrt|rint|nearbyint)\.\w+\({_TYPE} {_A}\)",
         f"{{t}} @{CONSTRAINED}.{{op}}.{{s}}({{t}} {{a}}{NEAREST}{STRICT})"),
        (rf"call {_FLOAT} @llvm\.(?P<op>floor|ceil|trunc|round|roundeven)\.\w+\({_TYPE} {_A}\)",
         f"{{t}} @{CONSTRAINED}.{{op}}.{{s}}({{t}} {{a}}{STRICT})"),
        (rf"call {_FLOAT} @llvm\.fma\.\w+\({_TYPE} {_A}, {_TYPE} {_B}, {_TYPE} {_C}\)",
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


def strict(lines: Sequence[str], vector_bytes: int) -> list[str] | None:
    """The lines of a function on which all of LLVM's passes may run, or None where some would
    change what it reports."""
    found = [kept(line, vector_bytes) for line in lines]
    whole = [line for line in found if line is not None]
    return whole if len(whole) == len(found) else None


def kept(line: str, vector_bytes: int) -> str | None:
    """An instruction whose flags are raised where it stands, or None where there is no such: of
    vectors longer than registers LLVM may not find any."""
    if match := compiled(OPAQUE).fullmatch(line):
        return f"  {match[1]} = bitcast {match[3]} to {match[2]}"
    line = line.replace(" volatile ", " ", 1)
    if not compiled(FLOATING).search(line):
        return line
    for pattern, call in RAISING:
        if match := compiled(pattern).fullmatch(line):
            lanes, bits = shape_of(match["t"])
            if lanes * bits > 8 * vector_bytes:
                return None
            suffix = f"f{bits}" if lanes == 1 else f"v{lanes}f{bits}"
            result = "i1" if lanes == 1 else f"<{lanes} x i1>"
            return call.format(**match.groupdict(), s=suffix, r=result)
    return line if compiled(PASSED).match(line) else None


def shape_of(kind: str) -> tuple[int, int]:
    """The lanes of a type, and the bits of each."""
    *lanes, scalar = kind.strip("<>").split(" x ")
    return int(lanes[0]) if lanes else 1, BITS[scalar]
