"""Functions that are the tests: each is called in Python and compiled, as one graph if it can."""
import copy

import dynamo_lite as dl
from dynamo_lite.base.config import config
from dynamo_lite.tracer.frame.speculation import translate
from dynamo_lite.tracer.state.trace import Returned

from ..oracle import differences, outcome_of_copy


def check(function, *args, captured=True, calls=2):
    """Compiled equals plain Python, in every call; `captured`: as one graph without a break."""
    with config.patch(strict=True):
        compiled = dl.compile(function, backend="eager")
        for _ in range(calls):
            expected = outcome_of_copy(function, args)
            problems = differences(outcome_of_copy(compiled, args), expected)
            assert not problems, problems
    if captured:
        trace = translate(function, flat(function, copy.deepcopy(args)))
        assert isinstance(trace.end, Returned), f"{trace.end.reason} at {trace.end.location}"
        return trace
    return None


def flat(function, args):
    """Flat arguments as the compiled callable passes them (defaults filled in)."""
    code = function.__code__
    count = code.co_argcount
    values = list(args[:count])
    defaults = function.__defaults__ or ()
    values += defaults[len(defaults) - (count - len(values)) :] if len(values) < count else ()
    values += [(function.__kwdefaults__ or {})[n] for n in code.co_varnames[count : count + code.co_kwonlyargcount]]
    if code.co_flags & 4:
        values.append(tuple(args[count:]))
    if code.co_flags & 8:
        values.append({})
    return values


def case(*args, captured=True):
    """Make the decorated function the test: it is called with `args`, compiled and not."""

    def make_test(function):
        def test():
            check(function, *args, captured=captured)

        test.__doc__ = function.__doc__
        return test

    return make_test
