"""Array manipulation routines."""
# ruff: noqa
import numpy as np

from .entries import B, F, I, M, N, S, T, V, W, survey


@survey(M)
def reshapes(x): return x.reshape(3, 8), np.reshape(x, (-1, 2)), x.reshape(-1, order="F"), x.ravel(), x.flatten()


@survey(M)
def ravels(x): return np.ravel(x, "F"), x.ravel(order="K"), x.T.ravel(), x.T.flatten("C")


@survey(T)
def transposes(x): return x.T, np.transpose(x, (2, 0, 1)), x.swapaxes(0, 2), np.moveaxis(x, 0, -1), np.rollaxis(x, 2), x.mT


@survey(T)
def permuted(x): return np.permute_dims(x, (1, 0, 2)), x.transpose(), x.transpose(0, 2, 1), np.matrix_transpose(x)


@survey(V)
def expands(x): return np.expand_dims(x, (0, 2)), x[:, None], x[np.newaxis], np.squeeze(x[None]), x[None].squeeze(0)


@survey(V)
def atleasts(x): return np.atleast_1d(x[0]), np.atleast_2d(x), np.atleast_3d(x), np.atleast_1d(x, x[0])


@survey(V, M, breaks=2, why="not an operation of the graph")
def broadcasts(x, m): return np.broadcast_to(x[:6], (4, 6)) + m, np.broadcast_shapes((3, 1), (4,)), np.broadcast_arrays(x[:6], m)[0] * 2


@survey(M)
def joins(x): return np.concatenate([x, x]), np.concatenate((x, x), axis=1), np.stack([x, x], axis=-1), np.vstack([x, x]), np.hstack([x, x])


@survey(V, W)
def more_joins(x, y): return np.dstack((x, y)), np.column_stack((x, y)), np.concatenate([x, y], axis=None), np.stack((x, y), 1)


@survey(V, W)
def join_dtypes(x, y): return np.concatenate([x, y], dtype="f4", casting="same_kind"), np.hstack([x, [1, 2]])


@survey(V, M)
def appends(x, m): return np.append(x, 1.0), np.append(m, m[:1], axis=0), np.append(x, [1, 2])


@survey(M)
def splits(x):
    a, b = np.split(x, 2)
    c, d, e = np.hsplit(x, 3)
    return a + b, c * d * e, np.vsplit(x, 2)[1], np.array_split(x, 3)[0]


@survey(T)
def depth_split(x): return np.dsplit(x, 2)[0], np.split(x, [1, 2], axis=1)


@survey(M)
def tiles(x): return np.tile(x, 2), np.tile(x, (2, 1)), np.tile(x[0], (3, 1, 2))


@survey(M)
def repeats(x): return np.repeat(x, 2), np.repeat(x, 3, axis=1), x.repeat(2, axis=0), np.repeat(x[0, :3], [1, 2, 3])


@survey(M)
def rolls(x): return np.roll(x, 2), np.roll(x, 1, axis=0), np.roll(x, (1, -2), axis=(0, 1)), np.roll(x[0], -3)


@survey(M)
def flips(x): return np.flip(x), np.flip(x, 1), np.fliplr(x), np.flipud(x), np.rot90(x), np.rot90(x, -1), x[::-1]


@survey(M)
def pads(x): return np.pad(x, 1), np.pad(x, ((1, 2), (0, 1)), constant_values=9.0), np.pad(x[0], (2, 0))


@survey(M)
def pad_modes(x): return np.pad(x, 1, mode="edge"), np.pad(x, 2, mode="reflect"), np.pad(x, 1, mode="wrap"), np.pad(x, 2, "symmetric")


@survey(M)
def pad_statistics(x): return np.pad(x, 1, "mean"), np.pad(x, 1, "maximum"), np.pad(x, 2, "linear_ramp", end_values=0)


@survey(V)
def inserts(x): return np.insert(x, 2, 9.0), np.insert(x, [1, 3], [7.0, 8.0]), np.insert(x, 0, x[:2])


@survey(M)
def deletes(x): return np.delete(x, 1, axis=0), np.delete(x, [0, 2], axis=1), np.delete(x, slice(0, 2), 1), np.delete(x[0], -1)


@survey(V)
def resizes(x): return np.resize(x, (3, 5)), np.resize(x, 4)


@survey(np.array([0.0, 0, 1, 2, 0]), breaks=2, why="sizes depend on data")
def trims(x): return np.trim_zeros(x), np.trim_zeros(x, "f")


@survey(M)
def unstacks(x):
    rows = list(x)
    return rows[0] + rows[1], *np.unstack(x, axis=1)[:2]


@survey(F)
def item_assignment(x):
    x = x.copy()
    x[0] = 1
    x[:, 1] += 2
    x[1:3, ::2] *= 3
    x[-1, -1] = x[0, 0]
    return x


@survey(V, W)
def copyto(x, y):
    x = x.copy()
    np.copyto(x, y, where=y > 0)
    np.copyto(x[:3], 1.5)
    return x


@survey(S)
def in_place_views(x):
    x = x.copy()
    d = x[1:, 1:]
    d -= 1
    x.T[0] = 5
    x.flat[0] = 7
    return x


@survey(M, breaks=1, why="the shape of an array is changed in place")
def assign_shape(x):
    y = x.copy()
    y.shape = (6, 4)
    return y


@survey(I, B, N)
def blocks(i, b, n): return np.block([[n, n], [n, n]]), np.concatenate([i, b]), np.stack([b, b])


@survey(T)
def reshape_chain(x): return x.reshape(2, -1).sum(axis=1), x.reshape(6, 4).T.copy(), x.transpose(1, 0, 2).reshape(3, -1)
