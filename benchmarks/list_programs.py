"""Textbook programs on Python's own lists, tuples and dicts, for the same comparison."""
from __future__ import annotations

import math
from collections import deque

import numpy as np

from .loop_programs import PROGRAMS, program

__all__ = ["PROGRAMS"]


@program(lambda r: (27, 400))
def collatz(first, last):
    longest = []
    for start in range(first, last):
        n, steps = start, 0
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            steps += 1
        longest.append(steps)
    return max(longest)


@program(lambda r: (4000,))
def sieve_in_a_list(n):
    prime = [True] * (n + 1)
    prime[0] = prime[1] = False
    for i in range(2, int(n ** 0.5) + 1):
        if prime[i]:
            for j in range(i * i, n + 1, i):
                prime[j] = False
    return sum(prime)


@program(lambda r: (90,))
def fibonacci(n):
    numbers = [0, 1]
    for _ in range(n - 2):
        numbers.append(numbers[-1] + numbers[-2])
    return numbers


@program(lambda r: (r.normal(size=100).tolist(),))
def bubble_sort_of_a_list(values):
    a = list(values)
    for i in range(len(a)):
        for j in range(len(a) - 1 - i):
            if a[j] > a[j + 1]:
                a[j], a[j + 1] = a[j + 1], a[j]
    return a


@program(lambda r: (r.integers(5, 50, 30),))
def matrix_chain_in_lists(sizes):
    n = len(sizes) - 1
    cost = [[0] * n for _ in range(n)]
    for length in range(2, n + 1):
        for i in range(n - length + 1):
            j = i + length - 1
            cost[i][j] = math.inf
            for k in range(i, j):
                q = cost[i][k] + cost[k + 1][j] + sizes[i] * sizes[k + 1] * sizes[j + 1]
                cost[i][j] = min(cost[i][j], q)
    return cost[0][n - 1]


@program(lambda r: ("kitten sitting on the mat" * 3, "sitting kittens at the mats" * 3))
def edit_distance(a, b):
    d = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in range(len(a) + 1):
        d[i][0] = i
    for j in range(len(b) + 1):
        d[0][j] = j
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            change = d[i - 1][j - 1] + (a[i - 1] != b[j - 1])
            d[i][j] = min(d[i - 1][j] + 1, d[i][j - 1] + 1, change)
    return d[len(a)][len(b)]


@program(lambda r: (r.normal(size=300),))
def longest_increasing(x):
    best = [1] * len(x)
    for i in range(len(x)):
        for j in range(i):
            if x[j] < x[i] and best[j] + 1 > best[i]:
                best[i] = best[j] + 1
    return max(best)


@program(lambda r: (7,))
def queens(n):
    columns = np.zeros(n, dtype=int)
    row = found = 0
    columns[0] = -1
    while row >= 0:
        columns[row] += 1
        if columns[row] == n:
            row -= 1
            continue
        free = True
        for k in range(row):
            apart = abs(columns[row] - columns[k])
            if apart == 0 or apart == row - k:
                free = False
                break
        if free:
            if row == n - 1:
                found += 1
            else:
                row += 1
                columns[row] = -1
    return found


@program(lambda r: (r.random((60, 60)) > 0.35, 30, 30))
def flood_fill(free, row, column):
    seen = np.zeros(free.shape, dtype=bool)
    stack, area = [(row, column)], 0
    while stack:
        i, j = stack.pop()
        if i < 0 or j < 0 or i >= free.shape[0] or j >= free.shape[1]:
            continue
        if seen[i, j] or not free[i, j]:
            continue
        seen[i, j] = True
        area += 1
        stack.append((i + 1, j))
        stack.append((i - 1, j))
        stack.append((i, j + 1))
        stack.append((i, j - 1))
    return area


@program(lambda r: (r.normal(size=(25, 25)), r.normal(size=25)))
def gauss_elimination(a, b):
    a, b = a.copy(), b.copy()
    n = len(b)
    for k in range(n):
        pivot = k
        for i in range(k + 1, n):
            if abs(a[i, k]) > abs(a[pivot, k]):
                pivot = i
        for j in range(n):
            a[k, j], a[pivot, j] = a[pivot, j], a[k, j]
        b[k], b[pivot] = b[pivot], b[k]
        for i in range(k + 1, n):
            factor = a[i, k] / a[k, k]
            for j in range(k, n):
                a[i, j] -= factor * a[k, j]
            b[i] -= factor * b[k]
    x = np.zeros(n)
    for i in range(n - 1, -1, -1):
        total = b[i]
        for j in range(i + 1, n):
            total -= a[i, j] * x[j]
        x[i] = total / a[i, i]
    return x


@program(lambda r: (np.eye(30) * 40 + r.random((30, 30)), r.random(30), 50))
def jacobi(a, b, sweeps):
    x = np.zeros(len(b))
    for _ in range(sweeps):
        new = np.zeros(len(b))
        for i in range(len(b)):
            s = b[i]
            for j in range(len(b)):
                if j != i:
                    s -= a[i, j] * x[j]
            new[i] = s / a[i, i]
        x = new
    return x


