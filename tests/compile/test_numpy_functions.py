"""NumPy's own functions, called from a compiled function: the same result, whichever way each is run."""
# ruff: noqa: E501, E741, C408
import logging
import math

import numpy as np
import pytest

import dynamo_lite as dl
from tests.oracle import ROUNDED, check, same

rng = np.random.default_rng(0)
V = rng.standard_normal(12)
M = rng.standard_normal((4, 6))
S = M[:, :4] @ M[:, :4].T + np.eye(4) * 5
I = rng.integers(0, 9, 12)
C = V[:6] + 1j * V[6:]
CALLS = [
    ("median",(M,)),
    ("median",(M,),dict(axis=0)),
    ("percentile",(V,30)),
    ("quantile",(M,[.1,.5]),dict(axis=1)),
    ("histogram",(V,)),
    ("bincount",(I,)),
    ("cov",(M,)),
    ("corrcoef",(M,)),
    ("interp",(V,np.sort(V),V)),
    ("gradient",(M,)),
    ("gradient",(V,)),
    ("trapezoid",(V,)),
    ("polyfit",(V,V**2,2)),
    ("polyval",([1,2,3],V)),
    ("diff",(M,)),
    ("diff",(V,2)),
    ("ediff1d",(V,)),
    ("cross",(M[:,:3],M[:,3:])),
    ("cross",(M[:,:3].T,M[0,3:]),dict(axisa=0,axisc=0)),
    ("cross",(M[:3],I[:3]),dict(axis=0)),
    ("cross",(M[:,:2],M[:,3:])),
    ("kron",(V[:2],V[2:5])),
    ("pad",(V,2)),
    ("pad",(M,1),dict(mode="edge")),
    ("roll",(M,2)),
    ("roll",(M,1,1)),
    ("roll",(M.T,1)),
    ("roll",(np.asfortranarray(M),-1,0)),
    ("roll",(M[:,::2],(1,2),(0,1))),
    ("rot90",(M,)),
    ("flip",(M,)),
    ("fliplr",(M,)),
    ("tile",(V,(2,2))),
    ("repeat",(V,2)),
    ("unique",(I,)),
    ("isin",(I,[1,2])),
    ("intersect1d",(I,I[:5])),
    ("setdiff1d",(I,[1])),
    ("nanmean",(M,)),
    ("nansum",(M,)),
    ("nanmax",(M,)),
    ("nanstd",(M,)),
    ("average",(M,),dict(axis=0,weights=V[:4])),
    ("convolve",(V,V[:3])),
    ("correlate",(V,V[:3])),
    ("meshgrid",(V[:3],V[:2])),
    ("tril",(M,)),
    ("triu",(M,)),
    ("diag",(V,)),
    ("diagonal",(M,)),
    ("trace",(M,)),
    ("vander",(V[:3],)),
    ("apply_along_axis",(np.sum,0,M)),
    ("isclose",(V,V+1e-9)),
    ("allclose",(V,V)),
    ("array_equal",(V,V)),
    ("nan_to_num",(V,)),
    ("digitize",(V,np.sort(V[:4]))),
    ("searchsorted",(np.sort(V),V)),
    ("argsort",(V,)),
    ("sort",(M,)),
    ("partition",(V,3)),
    ("lexsort",((V,V),)),
    ("inner",(V,V)),
    ("vdot",(V,V)),
    ("tensordot",(M,M.T,1)),
    ("einsum",("ij,kj->ik",M,M)),
    ("matmul",(M,M.T)),
    ("atleast_2d",(V,)),
    ("column_stack",((V,V),)),
    ("dstack",((V,V),)),
    ("block",([[M,M],[M,M]],)),
    ("block",([[M,V[:4,None]],[V[None,:6],np.ones((1,1))]],)),
    ("block",([[M.T,M.T]],)),
    ("block",([V,[V]],)),
    ("array_split",(V,5)),
    ("hsplit",(M,2)),
    ("where",(M>0,)),
    ("nonzero",(M>0,)),
    ("argwhere",(M>0,)),
    ("flatnonzero",(M>0,)),
    ("count_nonzero",(M>0,)),
    ("extract",(V>0,V)),
    ("place",(V.copy(),V>0,[1,2])),
    ("put",(V.copy(),[1,2],[5,6])),
    ("choose",([0,1],[V[:2],V[2:4]])),
    ("select",([V>0,V<0],[V,-V])),
    ("piecewise",(V,[V>0,V<=0],[1,-1])),
    ("cumprod",(V,)),
    ("ptp",(M,)),
    ("clip",(V,-1,1)),
    ("round",(V,2)),
    ("sinc",(V,)),
    ("i0",(V,)),
    ("unwrap",(V,)),
    ("angle",(C,)),
    ("real",(C,)),
    ("conj",(C,)),
    ("heaviside",(V,0.5)),
    ("copysign",(V,-V)),
    ("nextafter",(V,V+1)),
    ("frexp",(V,)),
    ("modf",(V,)),
    ("divmod",(V,2)),
    ("floor_divide",(V,2.)),
    ("gcd",(I,6)),
    ("lcm",(I,6)),
    ("linalg.norm",(M,)),
    ("linalg.norm",(M,),dict(axis=1)),
    ("linalg.inv",(S,)),
    ("linalg.det",(S,)),
    ("linalg.eigh",(S,)),
    ("linalg.svd",(M,)),
    ("linalg.qr",(M,)),
    ("linalg.cholesky",(S,)),
    ("linalg.lstsq",(M.T,V[:6])),
    ("linalg.pinv",(M,)),
    ("linalg.matrix_rank",(M,)),
    ("linalg.matrix_power",(S,3)),
    ("linalg.multi_dot",([M,M.T,M],)),
    ("linalg.cond",(S,)),
    ("linalg.slogdet",(S,)),
    ("fft.fft",(V,)),
    ("fft.rfft",(V,)),
    ("fft.ifft",(C,)),
    ("fft.fftshift",(V,)),
    ("fft.fftfreq",(8,)),
    ("fft.fft2",(M,)),
    ("indices",((2,3),)),
    ("identity",(3,)),
    ("tri",(3,)),
    ("logspace",(0,1,4)),
    ("geomspace",(1,8,4)),
    ("fromfunction",(lambda i,j:i+j,(2,3))),
    ("ix_",([0,1],[2,3])),
    ("ravel_multi_index",(([1,2],[3,4]),(5,6))),
    ("unravel_index",([3,4],(2,3))),
    ("broadcast_arrays",(V,V[:1])),
    ("moveaxis",(M,0,1)),
    ("swapaxes",(M,0,1)),
    ("squeeze",(M[None],)),
    ("delete",(V,2)),
    ("insert",(V,2,9.)),
    ("append",(V,V)),
    ("resize",(V,(3,3))),
    ("trim_zeros",(np.array([0,1,0.]),)),
]


