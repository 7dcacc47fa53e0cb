"""Programs whose loops work on parts of changing lengths, on small integers, on objects and texts.

Each takes what its `inputs` give, as in `loop_programs`.
"""
from __future__ import annotations

import heapq
import random
from typing import Any

import numpy as np

from .list_programs import program

# -- parts of changing lengths


def _definite(r: np.random.Generator, n: int = 100) -> tuple[Any, ...]:
    a = r.random((n, n))
    return (a @ a.T + n * np.eye(n),)


@program(_definite)
def cholesky_by_dots(A):
    A = A.copy()
    A[0, 0] = np.sqrt(A[0, 0])
    for i in range(1, A.shape[0]):
        for j in range(i):
            A[i, j] -= np.dot(A[i, :j], A[j, :j])
            A[i, j] /= A[j, j]
        A[i, i] -= np.dot(A[i, :i], A[i, :i])
        A[i, i] = np.sqrt(A[i, i])
    return A


@program(_definite)
def lu(A):
    A = A.copy()
    for i in range(A.shape[0]):
        for j in range(i):
            A[i, j] -= A[i, :j] @ A[:j, j]
            A[i, j] /= A[j, j]
        for j in range(i, A.shape[0]):
            A[i, j] -= A[i, :i] @ A[:i, j]
    return A


@program(lambda r: (*_definite(r), r.random(100)))
def ludcmp(A, b):
    A = A.copy()
    x = np.zeros_like(b)
    y = np.zeros_like(b)
    for i in range(A.shape[0]):
        for j in range(i):
            A[i, j] -= A[i, :j] @ A[:j, j]
            A[i, j] /= A[j, j]
        for j in range(i, A.shape[0]):
            A[i, j] -= A[i, :i] @ A[:i, j]
    for i in range(A.shape[0]):
        y[i] = b[i] - A[i, :i] @ y[:i]
    for i in range(A.shape[0] - 1, -1, -1):
        x[i] = (y[i] - A[i, i + 1:] @ x[i + 1:]) / A[i, i]
    return x, y


@program(lambda r: (r.random(400),))
def durbin(r):
    y = np.empty_like(r)
    alpha = -r[0]
    beta = 1.0
    y[0] = -r[0]
    for k in range(1, r.shape[0]):
        beta *= 1.0 - alpha * alpha
        alpha = -(r[k] + np.dot(np.flip(r[:k]), y[:k])) / beta
        y[:k] += alpha * np.flip(y[:k])
        y[k] = alpha
    return y


@program(lambda r: (np.tril(r.random((300, 300))) + 300 * np.eye(300), r.random(300)))
def trisolv(L, b):
    x = np.zeros_like(b)
    for i in range(x.shape[0]):
        x[i] = (b[i] - L[i, :i] @ x[:i]) / L[i, i]
    return x


@program(lambda r: (1.5, np.tril(r.random((60, 60))), r.random((60, 70))))
def trmm(alpha, A, B):
    B = B.copy()
    for i in range(B.shape[0]):
        for j in range(B.shape[1]):
            B[i, j] += np.dot(A[i + 1:, i], B[i + 1:, j])
    B *= alpha
    return B


@program(lambda r: (1.5, 1.2, r.random((50, 60)), r.random((50, 50)), r.random((50, 60))))
def symm(alpha, beta, C, A, B):
    C = C.copy()
    temp2 = np.empty((C.shape[1],), dtype=C.dtype)
    C *= beta
    for i in range(C.shape[0]):
        for j in range(C.shape[1]):
            C[:i, j] += alpha * B[i, j] * A[i, :i]
            temp2[j] = B[:i, j] @ A[i, :i]
        C[i, :] += alpha * B[i, :] * A[i, i] + alpha * temp2
    return C


