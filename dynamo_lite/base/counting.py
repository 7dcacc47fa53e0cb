"""Numbers of things in sentences."""


def counted(number: int, thing: str, things: str = "") -> str:
    """`1 graph`, `2 graphs`; `things` are many of what more than an s tells from one."""
    return f"{number} {thing if number == 1 else things or thing + 's'}"
