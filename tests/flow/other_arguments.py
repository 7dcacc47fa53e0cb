"""Other arguments for a program: of other sizes, types, orders and numbers of items."""
import copy
import random

import numpy as np

DEEPEST = 2


def varied(arguments, seed):
    """A copy of the arguments with some of them changed."""
    r = random.Random(seed)
    return [other(value, r) for value in copy.deepcopy(arguments)]


def other(value, r, depth=0):
    """A value of about the same kind; the same one where nothing is known of its kind."""
    change = CHANGES.get(type(value))
    return value if change is None or depth > DEEPEST else change(value, r, depth)


def other_array(value, r, depth):
    if value.dtype == object:
        return value
    kinds = [lambda: value.copy(), lambda: value[::-1], lambda: (value * 2).astype(value.dtype)]
    if value.ndim == 1 and value.size:
        kinds.append(lambda: np.resize(value, max(1, value.size + r.randint(-2, 4))).copy())
    if value.dtype.kind == "f":
        kinds.append(lambda: value.astype(np.float32))
    return r.choice(kinds)()


def other_int(value, r, depth):
    return value + r.choice([0, 0, 1, -1, 3, 7])


def other_float(value, r, depth):
    return r.choice([value, value, value + 1, -value, int(value), np.float64(value)])


def other_list(value, r, depth):
    items = [other(item, r, depth + 1) if r.random() < 0.5 else item for item in value]
    if items and r.random() < 0.25:
        return items + [copy.deepcopy(r.choice(items)) for _ in range(r.randint(1, 4))]
    return items[: r.randint(0, len(items))] if r.random() < 0.25 else items


def other_tuple(value, r, depth):
    return tuple(other(item, r, depth + 1) for item in value)


def other_dict(value, r, depth):
    items = {key: other(item, r, depth + 1) for key, item in value.items()}
    if items and r.random() < 0.3:
        del items[r.choice(list(items))]
    return items


CHANGES = {
    np.ndarray: other_array, int: other_int, float: other_float, list: other_list,
    tuple: other_tuple, dict: other_dict,
}
