"""What can be compiled along with a frame, as the runtime offers it."""
from __future__ import annotations

from collections.abc import Callable, Iterable
from types import FunctionType
from typing import Any, Protocol

from ..bytecode.resume import ResumePoint


class Frames(Protocol):
    """What can be compiled along with a frame.

    The continuation of a frame is compiled as the original function, `origin`, is.
    """

    origin: FunctionType

    def resume(self, point: ResumePoint, symbolic: Iterable[Any]) -> Callable[..., Any]:
        """The function that runs the frame from a point on; these facts of its arguments (number,
        fact, axis) are symbols."""
        ...

    def continuation_in_python(self, point: ResumePoint) -> Callable[..., Any]:
        """The same, in Python."""
        ...

    def iterations_in_python(self, point: ResumePoint) -> Callable[..., Any]:
        """The same for some iterations, where the frame goes on in a `for` loop."""
        ...

    def rest_in_python(
        self, point: ResumePoint, symbolic: Iterable[Any]
    ) -> Callable[..., Any]:
        """The same for what is left of one iteration."""
        ...

    def balance(self, index: int) -> Any:
        """The account of the loop at an instruction of the original text: `pays(iterations, saves)`
        says at a side exit whether to go on in compiled form, `earned` notes them at its end."""
        ...

    def callee(self, function: FunctionType) -> Callable[..., Any]:
        """What to call instead of a function that could not be traced into."""
        ...

    def lifted(self, function: FunctionType) -> Callable[..., Any] | None:
        """The same for all closures of a code object: it takes `closure_call`'s arguments."""
        ...