@program(lambda r: (1.5, 1.2, r.random((60, 60)), r.random((60, 50))))
def syrk(alpha, beta, C, A):
    C = C.copy()
    for i in range(A.shape[0]):
        C[i, :i + 1] *= beta
        for k in range(A.shape[1]):
            C[i, :i + 1] += alpha * A[i, k] * A[:i + 1, k]
    return C


@program(lambda r: (r.random((60, 50)),))
def gramschmidt(A):
    A = A.copy()
    Q = np.zeros_like(A)
    R = np.zeros((A.shape[1], A.shape[1]), dtype=A.dtype)
    for k in range(A.shape[1]):
        nrm = np.dot(A[:, k], A[:, k])
        R[k, k] = np.sqrt(nrm)
        Q[:, k] = A[:, k] / R[k, k]
        for j in range(k + 1, A.shape[1]):
            R[k, j] = np.dot(Q[:, k], A[:, j])
            A[:, j] -= Q[:, k] * R[k, j]
    return Q, R


@program(lambda r: (r.random((50, 60)), 60.0))
def covariance(data, float_n):
    data = data.copy()
    mean = np.mean(data, axis=0)
    data -= mean
    m = data.shape[1]
    cov = np.zeros((m, m), dtype=data.dtype)
    for i in range(m):
        cov[i:m, i] = data[:, i] @ data[:, i:m] / (float_n - 1.0)
        cov[i, i:m] = cov[i:m, i]
    return cov


def _rows(r: np.random.Generator, n: int = 600, m: int = 500) -> tuple[Any, ...]:
    indptr = np.concatenate([[0], np.cumsum(r.integers(0, 12, n))])
    return (indptr, r.integers(0, m, indptr[-1]), r.random(indptr[-1]), r.random(m))


@program(_rows)
def spmv(A_row, A_col, A_val, x):
    y = np.empty(A_row.size - 1, A_val.dtype)
    for i in range(A_row.size - 1):
        cols = A_col[A_row[i]:A_row[i + 1]]
        vals = A_val[A_row[i]:A_row[i + 1]]
        y[i] = vals @ x[cols]
    return y


@program(_rows)
def csr_sums(indptr, indices, data, x):
    y = np.zeros(len(indptr) - 1)
    for i in range(len(indptr) - 1):
        lo, hi = indptr[i], indptr[i + 1]
        y[i] = (data[lo:hi] * x[indices[lo:hi]]).sum()
    return y


@program(lambda r: (r.integers(0, 4, 60),))
def nussinov(seq):
    N = len(seq)
    table = np.zeros((N, N), np.int32)
    for i in range(N - 1, -1, -1):
        for j in range(i + 1, N):
            if j - 1 >= 0:
                table[i, j] = max(table[i, j], table[i, j - 1])
            if i + 1 < N:
                table[i, j] = max(table[i, j], table[i + 1, j])
            if j - 1 >= 0 and i + 1 < N:
                if i < j - 1:
                    table[i, j] = max(table[i, j], table[i + 1, j - 1] + int(seq[i] + seq[j] == 3))
                else:
                    table[i, j] = max(table[i, j], table[i + 1, j - 1])
            for k in range(i + 1, j):
                table[i, j] = max(table[i, j], table[i, k] + table[k + 1, j])
    return table


@program(lambda r: (r.normal(size=2000), 50))
def moving_spread(x, width):
    out = np.empty(len(x))
    for i in range(len(x)):
        part = x[max(0, i - width):i + 1]
        out[i] = part.max() - part.min()
    return out


@program(lambda r: (r.normal(size=(40, 40)), 3))
def box_filter(img, radius):
    h, w = img.shape
    out = np.zeros_like(img)
    for i in range(h):
        for j in range(w):
            rows = slice(max(i - radius, 0), i + radius + 1)
            out[i, j] = img[rows, max(j - radius, 0):j + radius + 1].mean()
    return out


@program(lambda r: (r.integers(0, 2, 4000),))
def sieve_by_slices(flags):
    n = len(flags)
    prime = np.ones(n, dtype=bool)
    prime[:2] = False
    for i in range(2, int(n ** 0.5) + 1):
        if prime[i]:
            prime[i * i::i] = False
    return prime


