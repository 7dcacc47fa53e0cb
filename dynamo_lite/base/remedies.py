"""What a user can do about what compiled code costs: one row for each kind of reason.

Graph breaks, failed guards and calls that bailed out say their reason in words; the first row whose
pattern is found in it has the remedy. Each row has a section in docs/troubleshooting.md.
"""
from __future__ import annotations

import re
import sys
from functools import lru_cache

from .records import dataclass

NEVER = "(?!)"
"""A pattern that nothing has."""
NUMBERS = r"float\d*|u?int\d*|complex\d*|bool"
STDLIB = rf"^({'|'.join(map(re.escape, sorted(sys.stdlib_module_names)))})\."
"""The names of the standard library's functions."""


@dataclass(frozen=True, slots=True)
class Remedy:
    """`id` is the anchor of its section, `pattern` is searched for in reasons, `advice` is what to
    do. `guards` are the kinds of guards whose failures it is about, `fact` what the reasons of
    these have. `is_for_text` is advice about the text of the program, of no use where that is a
    library's. `called` is searched for in the name of what a library is called by: all that happens
    inside has this remedy."""

    id: str
    pattern: str
    advice: str
    guards: tuple[str, ...] = ()
    fact: str = ""
    is_for_text: bool = False
    called: str = NEVER

    @property
    def page(self) -> str:
        return f"docs/troubleshooting.md#{self.id}"

    def __str__(self) -> str:
        return f"{self.advice} ({self.page})"

    def __repr__(self) -> str:
        return f"<Remedy {self.id}>"


OUTSIDE = "call it before or after the compiled function, and pass or return what it needs"
CONSTANT = "where it gives the same each time, mark a function around it with " \
           "dl.assume_constant_result"
PLAIN = "pass np.asarray(x), a plain array"
ARRAYS = "TENSOR_MATCH_STATIC", "TENSOR_MATCH_DYNAMIC"

HANDLED = " is raised"
"""How reasons end where the text itself raises: a library does so where it handles it, too."""