@program(lambda r: (0.0, 3.0, 2000))
def simpson(low, high, n):
    def f(x):
        return math.sin(x) * math.exp(-x * x)

    h = (high - low) / n
    total = f(low) + f(high)
    for i in range(1, n):
        total += (4 if i % 2 else 2) * f(low + i * h)
    return total * h / 3


@program(lambda r: ((1.0, 0.0), 0.01, 1000))
def runge_kutta(state, dt, steps):
    def slope(s):
        return s[1], -s[0] - 0.1 * s[1]

    path = []
    for _ in range(steps):
        k1 = slope(state)
        k2 = slope((state[0] + dt / 2 * k1[0], state[1] + dt / 2 * k1[1]))
        k3 = slope((state[0] + dt / 2 * k2[0], state[1] + dt / 2 * k2[1]))
        k4 = slope((state[0] + dt * k3[0], state[1] + dt * k3[1]))
        state = (state[0] + dt / 6 * (k1[0] + 2 * k2[0] + 2 * k3[0] + k4[0]),
                 state[1] + dt / 6 * (k1[1] + 2 * k2[1] + 2 * k3[1] + k4[1]))
        path.append(state)
    return path


@program(lambda r: (2000,))
def random_walk(steps):
    rng = np.random.default_rng(3)
    x = y = 0
    path = []
    for _ in range(steps):
        direction = rng.integers(4)
        if direction < 2:
            x += 1 if direction else -1
        else:
            y += 1 if direction == 2 else -1
        path.append((x, y))
    return path


@program(lambda r: (r.integers(0, 30, 5000),))
def histogram_in_a_dict(values):
    counts = {}
    for v in values:
        counts[v] = counts.get(v, 0) + 1
    return sorted(counts.items())


@program(lambda r: (r.normal(size=4000), 10))
def moving_average_with_a_deque(x, window):
    recent, out, total = deque(maxlen=window), [], 0.0
    for v in x:
        if len(recent) == window:
            total -= recent[0]
        recent.append(v)
        total += v
        out.append(total / len(recent))
    return np.array(out)


@program(lambda r: (r.normal(size=1000), r.normal(size=12)))
def convolution(x, kernel):
    out = []
    for i in range(len(x) - len(kernel) + 1):
        s = 0.0
        for k in range(len(kernel)):
            s += x[i + k] * kernel[len(kernel) - 1 - k]
        out.append(s)
    return np.array(out)


@program(lambda r: (r.random((20, 20)), r.uniform(0, 18.9, (1500, 2))))
def bilinear(image, points):
    out = np.zeros(len(points))
    for n, (y, x) in enumerate(points):
        i, j = int(y), int(x)
        dy, dx = y - i, x - j
        top = image[i, j] * (1 - dx) + image[i, j + 1] * dx
        bottom = image[i + 1, j] * (1 - dx) + image[i + 1, j + 1] * dx
        out[n] = top * (1 - dy) + bottom * dy
    return out


@program(lambda r: (r.normal(size=(200, 2)), 4, 8))
def k_means(points, k, rounds):
    centres = points[:k].copy()
    labels = [0] * len(points)
    for _ in range(rounds):
        for n in range(len(points)):
            nearest, least = 0, np.inf
            for c in range(k):
                dx, dy = points[n, 0] - centres[c, 0], points[n, 1] - centres[c, 1]
                if dx * dx + dy * dy < least:
                    nearest, least = c, dx * dx + dy * dy
            labels[n] = nearest
        for c in range(k):
            members = [n for n in range(len(points)) if labels[n] == c]
            if members:
                centres[c] = points[members].mean(axis=0)
    return centres, np.array(labels)


@program(lambda r: ("\n".join(f"{a:.3f}, {b:d}, name{b}" for a, b in
                             zip(r.normal(size=300), r.integers(0, 9, 300))),))
def parsing(text):
    sums, names = {}, []
    for line in text.splitlines():
        value, key, name = (part.strip() for part in line.split(","))
        sums[int(key)] = sums.get(int(key), 0.0) + float(value)
        if name not in names:
            names.append(name)
    return [sums[key] for key in sorted(sums)], len(names)


@program(lambda r: (300,))
def primes_by_division(count):
    primes, n = [], 2
    while len(primes) < count:
        is_prime = True
        for p in primes:
            if p * p > n:
                break
            if n % p == 0:
                is_prime = False
                break
        if is_prime:
            primes.append(n)
        n += 1
    return primes


@program(lambda r: (r.normal(size=400), r.normal(size=400)))
def merge_of_sorted(a, b):
    a, b = np.sort(a), np.sort(b)
    merged, i, j = [], 0, 0
    while i < len(a) and j < len(b):
        if a[i] <= b[j]:
            merged.append(a[i])
            i += 1
        else:
            merged.append(b[j])
            j += 1
    merged.extend(a[i:])
    merged.extend(b[j:])
    return np.array(merged)
