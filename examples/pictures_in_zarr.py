"""A filter over a stack of pictures in Zarr, from one store to another, picture by picture.

    python examples/pictures_in_zarr.py [pictures] [folder]

Needs `pip install 'dynamo-lite[dask]' zarr`.
"""
import os
import sys
import tempfile

import numpy as np
import zarr

import dynamo_lite as dl


def edges(pictures):
    """The size of each picture's gradient, scaled to its largest."""
    down = pictures[:, 2:, 1:-1] - pictures[:, :-2, 1:-1]
    across = pictures[:, 1:-1, 2:] - pictures[:, 1:-1, :-2]
    size = np.sqrt(down * down + across * across)
    return size / size.max(axis=(1, 2), keepdims=True)


def main(count=8, folder=None):
    with tempfile.TemporaryDirectory(dir=folder) as place:
        shape = (int(count), 256, 256)
        stored = zarr.open(os.path.join(place, "pictures.zarr"), mode="w", shape=shape,
                           chunks=(1, *shape[1:]), dtype="f4")
        stored[:] = np.random.default_rng(0).random(shape, np.float32)
        out = zarr.open(os.path.join(place, "edges.zarr"), mode="w", dtype="f4",
                        shape=(shape[0], shape[1] - 2, shape[2] - 2), chunks=(1, 254, 254))
        dl.stream(edges, chunks=2, out=out)(stored)
        print(f"{out.shape} in {out.chunks}, largest {np.max(out[:]):.1f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
