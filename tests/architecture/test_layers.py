"""The architecture as a test: imports point downwards, nothing is imported inside functions."""
import ast
import importlib
import pkgutil
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = {"dynamo_lite": ROOT / "dynamo_lite", "dynamo_lite.guards": ROOT / "guards",
            "dynamo_lite.backends": ROOT / "backends"}

# Each layer may import its own modules and those of the layers before it.
LAYERS = (
    ("config", "errors", "logs", "native", "quiet", "records", "signatures", "trees"),
    ("ir", "bytecode"),
    ("guards",),
    ("frontend", "backends"),
    ("compile",),
    ("public",),
)
FRONTEND = (
    "variables", "opcodes", "wrap", "builtins", "numpy_calls", "trace_rules", "translator", "trace",
    "apart",
    "operator_rows", "operators", "comparisons", "container_methods", "binding", "inlining",
    "frames", "calls",
    "iteration", "numpy_twins", "foresight",
    "polyfills", "iterator_twins", "operator_twins", "language_twins", "library_twins",
    "side_effects", "reconstruct", "refilling", "replay", "output", "onlookers",
    "leaving", "closures", "cached_calls", "directives", "subscripts", "flow",
)
COMPILE = (
    "compile", "explain", "stats", "control_flow", "miss", "attempts", "random_states", "regions",
    "script", "missed", "turnover", "artifacts", "warmth", "forks",
)


def modules():
    for package, folder in PACKAGES.items():
        for path in sorted(folder.rglob("*.py")):
            parts = path.relative_to(folder).with_suffix("").parts
            name = ".".join((package, *(p for p in parts if p != "__init__")))
            yield name, path


MODULES = dict(modules())


def layer(name):
    """Rank of a module in LAYERS, and the group it belongs to."""
    parts = name.split(".")
    head = parts[1] if len(parts) > 1 else "public"
    group = "frontend" if head in FRONTEND else "compile" if head in COMPILE else head
    group = "public" if head == "__main__" else group
    for rank, groups in enumerate(LAYERS):
        if group in groups:
            return rank, group
    raise AssertionError(f"{name} belongs to no layer: name its layer in LAYERS")


def imports(name, path):
    """(module, line, inside a function) for every project import that runs."""
    tree = ast.parse(path.read_text())
    typing_only = {id(sub) for node in ast.walk(tree) if isinstance(node, ast.If)
                   and "TYPE_CHECKING" in ast.unparse(node.test) for sub in ast.walk(node)}
    inside = {id(sub) for node in ast.walk(tree)
              if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
              for sub in ast.walk(node)}
    for node in ast.walk(tree):
        if id(node) in typing_only:
            continue
        for target in targets(node, name, path):
            while target and target not in MODULES:
                target = target.rpartition(".")[0]
            if target and target != name:
                yield target, node.lineno, id(node) in inside


def targets(node, name, path):
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if not isinstance(node, ast.ImportFrom):
        return []
    base = node.module or ""
    if node.level:
        package = name.split(".") if path.stem == "__init__" else name.split(".")[:-1]
        package = package[: len(package) - node.level + 1]
        base = ".".join((*package, *filter(None, [node.module])))
    return [f"{base}.{alias.name}" for alias in node.names]


EDGES = [(name, *edge) for name, path in MODULES.items() for edge in imports(name, path)]


def test_every_module_has_a_layer():
    assert all(layer(name) for name in MODULES)


def test_imports_point_downwards():
    """Within one layer, groups side by side do not know each other (the frontend and the backends
    meet in the graph level only)."""
    wrong = []
    for name, target, line, _ in EDGES:
        if target == "dynamo_lite":
            wrong.append((name, target, line))
            continue
        (above, group), (below, other) = layer(name), layer(target)
        together = {group, other} == {"frontend", "backends"}
        if below > above or together:
            wrong.append((name, target, line))
    assert wrong == []


def test_no_project_imports_inside_functions():
    """Modules that are loaded when first needed go through importlib with a name in a table."""
    assert [(name, target, line) for name, target, line, inside in EDGES if inside] == []


def test_no_import_cycles():
    graph = {name: {t for n, t, *_ in EDGES if n == name} for name in MODULES}
    done, path = set(), []

    def visit(name):
        if name in path:
            raise AssertionError("import cycle: " + " -> ".join([*path[path.index(name):], name]))
        if name in done:
            return
        path.append(name)
        for target in graph[name]:
            visit(target)
        path.pop()
        done.add(name)

    for name in graph:
        visit(name)


@pytest.mark.parametrize("name", sorted(MODULES))
def test_names_say_something(name):
    assert not {"utils", "util", "misc", "common", "helpers", "manager"} & set(name.split("."))


def test_packages_are_listed_for_the_build():
    text = (ROOT / "pyproject.toml").read_text()
    packages = {name for name, path in MODULES.items() if path.stem == "__init__"}
    assert sorted(p for p in packages if f'"{p}"' not in text) == []


def test_every_module_can_be_imported():
    import dynamo_lite.backends
    import dynamo_lite.guards

    failed = []
    for package in (dynamo_lite, dynamo_lite.guards, dynamo_lite.backends):
        for info in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
            if info.name.endswith("__main__"):
                continue
            try:
                importlib.import_module(info.name)
            except ImportError as error:
                if "triton" not in str(error) and "cupy" not in str(error):
                    failed.append((info.name, error))
    assert failed == []
