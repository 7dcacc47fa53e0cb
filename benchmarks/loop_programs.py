"""Textbook programs with loops over elements, as they are written for Python: unmodified functions.

Each takes what its `inputs` give; both loops over indices and over values, enumerate and zip, lists
that are filled, `d[i, j]` and `d[i][j]` are among them.
"""
from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

Inputs = Callable[[np.random.Generator], tuple[Any, ...]]
PROGRAMS: list[tuple[Callable[..., Any], Inputs]] = []


def program(inputs: Inputs) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        PROGRAMS.append((function, inputs))
        return function

    return add


# -- dynamic programming


@program(lambda r: (r.integers(1, 100, 60), r.integers(1, 30, 60), 500))
def knapsack(values, weights, capacity):
    best = np.zeros((len(values) + 1, capacity + 1), dtype=np.int64)
    for i in range(1, len(values) + 1):
        for w in range(capacity + 1):
            if weights[i - 1] <= w:
                best[i, w] = max(best[i - 1, w], best[i - 1, w - weights[i - 1]] + values[i - 1])
            else:
                best[i, w] = best[i - 1, w]
    return best[-1, -1]


@program(lambda r: (r.normal(size=150), r.normal(size=140)))
def dynamic_time_warping(a, b):
    n, m = len(a), len(b)
    d = np.full((n + 1, m + 1), np.inf)
    d[0, 0] = 0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            cost = abs(a[i - 1] - b[j - 1])
            d[i, j] = cost + min(d[i - 1, j], d[i, j - 1], d[i - 1, j - 1])
    return d[n, m]


@program(lambda r: (r.integers(0, 4, 150), r.integers(0, 4, 140)))
def levenshtein(a, b):
    n, m = len(a), len(b)
    d = np.zeros((n + 1, m + 1), dtype=int)
    for i in range(n + 1):
        d[i][0] = i
    for j in range(m + 1):
        d[0][j] = j
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            substitution = 0 if a[i - 1] == b[j - 1] else 1
            d[i][j] = min(d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + substitution)
    return d[n][m]


@program(lambda r: (r.integers(0, 4, 150), r.integers(0, 4, 140)))
def longest_common_subsequence(a, b):
    n, m = len(a), len(b)
    table = np.zeros((n + 1, m + 1), dtype=np.int32)
    for i in range(n):
        for j in range(m):
            if a[i] == b[j]:
                table[i + 1, j + 1] = table[i, j] + 1
            else:
                table[i + 1, j + 1] = max(table[i, j + 1], table[i + 1, j])
    return table[n, m]


@program(lambda r: (r.integers(5, 50, 40),))
def matrix_chain(dims):
    n = len(dims) - 1
    cost = np.zeros((n, n))
    for length in range(2, n + 1):
        for i in range(n - length + 1):
            j = i + length - 1
            cost[i, j] = np.inf
            for k in range(i, j):
                q = cost[i, k] + cost[k + 1, j] + dims[i] * dims[k + 1] * dims[j + 1]
                if q < cost[i, j]:
                    cost[i, j] = q
    return cost[0, n - 1]


def _weights(r: np.random.Generator) -> tuple[Any, ...]:
    weights = r.random((45, 45)) * 10
    weights[r.random((45, 45)) < 0.5] = np.inf
    return (weights,)


@program(_weights)
def floyd_warshall(weights):
    dist = weights.copy()
    n = dist.shape[0]
    for k in range(n):
        for i in range(n):
            for j in range(n):
                if dist[i, k] + dist[k, j] < dist[i, j]:
                    dist[i, j] = dist[i, k] + dist[k, j]
    return dist


def _chain(r: np.random.Generator) -> tuple[Any, ...]:
    return (np.log(r.dirichlet(np.ones(8))), np.log(r.dirichlet(np.ones(8), 8)),
            np.log(r.dirichlet(np.ones(5), 8)), r.integers(0, 5, 120))


