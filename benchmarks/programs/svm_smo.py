"""Support vector machine with an RBF kernel, trained by simplified SMO (Platt 1998)."""
import numpy as np


def rbf(A, B, gamma):
    d2 = np.sum(A**2, axis=1)[:, None] + np.sum(B**2, axis=1)[None, :] - 2.0 * A @ B.T
    return np.exp(-gamma * np.maximum(d2, 0.0))


class SVM:
    def __init__(self, C, gamma=0.5, tol=1e-3):
        self.C, self.gamma, self.tol = C, gamma, tol
        self.rng = np.random.default_rng(0)

    def _error(self, i):
        return np.sum(self.alpha * self.y * self.K[:, i]) + self.b - self.y[i]

    def _step(self, i, j, Ei):
        y, K = self.y, self.K
        if y[i] != y[j]:
            shift = self.alpha[j] - self.alpha[i]
            low, high = max(0.0, shift), min(self.C, self.C + shift)
        else:
            total = self.alpha[i] + self.alpha[j]
            low, high = max(0.0, total - self.C), min(self.C, total)
        eta = 2.0 * K[i, j] - K[i, i] - K[j, j]
        if low == high or eta >= 0.0:
            return False
        Ej = self._error(j)
        old_i, old_j = self.alpha[i], self.alpha[j]
        new_j = min(max(old_j - y[j] * (Ei - Ej) / eta, low), high)
        if abs(new_j - old_j) < 1e-5:
            return False
        new_i = old_i + y[i] * y[j] * (old_j - new_j)
        di, dj = y[i] * (new_i - old_i), y[j] * (new_j - old_j)
        b1 = self.b - Ei - di * K[i, i] - dj * K[i, j]
        b2 = self.b - Ej - di * K[i, j] - dj * K[j, j]
        self.alpha[i], self.alpha[j] = new_i, new_j
        if 0.0 < new_i < self.C:
            self.b = b1
        else:
            self.b = b2 if 0.0 < new_j < self.C else 0.5 * (b1 + b2)
        return True

    def fit(self, X, y, max_passes=4, max_sweeps=150):
        n = len(y)
        self.X, self.y = X, y
        self.K = rbf(X, X, self.gamma)
        self.alpha = np.zeros(n)
        self.b = 0.0
        passes = sweeps = 0
        while passes < max_passes and sweeps < max_sweeps:
            changed = 0
            for i in range(n):
                Ei = self._error(i)
                can_grow = y[i] * Ei < -self.tol and self.alpha[i] < self.C
                if can_grow or (y[i] * Ei > self.tol and self.alpha[i] > 0.0):
                    j = self.rng.integers(n - 1)
                    changed += self._step(i, j + (j >= i), Ei)
            passes = passes + 1 if changed == 0 else 0
            sweeps += 1
            if sweeps % 25 == 0:
                print(f"  sweep {sweeps:3d}  changed {changed:3d}  dual {self.dual():.8f}")
        return sweeps

    def dual(self):
        ay = self.alpha * self.y
        return self.alpha.sum() - 0.5 * ay @ self.K @ ay

    def decision(self, X):
        support = self.alpha > 0.0
        weights = self.alpha[support] * self.y[support]
        return rbf(X, self.X[support], self.gamma) @ weights + self.b


def rings(rng, n):
    y = rng.choice([-1.0, 1.0], n)
    radius = np.where(y > 0.0, 1.0, 2.2) + rng.normal(0.0, 0.35, n)
    angle = rng.uniform(0.0, 2.0 * np.pi, n)
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]), y


def main():
    rng = np.random.default_rng(12)
    X, y = rings(rng, 300)
    X_test, y_test = rings(rng, 200)
    for C in (0.5, 5.0):
        svm = SVM(C=C)
        print(f"C = {C}")
        sweeps = svm.fit(X, y)
        accuracy = np.mean(np.sign(svm.decision(X_test)) == y_test)
        print("  sweeps", sweeps, "support", np.count_nonzero(svm.alpha), "accuracy", accuracy)
        print("  dual", float(svm.dual()).hex(), "b", float(svm.b).hex())


if __name__ == "__main__":
    main()