@program(lambda r: (r.random((60, 60)) + 60 * np.eye(60), r.random(60)))
def gauss(A, b):
    A, b = A.copy(), b.copy()
    n = len(b)
    for k in range(n - 1):
        p = k + np.argmax(np.abs(A[k:, k]))
        if p != k:
            A[[k, p]] = A[[p, k]]
            b[k], b[p] = b[p], b[k]
        for i in range(k + 1, n):
            f = A[i, k] / A[k, k]
            A[i, k:] -= f * A[k, k:]
            b[i] -= f * b[k]
    x = np.zeros(n)
    for i in range(n - 1, -1, -1):
        x[i] = (b[i] - A[i, i + 1:] @ x[i + 1:]) / A[i, i]
    return x


# -- integers

@program(lambda r: (r.integers(0, 256, 4000).astype(np.uint8),))
def crc16(data, poly=0x8408):
    crc = 0xFFFF
    for b in data:
        cur_byte = 0xFF & b
        for _ in range(0, 8):
            if (crc & 0x0001) ^ (cur_byte & 0x0001):
                crc = (crc >> 1) ^ poly
            else:
                crc >>= 1
            cur_byte >>= 1
    crc = (~crc & 0xFFFF)
    crc = (crc << 8) | ((crc >> 8) & 0xFF)
    return crc & 0xFFFF


@program(lambda r: (r.integers(0, 256, 4000).astype(np.uint8),))
def adler(data):
    a, b = 1, 0
    for v in data:
        a = (a + int(v)) % 65521
        b = (b + a) % 65521
    return (b << 16) | a


@program(lambda r: (r.integers(0, 256, 4000).astype(np.uint8).tobytes(),))
def fnv_bytes(data):
    h = 0xcbf29ce484222325
    for b in data:
        h = ((h ^ b) * 0x100000001b3) & 0xFFFFFFFFFFFFFFFF
    return h


@program(lambda r: (r.integers(0, 200, (50, 60)).astype(np.uint8),))
def grey_levels(img):
    hist = np.zeros(256, dtype=np.int64)
    out = np.empty_like(img)
    for i in range(img.shape[0]):
        for j in range(img.shape[1]):
            hist[img[i, j]] += 1
            out[i, j] = img[i, j] // 2 + 20
    return hist, out


@program(lambda r: (20000,))
def linear_congruential(n):
    state = 12345
    total = 0
    for _ in range(n):
        state = (1103515245 * state + 12345) % 2147483648
        total += state & 0xFF
    return total


@program(lambda r: (20000,))
def xorshift(n):
    x = 88172645463325252
    total = 0
    for _ in range(n):
        x ^= (x << 13) & 0xFFFFFFFFFFFFFFFF
        x ^= x >> 7
        x ^= (x << 17) & 0xFFFFFFFFFFFFFFFF
        total += x & 1
    return total, x


@program(lambda r: (3000,))
def gcds(n):
    total = 0
    for a in range(1, n):
        b = n
        while b:
            a, b = b, a % b
        total += a
    return total


@program(lambda r: (r.integers(0, 1 << 30, 3000),))
def bit_counts(values):
    total = 0
    for v in values:
        v = int(v)
        while v:
            v &= v - 1
            total += 1
    return total


# -- histograms and tables

@program(lambda r: (r.random(20000), r.random(20000), 50))
def azimint_hist(data, radius, npt):
    rmax = radius.max()
    sums = np.zeros(npt)
    counts = np.zeros(npt, dtype=np.int64)
    for i in range(len(data)):
        b = int(radius[i] / rmax * (npt - 1))
        sums[b] += data[i]
        counts[b] += 1
    return sums / counts


@program(lambda r: ("".join("acgt"[i] for i in r.integers(0, 4, 100)),
                    "".join("acgt"[i] for i in r.integers(0, 4, 90))))