@pytest.mark.parametrize("call", CALLS, ids=[f"{n}-{c[0]}" for n, c in enumerate(CALLS)])
def test_same(call, backend):
    name, args, *kwargs = call
    function = np
    for part in name.split("."):
        function = getattr(function, part)

    def user(*args, **kwargs):
        return function(*args, **kwargs)

    check(dl.compile(user, backend=backend), function, *args, calls=2, tolerance=ROUNDED,
          **(kwargs[0] if kwargs else {}))


def test_weights_of_another_length_are_refused_by_numpy():
    def f(x, w):
        return np.cov(x, aweights=w) + 1

    compiled = dl.compile(f)
    for n, m in ((5, 5), (6, 6), (7, 7), (5, 6), (8, 8)):
        x, w = np.arange(n) ** 2.0, np.ones(m)
        if n == m:
            assert same(compiled(x, w), f(x, w))
            continue
        with pytest.raises(RuntimeError, match="incompatible numbers of samples and aweights"):
            compiled(x, w)


@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "i8", "u1", "?", "c16"])
@pytest.mark.parametrize("exponent", [2, 2.0, 0.5, -1, 3, -2, 0, np.float32(1.5), np.int64(2)])
def test_powers_of_numbers_are_as_those_of_scalars(dtype, exponent):
    """Other signs of zero and infinities than the powers of arrays have."""
    values = np.array([0, 1, -1, 2.5, -2.5, 1e200, 300, np.inf, -np.inf, np.nan, -0.0])
    with np.errstate(all="ignore"):
        x = (values if dtype in ("f4", "f8", "c16") else np.arange(-4, 5)).astype(dtype)

        def power(x, i):
            return x[i] ** exponent

        compiled = dl.compile(power)
        for i in range(len(x)):
            try:
                expected = power(x, i)
            except (ValueError, OverflowError) as error:
                with pytest.raises(type(error), match=str(error)):
                    compiled(x, i)
            else:
                assert same(compiled(x, i), expected, ROUNDED)


