"""The architecture as a test: imports point downwards, nothing is imported inside functions."""
import ast
import functools
import importlib
import pkgutil
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = {"dynamo_lite": ROOT / "dynamo_lite", "dynamo_lite.guards": ROOT / "guards",
            "dynamo_lite.backends": ROOT / "backends"}

# From the bottom up: a folder imports from itself and from those above it in this list, imports for
# types included. Frontend and backends do not know each other.
FOLDERS = """
errors native base bytecode ir ir.rules ir.definitions ir.ops ir.derivatives ir.passes
guards guards.shapes guards.programs
backends.loop_ir backends backends.passes
backends.lowering.state backends.lowering.arithmetic backends.lowering.scalars
backends.lowering.calls backends.lowering.indexing backends.lowering.writes
backends.lowering.control_flow backends.lowering
backends.llvm.builder backends.llvm.maths backends.llvm.objects backends.llvm.kernels
backends.llvm.entry backends.llvm
backends.triton.kernels backends.triton.binaries backends.triton.devices backends.triton.plans
backends.triton
tracer tracer.rules api tracer.state tracer.polyfills tracer.object_model
tracer.trackers tracer.trackers.containers tracer.trackers.objects tracer.recording
tracer.trackers.arrays tracer.trackers.array_backed
tracer.numpy tracer.python tracer.control_flow tracer.builtins tracer.calls tracer.opcodes
tracer.frame codegen stored tiering runtime derivatives
distributed.partitions distributed.rules distributed.tasks distributed
reports script notebook testing
""".split()
APART = ({"guards", "tracer", "codegen"}, {"backends"})
LARGEST_KNOT = 6
"""Files that know each other, where imports for types are counted."""


def modules():
    for package, folder in PACKAGES.items():
        for path in sorted(folder.rglob("*.py")):
            parts = path.relative_to(folder).with_suffix("").parts
            name = ".".join((package, *(p for p in parts if p != "__init__")))
            yield name, path


MODULES = dict(modules())


def folder(name):
    """The folder of a module, as in FOLDERS; that of the top package's own modules is "", but
    everything stands on the errors, which are public."""
    if name == "dynamo_lite.errors":
        return "errors"
    package = name if MODULES[name].stem == "__init__" else name.rpartition(".")[0]
    return package.removeprefix("dynamo_lite").removeprefix(".")


def imports(name, path):
    """(module, line, inside a function, for types alone) for every project import."""
    for node, inside, for_types in statements(parsed(path)):
        for target in targets(node, name, path):
            while target and target not in MODULES:
                target = target.rpartition(".")[0]
            if target and target != name:
                yield target, node.lineno, inside, for_types


@functools.cache
def parsed(path):
    return ast.parse(path.read_text())


def statements(block, inside=False, for_types=False):
    """(statement, inside a function, for types alone), for all statements within a block."""
    for node in parts(block):
        yield node, inside, for_types
        is_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        names_types = isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        yield from statements(node, inside or is_function, for_types or names_types)


def parts(block):
    for field in ("body", "handlers", "orelse", "finalbody", "cases"):
        yield from getattr(block, field, ())


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


@functools.cache
def edges():
    return [(name, *edge) for name, path in MODULES.items() for edge in imports(name, path)]


def test_every_folder_has_its_place():
    assert sorted({folder(name) for name in MODULES} - {""}) == sorted(FOLDERS)


def test_imports_point_downwards_between_folders():
    wrong = []
    for name, target, line, *_ in edges():
        above, below = folder(name), folder(target)
        if above not in ("", below) and below not in FOLDERS[: FOLDERS.index(above)]:
            wrong.append((name, target, line))
    assert wrong == []


def test_frontend_and_backends_meet_in_the_graph_alone():
    first, second = APART
    heads = [(name, target, {folder(name).split(".")[0]}, {folder(target).split(".")[0]})
             for name, target, *_ in edges()]
    assert [(name, target) for name, target, above, below in heads
            if (above <= first and below <= second) or (above <= second and below <= first)] == []


def test_few_modules_lie_loose():
    assert [name for name in MODULES if folder(name) == ""] == [
        "dynamo_lite", "dynamo_lite.__main__"]


def test_no_project_imports_inside_functions():
    """Modules that are loaded when first needed go through importlib with a name in a table."""
    assert [edge for edge in edges() if edge[3]] == []


def test_no_import_cycles():
    assert knots(graph(edge for edge in edges() if not edge[4])) == []


def test_knots_of_files_are_small():
    """Files that know each other's types are read together."""
    found = knots(graph(edges()))
    assert [knot for knot in found if len(knot) > LARGEST_KNOT] == []
    assert [knot for knot in found if len({folder(name) for name in knot}) > 1] == []


def graph(some):
    """Module → the modules that it imports."""
    made = {name: set() for name in MODULES}
    for name, target, *_ in some:
        made[name].add(target)
    return made


def knots(graph):
    """The strongly connected components of more than one module."""
    def reached(name):
        seen, todo = set(), [name]
        while todo:
            new = graph[todo.pop()] - seen
            seen |= new
            todo += new
        return seen

    reach = {name: reached(name) for name in graph}
    cyclic = [name for name in graph if name in reach[name]]
    return sorted({tuple(n for n in cyclic if n in reach[name] and name in reach[n])
                   for name in cyclic})


def test_names_say_something():
    empty = {"utils", "util", "misc", "common", "helpers", "manager"}
    assert [name for name in MODULES if empty & set(name.split("."))] == []


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
                if not any(name in str(error) for name in ("triton", "cupy", "dask")):
                    failed.append((info.name, error))
    assert failed == []