REMEDIES: tuple[Remedy, ...] = (
    # -- guards that fail: another variant is compiled
    Remedy("sizes", NEVER, "mark the size with dl.mark_dynamic, which names the line that needs it "
           "fixed, or compile with dynamic=True; compute with a size, x * (2 + n % 2), instead of "
           "branching on it", ("size",)),
    Remedy("types", NEVER, "pass arguments of one type", ("TYPE",)),
    Remedy("identity", NEVER, "pass the same object each time instead of a new one; define "
           "functions and classes once, not in each call; pass what changes as an argument",
           ("IS", "UNCHANGED", "SAME")),
    Remedy("values", "which keeps? changing|a number that may change",
           "pass what varies as a number or an array, or make one function for each value",
           ("EQUALS", "OUTCOME", "value")),
    Remedy("lengths", "length keeps changing", "pass containers of one length, or one "
           "array", ("LENGTH",)),
    Remedy("mapping-keys", NEVER, "pass mappings with the same keys",
           ("KEYS", "HAS_KEY", "NO_KEY")),
    Remedy("dtypes", NEVER, "convert to one dtype before the call: x.astype(float)", ARRAYS,
           "dtype"),
    Remedy("layouts", NEVER, "pass arrays of one memory order: np.ascontiguousarray(x) of "
           "transposed arrays and of slices with steps", ARRAYS, "strides|order|contiguous"),
    Remedy("dimensions", NEVER, "pass arrays with one number of dimensions: np.atleast_2d(x), "
           "x.reshape(-1, n), or a function for each", ARRAYS, "ndim"),
    Remedy("broadcasting", NEVER, "a size of 1 has a variant of its own, as NumPy repeats what it "
           "has; there is one more for all other sizes, with dynamic=True. Leave the axis out, or "
           "see to calls of one item before the compiled function", ARRAYS,
           r"shape\[\d+\] (1,|\d+, was 1 when)"),
    Remedy("shapes", NEVER, "mark the size that varies with dl.mark_dynamic before the first call, "
           "or compile with dynamic=True: else the second size compiles once more, for all sizes",
           ARRAYS, "shape"),
    Remedy("numbers-and-arrays", NEVER, "pass np.atleast_1d(x), or have a function for numbers "
           "and one for arrays", ARRAYS, rf"^[^:]*: is an? (({NUMBERS}), was an ndarray|"
           rf"ndarray, was an? ({NUMBERS})) "),
    Remedy("types-of-arrays", NEVER, PLAIN + ", or arrays of one type each time",
           ARRAYS, "^[^:]*: is an? "),
    Remedy("arrays", NEVER, "pass plain arrays that are alike: of one dtype, memory order and "
           "number of dimensions, and writeable where they are written", ARRAYS),
    Remedy("overlap", NEVER, "pass arrays that do not overlap",
           ("DISJOINT", "ALL_DISJOINT")),
    Remedy("aliases", NEVER, "pass different objects where the function changes one",
           ("NO_ALIAS", "NOT_ALIASED")),
    Remedy("attributes", NEVER, "give all objects the same attributes, when they are made",
           ("NO_ATTR", "NO_OWN", "SPECIALS")),
    Remedy("variants", NEVER, "raise dl.config.recompile_limit if there are few more variants, or "
           "use dl.disable", ("other",)),
    Remedy("libraries", NEVER, "call the library before or after the compiled function, and pass "
           "on arrays, as s.to_numpy() of pandas gives; or mark a function around the call with "
           "dl.disable"),
    # -- what the program asked for
    Remedy("disabled", "is marked with disable", "remove dl.disable where the function can be "
           "traced, or call it outside of the compiled function"),
    Remedy("asked-for", "asks for a graph break", "remove dl.graph_break()"),
    Remedy("async", "^async |is an async|is asynchronous", "compile the functions that it calls "
           "between its suspensions"),
    Remedy("finalizers", "have a __del__", "make such objects outside of the compiled function: "
           "put a progress bar around the loop that calls it"),
    Remedy("generator", "generators? and coroutines|is a generator", "compile the "
           "function that goes through the generator, or one that returns an array or a list"),
    Remedy("interrupts", "interrupts are raised|handles interrupts", "compile the loop in the try "
           "as a function of its own, or with fullgraph=True: an interrupt comes before or after "
           "the graph then"),
    # -- calls that bail out
    Remedy("divide", "reports 'divide by zero'", "wrap the lines in np.errstate(divide='ignore') "
           "where that is meant, or replace the zeros first: np.where(x == 0, 1, x)"),
    Remedy("invalid", "reports 'invalid value'", "wrap the lines in np.errstate(invalid='ignore') "
           "where nan is meant, or replace what gives it first, with np.where"),
    Remedy("overflow", "reports 'overflow'", "wrap the lines in np.errstate(over='ignore') where "
           "inf or wrapping is meant, or use a wider dtype"),
    Remedy("underflow", "reports 'underflow'", "wrap the lines in np.errstate(under='ignore')"),
    Remedy("leading-zeros", "cuts off leading zeros", "use np.convolve(p, q), which keeps them, or "
           "cut them off before the call: np.trim_zeros(p, 'f')"),
    Remedy("exceptions", "^[\\w.]+ (raises|warns)| is raised$|was given up|"
           "check of compiled code failed|this line requires|size that the code was not|"
           r"^\w+(Error|Warning|Exception): ", "test for these arguments before "
           "the call: each call that raises or warns runs again in Python"),
    # -- values that data decides
    Remedy("tables", "needs .*(computed from data|which depends on data)|"
           "getitem of",
           "select from an array instead: np.array(table)[i] or np.where in place of an item of a "
           "list or dict, np.unique(x, return_counts=True) for counts; or take the number out of "
           "the array before the call, and pass it",
           is_for_text=True),
    Remedy("comparing", "truth of (less|greater|a choice)",
           "compare whole arrays, and use np.sort, np.max, np.min, np.any and np.all on them",
           is_for_text=True),
    Remedy("selecting", "a branch on data changes a list|branch of a generator that depends",
           "select with a mask, x[x > 0], instead "
           "of appending what a condition holds for, or write into an array that was made before",
           is_for_text=True),
    Remedy("branches", "branch depends on data|arm of a branch|branch on data changes|"
           "on the truth of|the truth of .* depends on its contents",
           "give both sides of the branch results of one type and shape, or compute both and "
           "choose with np.where", is_for_text=True),
    Remedy("growing", "loop whose end depends on data|would add more than|changes .* \\(a list\\)|"
           "whether .* depends on data",
           "write into an array that was made before the loop, instead of a list that grows; let "
           "the number of iterations be an argument or a size", is_for_text=True),
    Remedy("data-sizes", "a size that (depends on|is computed from) data",
           "keep arrays of one size in loops and branches, with a mask of what still counts: "
           "np.where(mask, x, 0)", is_for_text=True),
    Remedy("recursion", "calls itself|too deep to be followed", "write the recursion as a loop, or "
           "mark the function with dl.disable", is_for_text=True),
    Remedy("keys", "^(?!calling ).*(hash|in a set|set of|members|keys)", "use np.unique "
           "for sets of numbers, arrays in place of dicts with computed keys", is_for_text=True),
    # -- kinds of arrays
    Remedy("masked-arrays", "MaskedArray|numpy\\.ma\\b", "pass x.data and x.mask, two plain "
           "arrays, and choose with np.where", called="^numpy\\.ma\\."),
    Remedy("subclasses", "matrix|subclass of ndarray|class of its own", PLAIN,
           called="^numpy\\.(matrix|recarray|memmap)"),
    Remedy("object-arrays", "dtype object", "convert the array before the call, with "
           "x.astype(float) or another number's type", is_for_text=True),
    Remedy("byte-order", "byte-swapped|byte order", "convert the array before the call, with "
           "x.astype(x.dtype.newbyteorder('='))"),
    Remedy("dates", "datetime64|timedelta64", "pass x.view('i8') or x.astype('i8'), the dates as "
           "numbers"),
    Remedy("records", "dtype \\[\\(|a list as a dtype", "take the fields out of the array, as "
           "r['x'], before the call or in it, and work with these", called="^numpy\\.rec\\."),
    Remedy("texts", "dtype <?[US]|arrays of text|numpy.strings|numpy.char",
           "keep arrays of text out of the compiled function: " + OUTSIDE),
    # -- what stays in Python
    Remedy("printing", "calling print|sys\\.std(out|err)\\b", "print after the compiled function, "
           "from what it returns", is_for_text=True),
    Remedy("complex", "casts complex values", "take x.real, which leaves the imaginary part out "
           "without a warning", is_for_text=True),
    Remedy("filters", "warnings\\.(catch_warnings|simplefilter|filterwarnings)", "set filters of "
           "warnings outside of the compiled function, and use `with np.errstate(...)` for what "
           "NumPy reports of numbers", is_for_text=True),
    Remedy("broken-loops", "next item of (an intermediate value|the iterator of a "
           "comprehension) \\(an? (\\w+_)?iterator\\)", "mend what "
           "breaks inside of the loop first: the rest of it goes on in Python", is_for_text=True),
    Remedy("elements", "views of single elements|an? nditer", "loop over x.flat, np.ndenumerate(x) "
           "or np.ndindex(x.shape), or use whole arrays", is_for_text=True),
    Remedy("iterators", "next item of|so many items of|an iterator",
           "pass a list or an array of what it gives: list(it) before the call"),
    Remedy("text-of-arrays", "shows arrays as text|(str|bytes) that data decides|str\\(\\) of|"
           "repr\\(\\) of|format of|formatting with %",
           "return the array, and make the text of it after the call", is_for_text=True),
    Remedy("lists-of-elements", "gets the elements themselves", "keep the array: index it, slice "
           "it or loop over it directly", is_for_text=True),
    Remedy("many-guards", "guards take longer", "pass the numbers as one array, "
           "np.asarray(values), or keep them in arrays from the beginning"),
    Remedy("files", "reads or writes files|calling (io\\.)?open\\b|calling .*IO\\b|TextIOWrapper",
           "read files before the compiled function and write them after it", is_for_text=True),
    Remedy("eigenvalues", "whether its results are complex", "np.linalg.eigh and eigvalsh, where "
           "the matrix is symmetric; else " + OUTSIDE, is_for_text=True),
    Remedy("windows", "nothing checks its strides", "use "
           "np.lib.stride_tricks.sliding_window_view, or slices", is_for_text=True),
    Remedy("python-functions", "results are Python objects|\\(vectorized\\)", "use np.vectorize, "
           "or write the function with whole arrays", is_for_text=True),
    Remedy("caches", "its cache h(olds|as no)", CONSTANT + "; or " + OUTSIDE,
           is_for_text=True),
    Remedy("imports", "^importing |which is found by its __getattr__", "import it at the top of "
           "the file: from module import name", is_for_text=True),
    Remedy("logging", "the logger .* reports", "log after the compiled function, or raise the "
           "logger's level", called="^logging\\."),
    Remedy("error-state", "error state", "use `with np.errstate(...)` around the lines, in place "
           "of np.seterr"),
    Remedy("added-dtypes", "adds to NumPy's", "convert to a dtype of NumPy's own before the "
           "call, as x.astype(np.float32) does, and the result back", is_for_text=True),
    Remedy("random", "random|seed", "make the generator once, with np.random.default_rng(seed), "
           "and pass it", is_for_text=True),
    Remedy("effects", "has effects outside the program", "write what it does as plain code, or "
           + OUTSIDE, is_for_text=True),
    Remedy("debugging", "^(breakpoint|set_trace) looks", "remove it, or run under a debugger: "
           "while one is active Python runs all functions", is_for_text=True),
    Remedy("namespaces", "looks at the variables|namespace|globals\\(\\)|variables as a dict",
           "name the variables, or keep them in a dict of your own", is_for_text=True),
    Remedy("python-numbers", "^(math|statistics|operator|round|abs|pow|divmod)\\b.* of ",
           "use what NumPy has for it, np.isclose for math.isclose, on whole arrays if possible; "
           "or take the number out of the array before the call: x.item()", is_for_text=True,
           called="^statistics\\."),
    Remedy("library-calls", "standard library runs in Python|not written in Python$|"
           rf"{STDLIB}[\w.]+ of |^calling .*(not written in Python|a form that is not followed)",
           OUTSIDE + "; " + CONSTANT, is_for_text=True, called=STDLIB),
    Remedy("unsupported-numpy", "is not supported in a graph|^numpy\\.|NumPy|\\(an array,",
           "use the array operations that it stands for, or " + OUTSIDE, is_for_text=True,
           called="^numpy\\."),
    Remedy("objects", "own __\\w+__|needs the value of|attribute '|method '|calling |'\\W+' of |"
           "its class |"
           "^(indexing|setting items|deleting items|iteration|the length) of ",
           "take arrays and numbers out of the object before the call, and pass these; or "
           + OUTSIDE, is_for_text=True),
    Remedy("other", "", "move the line out of the compiled function, or rewrite it with plain "
           "arrays and numbers", is_for_text=True),
)


def remedy_for_guard(kind: str, reason: str = "") -> Remedy:
    """The row for guards of a kind; "size" and "value" stand for relations between these."""
    found = (row for row in REMEDIES if kind in row.guards and _compiled(row.fact).search(reason))
    return next(found, None) or _named("variants")


def remedy_for(reason: str, inside: str = "") -> Remedy:
    """The row that applies to a reason; `other` where no row is about it. `inside` is the function
    by which a library was called, where it is the library's code that has the reason."""
    found = next(row for row in REMEDIES if _compiled(row.pattern).search(reason))
    is_of_library = found.is_for_text or reason.endswith(HANDLED)
    return remedy_inside(inside) if inside and is_of_library else found


def remedy_inside(inside: str) -> Remedy:
    """What helps against what the text of a library costs."""
    called = (row for row in REMEDIES if _compiled(row.called).search(inside))
    return next(called, None) or _named("libraries")


@lru_cache(None)
def _named(name: str) -> Remedy:
    return next(row for row in REMEDIES if row.id == name)


@lru_cache(None)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)