@program(_chain)
def viterbi(start, transition, emission, observed):
    n_states, n_steps = len(start), len(observed)
    score = np.zeros((n_steps, n_states))
    back = np.zeros((n_steps, n_states), dtype=int)
    for s in range(n_states):
        score[0, s] = start[s] + emission[s, observed[0]]
    for t in range(1, n_steps):
        for s in range(n_states):
            best, where = -np.inf, 0
            for p in range(n_states):
                value = score[t - 1, p] + transition[p, s]
                if value > best:
                    best, where = value, p
            score[t, s] = best + emission[s, observed[t]]
            back[t, s] = where
    path = np.zeros(n_steps, dtype=int)
    path[-1] = np.argmax(score[-1])
    for t in range(n_steps - 2, -1, -1):
        path[t] = back[t + 1, path[t + 1]]
    return path


@program(lambda r: (r.normal(size=20_000),))
def best_subarray(x):
    best = current = x[0]
    for v in x[1:]:
        current = max(v, current + v)
        best = max(best, current)
    return best


@program(lambda r: (np.array([1, 5, 10, 25, 50]), 3000))
def coin_change(coins, amount):
    ways = np.zeros(amount + 1, dtype=np.int64)
    ways[0] = 1
    for coin in coins:
        for value in range(coin, amount + 1):
            ways[value] += ways[value - coin]
    return ways[amount]


# -- simulation


@program(lambda r: (r.choice([-1, 1], (40, 40)), r.random((3, 40, 40)), 0.44))
def ising(spins, uniform, beta):
    spins = spins.copy()
    n = spins.shape[0]
    for sweep in range(uniform.shape[0]):
        for i in range(n):
            for j in range(n):
                around = (spins[(i + 1) % n, j] + spins[(i - 1) % n, j]
                          + spins[i, (j + 1) % n] + spins[i, (j - 1) % n])
                change = 2 * spins[i, j] * around
                if change <= 0 or uniform[sweep, i, j] < np.exp(-beta * change):
                    spins[i, j] = -spins[i, j]
    return spins


@program(lambda r: ((r.random((60, 60)) < 0.3).astype(int),))
def game_of_life(board):
    n, m = board.shape
    new = np.zeros_like(board)
    for i in range(n):
        for j in range(m):
            alive = 0
            for di in (-1, 0, 1):
                for dj in (-1, 0, 1):
                    if di != 0 or dj != 0:
                        alive += board[(i + di) % n, (j + dj) % m]
            if alive == 3 or (board[i, j] == 1 and alive == 2):
                new[i, j] = 1
    return new


