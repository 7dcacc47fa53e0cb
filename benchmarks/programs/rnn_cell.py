"""Vanilla recurrent network by back-propagation through time on a synthetic sequence (Elman)."""
import math
import random

import numpy as np


class RNN:
    def __init__(self, inputs, hidden, outputs, rng):
        self.hidden = hidden
        self.Wx = rng.standard_normal((hidden, inputs)) * 0.3
        self.Wh = rng.standard_normal((hidden, hidden)) / math.sqrt(hidden)
        self.Wy = rng.standard_normal((outputs, hidden)) * 0.3
        self.bh = np.zeros(hidden)
        self.by = np.zeros(outputs)
        self.cache = [np.zeros_like(p) for p in self.parameters()]

    def parameters(self):
        return [self.Wx, self.Wh, self.Wy, self.bh, self.by]

    def cell(self, x, h):
        return np.tanh(self.Wx @ x + self.Wh @ h + self.bh)

    def loss(self, xs, targets, h):
        hs, ys, total = [h], [], 0.0
        for x, target in zip(xs, targets):
            h = self.cell(x, h)
            hs.append(h)
            ys.append(self.Wy @ h + self.by)
            total += 0.5 * float(np.sum((ys[-1] - target) ** 2))
        grads = [np.zeros_like(p) for p in self.parameters()]
        dWx, dWh, dWy, dbh, dby = grads
        dh_next = np.zeros(self.hidden)
        for t in reversed(range(len(xs))):
            dy = ys[t] - targets[t]
            dWy += np.outer(dy, hs[t + 1])
            dby += dy
            dh = self.Wy.T @ dy + dh_next
            da = dh * (1.0 - hs[t + 1] ** 2)
            dWx += np.outer(da, xs[t])
            dWh += np.outer(da, hs[t])
            dbh += da
            dh_next = self.Wh.T @ da
        return total / len(xs), grads, h

    def step(self, grads, rate, limit=5.0):
        norm = math.sqrt(sum(float(np.sum(g * g)) for g in grads))
        scale = limit / norm if norm > limit else 1.0
        for p, g, c in zip(self.parameters(), grads, self.cache):
            g *= scale
            c *= 0.95
            c += 0.05 * g * g
            p -= rate * g / (np.sqrt(c) + 1e-6)
        return scale < 1.0


def make_sequence(length):
    """Two waves, of which one is switched on and off at random; the switch is an input, too."""
    series = np.empty((length, 2))
    on = 1.0
    for t in range(length):
        if random.random() < 0.06:
            on = 1.0 - on
        series[t, 0] = math.sin(0.31 * t) + 0.6 * on * math.sin(0.83 * t) + random.gauss(0.0, 0.02)
        series[t, 1] = on
    return series


def main():
    random.seed(64)
    rng = np.random.default_rng(64)
    series = make_sequence(1000)
    net = RNN(2, 20, 1, rng)
    window, clipped, smooth = 25, 0, 0.5
    for epoch in range(1, 25):
        h = np.zeros(net.hidden)
        for start in range(0, len(series) - window, window):
            xs = series[start:start + window]
            targets = series[start + 1:start + window + 1, :1]
            loss, grads, h = net.loss(xs, targets, h)
            clipped += net.step(grads, 0.003 * 0.92**epoch)
            smooth = 0.98 * smooth + 0.02 * loss
        if epoch % 6 == 0:
            print(f"epoch {epoch}  loss {smooth:.8f}  clipped {clipped}")
    h = np.zeros(net.hidden)
    run = series[:201].copy()
    for t in range(200):
        h = net.cell(series[t] if t < 100 else run[t], h)
        run[t + 1, :1] = net.Wy @ h + net.by
    error = (run - series[:201])[:, 0] ** 2
    print("forced", float(error[:101].mean()).hex(), "free", float(error[101:].mean()).hex())
    print("weights", [float(p.sum()).hex() for p in net.parameters()])


if __name__ == "__main__":
    main()