def levenshtein_text(a, b):
    previous = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        current = [i]
        for j, y in enumerate(b, 1):
            current.append(min(previous[j] + 1, current[j - 1] + 1, previous[j - 1] + (x != y)))
        previous = current
    return previous[-1]


@program(lambda r: (r.integers(1, 100, 40).tolist(), r.integers(1, 30, 40).tolist(), 400))
def knapsack_lists(values, weights, capacity):
    best = [0] * (capacity + 1)
    for i in range(len(values)):
        for w in range(capacity, weights[i] - 1, -1):
            best[w] = max(best[w], best[w - weights[i]] + values[i])
    return best[capacity]


def place(row, n, columns, rising, falling):
    if row == n:
        return 1
    total = 0
    for column in range(n):
        bit = 1 << column
        if not (columns & bit or rising & bit or falling & bit):
            total += place(row + 1, n, columns | bit, (rising | bit) << 1, (falling | bit) >> 1)
    return total


@program(lambda r: (6,))
def queens_recursive(n):
    return place(0, n, 0, 0, 0)


def _graph(r: np.random.Generator, n: int = 300, degree: int = 5) -> tuple[Any, ...]:
    return (np.arange(0, n * degree + 1, degree), r.integers(0, n, n * degree),
            r.random(n * degree))


@program(_graph)
def dijkstra(indptr, to, length):
    n = len(indptr) - 1
    dist = np.full(n, np.inf)
    dist[0] = 0.0
    heap = [(0.0, 0)]
    while heap:
        d, u = heapq.heappop(heap)
        if d > dist[u]:
            continue
        for e in range(indptr[u], indptr[u + 1]):
            v = to[e]
            if d + length[e] < dist[v]:
                dist[v] = d + length[e]
                heapq.heappush(heap, (dist[v], v))
    return dist


# -- objects

class Biquad:
    def __init__(self, b0, b1, b2, a1, a2):
        self.b0, self.b1, self.b2, self.a1, self.a2 = b0, b1, b2, a1, a2
        self.z1 = self.z2 = 0.0

    def step(self, x):
        y = self.b0 * x + self.z1
        self.z1 = self.b1 * x - self.a1 * y + self.z2
        self.z2 = self.b2 * x - self.a2 * y
        return y


@program(lambda r: (r.normal(size=3000),))
def biquad(x):
    f = Biquad(0.2, 0.3, 0.2, -0.5, 0.2)
    y = np.empty_like(x)
    for i in range(len(x)):
        y[i] = f.step(x[i])
    return y, f.z1


class Particle:
    __slots__ = ("v", "x")

    def __init__(self, x, v):
        self.x, self.v = x, v

    def kick(self, dt):
        self.v -= self.x * dt
        self.x += self.v * dt


@program(lambda r: (3000,))
def oscillator(n):
    p = Particle(1.0, 0.0)
    for _ in range(n):
        p.kick(0.01)
    return p.x, p.v


class Stepper:
    def __init__(self, y, t, h):
        self.y, self.t, self.h = y, t, h
        self.rejected = 0

    def rhs(self, t, y):
        return np.array([y[1], (1 - y[0] * y[0]) * y[1] - y[0]])

    def step(self, tol):
        k1 = self.rhs(self.t, self.y)
        k2 = self.rhs(self.t + self.h / 2, self.y + self.h / 2 * k1)
        k3 = self.rhs(self.t + 3 * self.h / 4, self.y + 3 * self.h / 4 * k2)
        new = self.y + self.h * (2 / 9 * k1 + 1 / 3 * k2 + 4 / 9 * k3)
        k4 = self.rhs(self.t + self.h, new)
        error = np.abs(self.h * (-5 / 72 * k1 + k2 / 12 + k3 / 9 - k4 / 8)).max()
        if error < tol:
            self.t += self.h
            self.y = new
        else:
            self.rejected += 1
        self.h *= min(2.0, max(0.3, 0.9 * np.sqrt(tol / max(error, 1e-12))))