@program(lambda r: (110, 100, 121))
def cellular_automaton(rule, steps, width):
    grid = np.zeros((steps, width), dtype=np.uint8)
    grid[0, width // 2] = 1
    for t in range(1, steps):
        for i in range(width):
            left, middle = grid[t - 1, i - 1], grid[t - 1, i]
            right = grid[t - 1, (i + 1) % width]
            grid[t, i] = (rule >> int(4 * left + 2 * middle + right)) & 1
    return grid


@program(lambda r: (r.random((30, 3)), r.random(30), 20, 0.001))
def n_body(positions, masses, steps, dt):
    x, v = positions.copy(), np.zeros_like(positions)
    n = len(masses)
    for _ in range(steps):
        for i in range(n):
            ax = ay = az = 0.0
            for j in range(n):
                if i != j:
                    dx, dy, dz = x[j, 0] - x[i, 0], x[j, 1] - x[i, 1], x[j, 2] - x[i, 2]
                    r2 = dx * dx + dy * dy + dz * dz + 0.01
                    inverse = masses[j] / (r2 * math.sqrt(r2))
                    ax += dx * inverse
                    ay += dy * inverse
                    az += dz * inverse
            v[i, 0] += ax * dt
            v[i, 1] += ay * dt
            v[i, 2] += az * dt
        x += v * dt
    return x


@program(lambda r: (4000,))
def pi_by_sampling(n):
    rng = np.random.default_rng(0)
    inside = 0
    for _ in range(n):
        x, y = rng.random(), rng.random()
        if x * x + y * y <= 1.0:
            inside += 1
    return 4.0 * inside / n


@program(lambda r: (np.zeros((40, 40)), 200))
def gauss_seidel(u, sweeps):
    u = u.copy()
    u[0, :] = 1.0
    for _ in range(sweeps):
        change = 0.0
        for i in range(1, u.shape[0] - 1):
            for j in range(1, u.shape[1] - 1):
                new = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
                change = max(change, abs(new - u[i, j]))
                u[i, j] = new
        if change < 1e-2:
            break
    return u


# -- numerical methods


@program(lambda r: (48, 32, 60))
def mandelbrot(width, height, limit):
    image = np.zeros((height, width), dtype=np.int64)
    for row in range(height):
        for column in range(width):
            c = complex(-2.0 + 3.0 * column / width, -1.0 + 2.0 * row / height)
            z = 0j
            n = 0
            while abs(z) <= 2 and n < limit:
                z = z * z + c
                n += 1
            image[row, column] = n
    return image


@program(lambda r: (48, 32, 60))
def mandelbrot_real(width, height, limit):
    image = np.zeros((height, width), dtype=np.int64)
    for row in range(height):
        for column in range(width):
            cr, ci = -2.0 + 3.0 * column / width, -1.0 + 2.0 * row / height
            x = y = 0.0
            for n in range(limit):  # noqa: B007
                if x * x + y * y > 4.0:
                    break
                x, y = x * x - y * y + cr, 2 * x * y + ci
            image[row, column] = n
    return image


@program(lambda r: (r.uniform(0.5, 100.0, 2000),))
def newton_per_element(x):
    roots = []
    for value in x:
        guess = value
        while abs(guess * guess - value) > 1e-9 * value:
            guess = 0.5 * (guess + value / guess)
        roots.append(guess)
    return np.array(roots)


@program(lambda r: (r.normal(size=(50, 5)), r.normal(size=50), 0.05, 1e-3))
def gradient_descent(X, y, rate, tolerance):
    w = np.zeros(X.shape[1])
    for step in range(1000):  # noqa: B007
        gradient = X.T @ (X @ w - y) / len(y)
        w = w - rate * gradient
        if np.linalg.norm(gradient) < tolerance:
            break
    return w, step


@program(lambda r: (lambda m: (m @ m.T + 30 * np.eye(30),))(r.normal(size=(30, 30))))
def cholesky(a):
    n = len(a)
    lower = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1):
            total = 0.0
            for k in range(j):
                total += lower[i, k] * lower[j, k]
            if i == j:
                lower[i, j] = math.sqrt(a[i, i] - total)
            else:
                lower[i, j] = (a[i, j] - total) / lower[j, j]
    return lower


@program(lambda r: (r.random((25, 30)), r.random((30, 20))))
def matrix_product(a, b):
    out = np.zeros((a.shape[0], b.shape[1]))
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            s = 0
            for k in range(a.shape[1]):
                s += a[i][k] * b[k][j]
            out[i][j] = s
    return out


def _sparse(r: np.random.Generator) -> tuple[Any, ...]:
    counts = r.integers(0, 10, 800)
    starts = np.concatenate([[0], np.cumsum(counts)])
    return r.normal(size=starts[-1]), r.integers(0, 800, starts[-1]), starts, r.normal(size=800)


@program(_sparse)
def sparse_product(data, columns, starts, x):
    y = np.zeros(len(starts) - 1)
    for i in range(len(y)):
        for k in range(starts[i], starts[i + 1]):
            y[i] += data[k] * x[columns[k]]
    return y


@program(lambda r: (r.normal(size=10_000), 0.1))
def recurrence(x, alpha):
    y = np.empty_like(x)
    y[0] = x[0]
    for i in range(1, len(x)):
        y[i] = alpha * x[i] + (1 - alpha) * y[i - 1]
    return y


# -- counting, scanning, sorting


@program(lambda r: (r.normal(size=10_000),))
def prefix_sums(x):
    total = 0.0
    sums = []
    for v in x:
        total += v
        sums.append(total)
    return np.array(sums)


@program(lambda r: (r.uniform(0, 10, 10_000), 20))
def histogram(x, bins):
    counts = np.zeros(bins, dtype=int)
    low, high = x.min(), x.max()
    width = (high - low) / bins
    for v in x:
        b = int((v - low) / width)
        if b == bins:
            b -= 1
        counts[b] += 1
    return counts


