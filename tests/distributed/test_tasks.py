"""Compiled functions as tasks of a cluster of two processes."""
import sys

import numpy as np
import pytest

import dynamo_lite as dl

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")

X = np.linspace(0, 1, 48).reshape(12, 4)


@dl.compile(fullgraph=True)
def scaled(x, factor=1.0):
    return np.sqrt(x * x + 1) * factor


def inverse(x):
    y = x * 1
    return np.linalg.inv(y)


def test_map_blocks(client):
    found = da.map_blocks(scaled, da.from_array(X, (4, 4))).compute()
    np.testing.assert_array_equal(found, scaled.__wrapped__(X))


def test_submit_map_delayed_and_futures(client):
    future = client.submit(scaled, X, 2.0)
    np.testing.assert_array_equal(future.result(), scaled.__wrapped__(X, 2.0))
    again = client.submit(scaled, future)
    np.testing.assert_array_equal(again.result(), scaled.__wrapped__(future.result()))
    first, second = client.gather(client.map(scaled, [X, X + 1]))
    np.testing.assert_array_equal(second, scaled.__wrapped__(X + 1))
    np.testing.assert_array_equal(dask.delayed(scaled)(X).compute(), first)


def test_options_travel_too(client):
    function = dl.compile(lambda x: x + 1, name="plus one")
    assert client.submit(_name, function).result() == "plus one"


def _name(function):
    function(np.ones(3))
    (entry,) = function.entries()
    return entry.info.record.name


def test_a_worker_compiles_a_function_once(client):
    def program(x):
        return np.exp(x) - x * 3

    client.run(dl.reset)
    x = da.from_array(X, (3, 4))
    compiled = dl.compile(program)
    np.testing.assert_array_equal(compiled(x).compute(), compiled(X))
    assert all(one.frames <= 1 for one in client.run(dl.stats).values())
    before = client.run(dl.stats)
    compiled(x + 1).compute()
    assert {w: s.graphs for w, s in client.run(dl.stats).items()} == {
        w: s.graphs for w, s in before.items()}


def test_an_exception_of_numpys_comes_back_with_the_users_line(client):
    with pytest.raises(np.linalg.LinAlgError, match="Singular matrix") as caught:
        dl.compile(inverse)(da.zeros((4, 4), chunks=2)).compute()
    code = inverse.__code__
    places = [(entry.path, entry.lineno + 1) for entry in caught.traceback]
    assert any(str(path) == code.co_filename and line == code.co_firstlineno + 2
               for path, line in places)


def test_a_function_by_value_keeps_its_file(client):
    def inner(x):
        return x[len(x)]

    @dl.compile
    def outer(x):
        return inner(x) + 1

    with pytest.raises(IndexError) as caught:
        client.submit(outer, X).result()
    places = [(str(entry.path), entry.lineno + 1) for entry in caught.traceback]
    assert (__file__, inner.__code__.co_firstlineno + 1) in places


def test_nothing_of_dask_is_imported_without_need():
    import subprocess

    text = ("import sys, numpy as np, dynamo_lite as dl; dl.compile(np.sin)(np.ones(3)); "
            "print([name for name in sys.modules if name.partition('.')[0] in "
            "('dask', 'distributed')])")
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_counts_of_all_workers_in_one_call(client):
    client.run(dl.reset)
    da.map_blocks(scaled, da.from_array(X, (4, 4))).compute()
    found = dl.stats(client)
    assert sorted(found.workers) == sorted(client.run(int))
    assert found.graphs == sum(one.graphs for one in found.workers.values()) > 0
    assert found.coverage == 1


def test_processes_of_the_standard_library():
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        first, second = pool.map(scaled, [X, X + 1])
    np.testing.assert_array_equal(first, scaled.__wrapped__(X))
    np.testing.assert_array_equal(second, scaled.__wrapped__(X + 1))


def test_workers_share_the_cores(client):
    from dynamo_lite.native import _core

    dl.compile(lambda x: x * 3 - 1)(da.from_array(X, (3, 4))).compute()
    assert 1 in client.run(_core.get_num_threads).values()
