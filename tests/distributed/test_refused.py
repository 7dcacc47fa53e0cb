"""What cannot be computed by blocks: an error at the call, in words, or Dask's own way."""
import subprocess
import sys
import threading

import numpy as np
import pytest

import dynamo_lite as dl
from dynamo_lite.errors import FullGraphRequired, RecompileLimitExceeded

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")

V = np.arange(12.0)
LOG = []


def doubled(x):
    return x * 2


def logged(x):
    LOG.append(1)
    return x * 2


def counted(x):
    global COUNT
    COUNT = COUNT + 1
    return x * 2


COUNT = 0


def test_unknown_sizes():
    x = da.from_array(V, 4)
    with pytest.raises(ValueError, match="compute_chunk_sizes"):
        dl.compile(doubled)(x[x > 3])


def test_python_objects():
    with pytest.raises(TypeError, match="dtype=object"):
        dl.compile(doubled)(da.from_array(np.array([1, None], object), 1))


def test_blocks_that_are_no_arrays_of_numpys():
    class Foreign(np.lib.mixins.NDArrayOperatorsMixin):
        shape, dtype, ndim, __module__ = (0,), np.dtype(float), 1, "cupy"

        def __array_function__(self, *_):
            return self

        def __array_ufunc__(self, *_, **__):
            return self

        def __getitem__(self, key):
            return self

    x = da.from_array(V, 4)
    x._meta = Foreign()
    with pytest.raises(TypeError, match=r"not cupy\.\S*Foreign"):
        dl.compile(doubled)(x)


@pytest.mark.parametrize("program, what", [(logged, "'LOG'|LOG"), (counted, "COUNT")])
def test_side_effects_are_left_to_dask_or_refused_by_name(program, what):
    x = da.from_array(V, 4)
    before = len(LOG) + COUNT
    found = dl.compile(program)(x)
    assert isinstance(found, da.Array) and len(LOG) + COUNT == before + 1
    np.testing.assert_array_equal(found.compute(), V * 2)
    with pytest.raises(FullGraphRequired, match=what):
        dl.compile(program, fullgraph=True)(x)
    assert len(LOG) + COUNT == before + 1


def test_branches_on_data_are_refused_where_one_graph_is_asked_for():
    def program(x):
        if x.sum() > 0:
            print("positive")
        return x

    with pytest.raises(FullGraphRequired):
        dl.compile(program, fullgraph=True)(da.from_array(V, 4))


def test_numpys_arrays_and_numbers_may_be_mixed_with_dasks():
    def program(x, y, z, n):
        return x * y + z + n

    found = dl.compile(program)(da.from_array(V, 5), V, np.float32(2), 3)
    np.testing.assert_array_equal(found.compute(), program(V, V, np.float32(2), 3))


def test_arrays_in_containers():
    def program(pair, named):
        return {"sum": pair[0] + pair[1], "rest": [named["x"] * 2]}

    x = da.from_array(V, 5)
    found = dl.compile(program)((x, V), {"x": x})
    np.testing.assert_array_equal(found["sum"].compute(), V + V)
    np.testing.assert_array_equal(found["rest"][0].compute(), V * 2)


def test_what_comes_in_may_go_out():
    x = da.from_array(V, 5)
    same, twice = dl.compile(lambda x: (x, x * 2))(x)
    assert same is x
    np.testing.assert_array_equal(twice.compute(), V * 2)


def test_without_dask_the_message_says_what_to_install():
    text = ("import sys; sys.modules['dask'] = None\n"
            "import numpy as np, dynamo_lite as dl\n"
            "for make in (lambda: dl.compile(np.sin, backend='dask'), lambda: dl.stream(np.sin)):\n"
            "    try: make()\n"
            "    except dl.errors.BackendError as error: print(error)\n")
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert done.stdout.count("pip install 'dynamo-lite[dask]'") == 2


def test_more_variants_than_are_kept():
    """What is no longer captured is computed from Dask's arrays, not from what stands for them."""
    data = np.arange(12.0).reshape(6, 2)
    x = da.from_array(data, chunks=(2, 2))

    def scaled(x, name):
        return x * 2 if name.startswith("a") else x.sum() + len(name)

    run, stream = dl.compile(scaled), dl.stream(scaled, chunks=2)
    for number in range(30):
        name = "ab"[number % 2] * number + str(number)
        expected = scaled(data, name)
        np.testing.assert_allclose(run(x, name).compute(), expected)
        np.testing.assert_allclose(stream(data, name), expected)
    strict = dl.compile(scaled, fullgraph=True)
    with pytest.raises(RecompileLimitExceeded):
        for number in range(30):
            strict(x, str(number))


def test_first_calls_from_several_threads():
    data = np.arange(4000.0).reshape(1000, 4)
    x = da.from_array(data, chunks=(100, 4))
    for _ in range(5):
        run, found = dl.compile(lambda x: x.T @ x), []
        threads = [threading.Thread(target=lambda: found.append(run(x).compute(scheduler="sync")))
                   for _ in range(4)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        np.testing.assert_allclose(found, [data.T @ data] * 4)


OF_A_PROGRAM = """
import numpy as np, dask.array as da
def shifted(x):
    return np.cos(x) * 2 + np.asarray(0.5, like=x)
for x in (da.from_array(np.linspace(0, 1, 7, dtype=dtype), chunks=3) for dtype in ("f4", "f8")):
    print(type(shifted(x)), shifted(x).compute(), da.stack([x, x]).sum(axis=0).compute())
"""


def test_dasks_own_functions_stay_in_python():
    """Its arrays' `__new__` hands around what has no attributes yet."""
    plain, ours = (subprocess.run(
        [sys.executable, *module, "-c", OF_A_PROGRAM], capture_output=True, text=True
    ) for module in ((), ("-m", "dynamo_lite", "--at-once")))
    assert (ours.returncode, ours.stdout, ours.stderr) == (0, plain.stdout, plain.stderr)
    assert ours.stdout.count("dask.array.core.Array") == 2
