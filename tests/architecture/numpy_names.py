"""What of NumPy an expression of a file names, whatever the file calls it."""
import ast
import importlib
import types

import numpy as np

from tests.architecture.test_layers import statements

DISPLAYS = (ast.Tuple, ast.List, ast.Set, ast.Dict, ast.Compare, ast.MatchValue)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


class Names:
    """What a file's names mean: those that it imports, and its own names of modules."""

    def __init__(self, tree):
        self.known = {}
        for node, *_ in statements(tree):
            if isinstance(node, ast.Import | ast.ImportFrom):
                self.known |= imported(node)
        for node, *_ in statements(tree) if self.known else ():
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                if isinstance(module := self.named(node.value), types.ModuleType):
                    self.known[node.targets[0].id] = module

    def named(self, node):
        """What of NumPy it is: `np.x`, `getattr(np, "x")`, or a name that was imported."""
        if isinstance(node, ast.Name):
            return self.known.get(node.id)
        owner, name = part(node)
        found = self.named(owner) if isinstance(name, str) else None
        return None if found is None else getattr(found, name, None)

    def is_callable(self, node):
        """Whether it is a function or ufunc of NumPy's: no type, constant or module."""
        found = self.named(node)
        return callable(found) and not isinstance(found, type) and found is not np.typing.DTypeLike

    def is_computed(self, node):
        """Whether it asks NumPy, or a module of its, for what has a name that only a run knows."""
        owner, name = part(node)
        return name is not None and not isinstance(name, str) and isinstance(
            self.named(owner), types.ModuleType)

    def facts(self, node, counts=True, inside=False):
        """The callables in a tree that are not just called; `counts`: whether those at its root
        are facts, `inside`: whether it is part of a function, where arguments of calls are none."""
        if self.named(node) is not None:
            if counts and self.is_callable(node):
                yield ast.unparse(node)
            return
        if isinstance(node, FUNCTIONS):
            for one in getattr(node, "decorator_list", ()):
                yield from self.facts(one)
            for one in node.body if isinstance(node.body, list) else [node.body]:
                yield from self.facts(one, False, True)
            return
        if isinstance(node, ast.AnnAssign):
            yield from self.facts(node.value, counts, inside) if node.value is not None else ()
            return
        if isinstance(node, ast.Call) and self.is_no_fact(node):
            return
        counts = isinstance(node, DISPLAYS) or (
            counts and not (inside and isinstance(node, ast.Call)))
        for one in ast.iter_child_nodes(node):
            yield from self.facts(one, counts, inside)

    def is_no_fact(self, call):
        """A call of one of NumPy's functions, and the type that they have."""
        is_type = isinstance(call.func, ast.Name) and call.func.id == "type"
        return is_type or self.is_callable(call.func)


def texts(node, counts=False):
    """The texts in a tree that tell something apart: keys of tables, what is in a tuple, list or
    set, or in a list of words, and what is compared."""
    if isinstance(node, ast.Constant):
        if counts and isinstance(node.value, str):
            yield node.value
        return
    if isinstance(node, ast.Attribute) and node.attr == "split" and (
        isinstance(node.value, ast.Constant)
    ):
        yield from node.value.value.split()
        return
    values = node.values if isinstance(node, ast.Dict) else ()
    for one in ast.iter_child_nodes(node):
        yield from texts(one, isinstance(node, DISPLAYS) and one not in values)


def imported(node):
    """Name → what of NumPy a statement imports under it."""
    if isinstance(node, ast.Import):
        return {alias.asname or "numpy": importlib.import_module(alias.name) if alias.asname else np
                for alias in node.names if alias.name.partition(".")[0] == "numpy"}
    if (node.module or "").partition(".")[0] != "numpy" or node.level:
        return {}
    module = importlib.import_module(node.module)
    return {alias.asname or alias.name: getattr(module, alias.name) for alias in node.names}


def part(node):
    """What `x.name` and `getattr(x, name)` are part of, and the name, or its expression."""
    if isinstance(node, ast.Attribute):
        return node.value, node.attr
    is_getattr = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and (
        node.func.id == "getattr" and len(node.args) > 1)
    if not is_getattr:
        return None, None
    owner, name = node.args[:2]
    return owner, name.value if isinstance(name, ast.Constant) else name
