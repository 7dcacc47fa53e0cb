"""Calls of extern functions from generated code, which knows flat positional arguments only."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Hole:
    """Where a run-time argument goes: the class itself stands in a pytree of arguments."""


class FlatCall:
    """A call of `target` with its pytree of arguments rebuilt from flat values."""

    __slots__ = ("args", "kwargs", "target")

    def __init__(
        self, target: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> None:
        self.target, self.args, self.kwargs = target, args, kwargs

    def function(self) -> Callable[..., Any]:
        """The call as a function of the flat values, with containers made anew each time."""
        writer = Writer()
        args = [writer.text(arg) for arg in self.args]
        args += [f"{name}={writer.text(arg)}" for name, arg in self.kwargs.items()]
        source = f"lambda {', '.join(writer.values)}: target({', '.join(args)})"
        scope = {"__name__": __name__, "target": self.target, **writer.constants}
        made: Callable[..., Any] = eval(source, scope)
        return made


class Writer:
    """Writes pytrees as expressions of the flat values, left to right, and of constants."""

    def __init__(self) -> None:
        self.values: list[str] = []
        self.constants: dict[str, Any] = {}

    def text(self, tree: Any) -> str:
        if tree is Hole:
            self.values.append(f"value{len(self.values)}")
            return self.values[-1]
        if isinstance(tree, slice):
            return f"slice({', '.join(map(self.text, (tree.start, tree.stop, tree.step)))})"
        if isinstance(tree, dict):
            return f"{{{', '.join(f'{key!r}: {self.text(item)}' for key, item in tree.items())}}}"
        if isinstance(tree, (tuple, list)):
            items = "".join(f"{self.text(item)}, " for item in tree)
            if isinstance(tree, list):
                return f"[{items}]"
            return f"{self.constant(type(tree))}({items})" if hasattr(tree, "_fields") else (
                f"({items})"
            )
        return self.constant(tree)

    def constant(self, value: Any) -> str:
        name = f"constant{len(self.constants)}"
        self.constants[name] = value
        return name
