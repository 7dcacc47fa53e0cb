"""Write the reference of what the package offers: `python docs/reference.py`.

Everything is read from the package itself: signatures, docstrings, settings with their defaults.
"""
from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from dataclasses import fields
from itertools import pairwise
from pathlib import Path
from typing import Any

import dynamo_lite as dl
from dynamo_lite.base import config as settings
from dynamo_lite.errors import DynamoError, NotWarm, OutOfTime, Unsupported

PAGE = Path(__file__).with_name("reference.md")
INTERNAL = (NotWarm, OutOfTime, Unsupported)
"""What never leaves a call."""
HEAD = """# Reference

Written by `python docs/reference.py` from the package's own docstrings.

"""


def page() -> str:
    parts = [HEAD, *map(entry, sorted(dl.__all__)), "## Settings\n\n", SETTINGS, *rows(), "\n",
             "## Errors\n\n", *errors()]
    return "".join(parts)


SETTINGS = """`dl.config.name = value` changes one, `with dl.config.patch(name=value):` for a while,
and `DYNAMO_NAME=value` in the environment from the start.

| setting | default | |
|---|---|---|
"""


def entry(name: str) -> str:
    value = getattr(dl, name)
    if name == "config":
        return "## `config`\n\nThe settings, below.\n\n"
    return f"## `{name}`\n\n`{name}{signature(value)}`\n\n{text_of(value)}\n\n"


def signature(value: Any) -> str:
    """Without types, which are for editors."""
    found = inspect.signature(value)
    bare = [one.replace(annotation=inspect.Parameter.empty) for one in found.parameters.values()]
    return str(found.replace(parameters=bare, return_annotation=inspect.Signature.empty))


def text_of(value: Any) -> str:
    return inspect.getdoc(value) or ""


def rows() -> Iterator[str]:
    texts = documented()
    for field in fields(settings.Config):
        default = f"`{field.default!r}`"
        yield f"| `{field.name}` | {default} | {texts[field.name]} |\n"


def documented() -> dict[str, str]:
    """What stands below each field of the settings."""
    tree = ast.parse(Path(settings.__file__).read_text())
    body = next(node.body for node in tree.body
                if isinstance(node, ast.ClassDef) and node.name == "Config")
    return {ast.unparse(field.target): re.sub(r"\s+", " ", text.value.value)
            for field, text in pairwise(body)
            if isinstance(field, ast.AnnAssign) and isinstance(text, ast.Expr)}


def errors() -> Iterator[str]:
    for name, value in vars(dl.errors).items():
        if isinstance(value, type) and issubclass(value, (DynamoError, Warning)) and (
            not issubclass(value, INTERNAL)
        ):
            text = re.sub(r"\s+", " ", inspect.getdoc(value) or "")
            yield f"- `dl.errors.{name}`: {text}\n"


if __name__ == "__main__":
    PAGE.write_text(page())