@program(lambda r: (5.0,))
def runge_kutta(end):
    s = Stepper(np.array([2.0, 0.0]), 0.0, 0.01)
    while s.t < end:
        s.step(1e-5)
    return s.y, s.t, s.rejected


class Vector:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y)

    def __mul__(self, factor):
        return Vector(self.x * factor, self.y * factor)


@program(lambda r: (r.normal(size=2000),))
def vectors(x):
    place, speed = Vector(0.0, 1.0), Vector(1.0, 0.5)
    for v in x:
        speed = speed + Vector(v, -0.5) * 0.01
        if place.y < 0:
            speed.y = -speed.y
        place = place + speed * 0.01
    return place.x, place.y


@program(lambda r: (r.normal(size=3000),))
def counter_in_a_closure(x):
    runs, inside = 0, False

    def see(value):
        nonlocal runs, inside
        if value > 0.5 and not inside:
            runs += 1
        inside = value > 0.5

    for v in x:
        see(v)
    return runs


# -- random numbers

@program(lambda r: (2000,))
def gibbs(n):
    rng = np.random.default_rng(1)
    x = y = 0.0
    out = np.empty((n, 2))
    for i in range(n):
        x = rng.normal(0.5 * y, 0.8)
        y = rng.normal(0.5 * x, 0.8)
        out[i, 0] = x
        out[i, 1] = y
    return out


@program(lambda r: (3000,))
def metropolis(n):
    random.seed(1)
    x, accepted, total = 0.0, 0, 0.0
    for _ in range(n):
        y = x + random.uniform(-1.0, 1.0)
        if random.random() < min(1.0, (1.0 + x * x) / (1.0 + y * y)):
            x = y
            accepted += 1
        total += x
    return total, accepted


@program(lambda r: (3000,))
def random_walk(n):
    random.seed(1)
    place, furthest = 0, 0
    for _ in range(n):
        place += 2 * random.randint(0, 1) - 1
        furthest = max(furthest, abs(place))
    return place, furthest


# -- strings and the rest


@program(lambda r: ("".join("ab cd\n"[i] for i in r.integers(0, 6, 3000)),))
def word_count(text):
    words, inside = 0, False
    for c in text:
        if c == " " or c == "\n":
            inside = False
        elif not inside:
            inside = True
            words += 1
    return words


def _letters(r: np.random.Generator, count: int) -> str:
    return "".join("acgt"[i] for i in r.integers(0, 4, count))


@program(lambda r: (_letters(r, 100), _letters(r, 90)))
def longest_common_subsequence(a, b):
    d = np.zeros((len(a) + 1, len(b) + 1), dtype=int)
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            if a[i - 1] == b[j - 1]:
                d[i, j] = d[i - 1, j - 1] + 1
            else:
                d[i, j] = max(d[i - 1, j], d[i, j - 1])
    return d[-1, -1]


@program(lambda r: (r.integers(0, 256, 4000).astype(np.uint8).tobytes(),))
def adler_of_bytes(data):
    a, b = 1, 0
    for v in data:
        a = (a + v) % 65521
        b = (b + a) % 65521
    return (b << 16) | a


@program(lambda r: (r.normal(size=3000).tolist(),))
def drawdown_of_a_list(values):
    peak, worst = 0.0, 0.0
    for v in values:
        peak = max(peak, v)
        worst = max(worst, peak - v)
    return worst


@program(lambda r: (r.random(2000), 20))
def largest_by_a_heap(x, k):
    heap = []
    for v in x:
        heapq.heappush(heap, v)
        if len(heap) > k:
            heapq.heappop(heap)
    return heap


@program(lambda r: (r.normal(size=3000),))
def rare_print(x):
    total = 0.0
    for i in range(len(x)):
        total += x[i] * x[i]
        if i % 1000 == 999:
            print(end="")
    return total
