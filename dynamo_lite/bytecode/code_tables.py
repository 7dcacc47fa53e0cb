"""Exception tables and tables of lines and columns, as code objects have them."""
from __future__ import annotations

import dis
from collections.abc import Iterator, Sequence


def encode_exception_table(rows: Sequence[tuple[int, int, int, int, bool]]) -> bytes:
    """The inverse of `reading.exception_table`; rows are sorted by start and do not overlap."""
    table = bytearray()
    for start, end, target, depth, lasti in rows:
        entry = bytearray(_table_number(start // 2))
        entry[0] |= 128
        for number in ((end - start) // 2, target // 2, depth << 1 | lasti):
            entry += _table_number(number)
        table += entry
    return bytes(table)


def _table_number(value: int) -> bytes:
    """Six bits to a byte, most significant first, bit 6 set on all but the last."""
    digits = [value & 63]
    while value := value >> 6:
        digits.insert(0, value & 63 | 64)
    return bytes(digits)


def line_table(
    marks: Sequence[tuple[int, dis.Positions | None]], end: int, first_line: int
) -> bytes:
    """Location entries for `end` bytes; a mark holds until the next one.

    What belongs to no place of the source is in the function's first line: an interrupt may come
    anywhere, and readers of tracebacks count on a number.
    """
    if marks and all(where is None or where.lineno is None for _, where in marks):
        return _no_line(end // 2)  # nor does the source have any
    table, line = bytearray(), first_line
    bounds = [at for at, _ in marks] + [end]
    places = [None, *(where for _, where in marks)]
    for start, where, stop in zip([0, *bounds], places, bounds):
        if where is None or where.lineno is None:
            where = dis.Positions(first_line, None, None, None)
        for units in _runs((stop - start) // 2):
            assert where.lineno is not None
            table += _located(units, where, where.lineno - line)
            line = where.lineno
    return bytes(table)


def _runs(units: int) -> Iterator[int]:
    """An entry covers at most 8 code units."""
    while units > 0:
        yield min(units, 8)
        units -= 8


def _no_line(units: int) -> bytes:
    return bytes(0x80 | 15 << 3 | run - 1 for run in _runs(units))


def _located(units: int, where: dis.Positions, delta: int) -> bytes:
    """The long form when columns are known, else the form without columns (PEP 657)."""
    line, end_line, column, end_column = where
    signed = delta << 1 if delta >= 0 else -delta << 1 | 1
    if line is None or end_line is None or column is None or end_column is None:
        return bytes((0x80 | 13 << 3 | units - 1,)) + _line_number(signed)
    numbers = (signed, end_line - line, column + 1, end_column + 1)
    return bytes((0x80 | 14 << 3 | units - 1,)) + b"".join(map(_line_number, numbers))


def _line_number(value: int) -> bytes:
    """Six bits to a byte, least significant first."""
    digits = bytearray()
    while value > 63:
        digits.append(value & 63 | 64)
        value >>= 6
    return bytes((*digits, value))
