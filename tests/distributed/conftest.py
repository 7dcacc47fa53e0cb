"""One cluster of two worker processes of one thread for all tests of the folder."""
import pytest

pytest.importorskip("dask.array")


@pytest.fixture(scope="session")
def client(tmp_path_factory):
    distributed = pytest.importorskip("distributed")
    scratch = str(tmp_path_factory.mktemp("dask"))
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0",
        local_directory=scratch, silence_logs=50,
    ) as cluster, distributed.Client(cluster) as client:
        yield client