def test_a_loop_over_powers_of_numbers_makes_no_calls(caplog):
    def variances(x, s):
        for i in range(1, len(x)):
            s[i] = 0.1 + 0.2 * x[i - 1] ** 2 + 0.7 * s[i - 1] ** 1.5
        return s

    x = np.linspace(0, 1, 600)
    with caplog.at_level(logging.INFO, "dynamo_lite.output_code"):
        found = dl.compile(variances)(x, np.zeros(600))
    assert same(found, variances(x, np.zeros(600)), ROUNDED)
    assert "while" in caplog.text and "call pow" not in caplog.text


REFUSED = [
    lambda a: np.linalg.multi_dot((a, a, a), out=a), lambda a: np.dot(a + 1, a, out=a),
    lambda a: np.matmul.outer(a, a), lambda a: np.sin.outer(a, a), lambda a: np.vecdot.reduce(a),
    lambda a: np.round(a.astype(int), -1, a.astype(int)), lambda a: a.astype("i2").round(-1, out=a.astype("u1")),
]


@pytest.mark.parametrize("function", REFUSED)
def test_what_numpy_refuses_is_refused_as_it_does(function):
    compiled = dl.compile(function, backend="llvm")
    for made in (np.ones((3, 3), order="F"), np.ones((4, 4), order="F")):
        with pytest.raises((TypeError, ValueError, RuntimeError)) as expected:
            function(made)
        with pytest.raises(expected.type) as found:
            compiled(made)
        assert str(found.value) == str(expected.value) and (made == 1).all()


WRITTEN = [
    lambda a, b, out: (a > 0).choose(a, b), lambda a, b, out: (a > 0).choose((a, b), out=out),
    lambda a, b, out: a.sum(axis=0, out=out[0], where=False), lambda a, b, out: a.prod(0, None, out[0], where=b > 0),
    lambda a, b, out: a.max(axis=0, out=out[0], where=b > 0, initial=-9), lambda a, b, out: np.vdot(a[::-1], b),
    lambda a, b, out: np.add(a, b, out=out, where=b > 0), lambda a, b, out: np.vdot(a.T, b.T),
    lambda a, b, out: np.add.accumulate(a, axis=None), lambda a, b, out: np.add.accumulate(a, axis=(0,)),
]


@pytest.mark.parametrize("function", WRITTEN)
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_arguments_that_mean_other_things_elsewhere(function, dtype):
    compiled = dl.compile(function, backend="llvm")
    for rows in (5, 7, 40):
        a, b = rng.standard_normal((2, rows, 9)).astype(dtype)
        outputs = np.full((2, rows, 9), 100, dtype)
        results = []
        for call, out in zip((function, compiled), outputs):
            try:
                results.append(call(a, b, out))
            except ValueError as error:
                results.append(str(error))
        assert same(results[1], results[0]) and same(*outputs)


Z, F32, I8 = np.complex128(1 + 1j), np.float32(3e38), np.int8(100)
WARNING = [
    lambda a: math.isfinite(Z), lambda a: math.sqrt(Z), lambda a: math.hypot(Z, 1), lambda a: float(Z),
    lambda a: I8 + I8, lambda a: F32 * F32, lambda a: F32.__mul__(F32), lambda a: abs(np.int8(-128)),
]


@pytest.mark.parametrize("function", WARNING)
def test_what_is_known_beforehand_warns_at_every_call(function):
    compiled = dl.compile(lambda a: (function(a), a + 1))
    for _ in range(3):
        with pytest.warns((RuntimeWarning, np.exceptions.ComplexWarning)):
            compiled(np.arange(3.0))


@pytest.mark.filterwarnings("error")
def test_arrays_that_warn_when_they_are_written_are_not_touched():
    def grids(a):
        return np.meshgrid(a, 0.5, copy=False)

    a = np.broadcast_to(np.arange(9).reshape(3, 3), (2, 3, 3))
    assert same(dl.compile(grids)(a), grids(a))