@program(lambda r: (r.normal(size=4000), 8))
def moving_average(x, window):
    out = np.zeros(len(x) - window + 1)
    for i in range(len(out)):
        s = 0.0
        for j in range(window):
            s += x[i + j]
        out[i] = s / window
    return out


@program(lambda r: (r.normal(size=5000), r.normal(size=5000)))
def correlation(x, y):
    sx = sy = sxx = syy = sxy = 0.0
    for a, b in zip(x, y):
        sx += a
        sy += b
        sxx += a * a
        syy += b * b
        sxy += a * b
    n = len(x)
    return (n * sxy - sx * sy) / math.sqrt((n * sxx - sx ** 2) * (n * syy - sy ** 2))


@program(lambda r: (r.normal(size=5000),))
def local_maxima(x):
    found = []
    for i, v in enumerate(x):
        if 0 < i < len(x) - 1 and x[i - 1] < v and v > x[i + 1]:
            found.append(i)
    return np.array(found)


@program(lambda r: (5000,))
def sieve(n):
    prime = np.ones(n + 1, dtype=bool)
    prime[:2] = False
    for i in range(2, int(n ** 0.5) + 1):
        if prime[i]:
            for j in range(i * i, n + 1, i):
                prime[j] = False
    return np.nonzero(prime)[0]


@program(lambda r: (r.normal(size=120),))
def bubble_sort(x):
    a = x.copy()
    n = len(a)
    for i in range(n):
        swapped = False
        for j in range(n - 1 - i):
            if a[j] > a[j + 1]:
                a[j], a[j + 1] = a[j + 1], a[j]
                swapped = True
        if not swapped:
            break
    return a


@program(lambda r: (np.sort(r.normal(size=2000)), r.normal(size=800)))
def binary_search(a, wanted):
    found = np.zeros(len(wanted), dtype=int)
    for i, w in enumerate(wanted):
        low, high = 0, len(a)
        while low < high:
            middle = (low + high) // 2
            if a[middle] < w:
                low = middle + 1
            else:
                high = middle
        found[i] = low
    return found


# -- graphs


@program(lambda r: (1500, r.integers(0, 1500, (2000, 2))))
def union_find(n, edges):
    parent = np.arange(n)
    groups = n
    for a, b in edges:
        while parent[a] != a:
            parent[a] = parent[parent[a]]
            a = parent[a]
        while parent[b] != b:
            parent[b] = parent[parent[b]]
            b = parent[b]
        if a != b:
            parent[a] = b
            groups -= 1
    return groups


@program(lambda r: (np.arange(0, 5 * 800 + 1, 5), r.integers(0, 800, 4000), 0))
def breadth_first(starts, neighbours, source):
    n = len(starts) - 1
    distance = np.full(n, -1)
    queue = np.zeros(n, dtype=int)
    queue[0], distance[source] = source, 0
    head, tail = 0, 1
    while head < tail:
        u = queue[head]
        head += 1
        for k in range(starts[u], starts[u + 1]):
            v = neighbours[k]
            if distance[v] < 0:
                distance[v] = distance[u] + 1
                queue[tail] = v
                tail += 1
    return distance


@program(lambda r: (r.normal(size=1500),))
def heap_sort(x):
    heap = np.zeros(len(x))
    size = 0
    for v in x:
        i = size
        size += 1
        heap[i] = v
        while i > 0 and heap[(i - 1) // 2] > heap[i]:
            parent = (i - 1) // 2
            heap[i], heap[parent] = heap[parent], heap[i]
            i = parent
    out = np.zeros(len(x))
    for k in range(len(x)):
        out[k] = heap[0]
        size -= 1
        heap[0] = heap[size]
        i = 0
        while True:
            child = 2 * i + 1
            if child >= size:
                break
            if child + 1 < size and heap[child + 1] < heap[child]:
                child += 1
            if heap[i] <= heap[child]:
                break
            heap[i], heap[child] = heap[child], heap[i]
            i = child
    return out
