"""Regression by gradient boosting of stumps on Friedman's test function (Friedman 2001)."""
import numpy as np


class Stump:
    """One split of one feature, with a constant on each side."""

    def __init__(self, feature, threshold, left, right):
        self.feature, self.threshold = feature, threshold
        self.left, self.right = left, right

    def predict(self, X):
        return np.where(X[:, self.feature] <= self.threshold, self.left, self.right)


def fit_stump(X, residual, orders):
    """The split with least squared error; orders has each feature's sorted rows."""
    n = len(residual)
    total = residual.sum()
    count = np.arange(1, n)
    best_score, best = -np.inf, None
    for feature, order in enumerate(orders):
        values = X[order, feature]
        sums = np.cumsum(residual[order])[:-1]
        score = sums**2 / count + (total - sums) ** 2 / (n - count)
        score[values[1:] == values[:-1]] = -np.inf
        k = int(np.argmax(score))
        if score[k] > best_score:
            best_score, threshold = score[k], 0.5 * (values[k] + values[k + 1])
            best = Stump(feature, threshold, sums[k] / (k + 1), (total - sums[k]) / (n - k - 1))
    return best


class GradientBoosting:
    def __init__(self, rounds, rate, loss="squared", delta=1.5):
        self.rounds, self.rate = rounds, rate
        self.loss, self.delta = loss, delta
        self.stumps = []

    def negative_gradient(self, y, prediction):
        error = y - prediction
        return np.clip(error, -self.delta, self.delta) if self.loss == "huber" else error

    def fit(self, X, y, X_valid, y_valid, patience=100):
        self.start = np.median(y) if self.loss == "huber" else np.mean(y)
        prediction = np.full(len(y), self.start)
        valid = np.full(len(y_valid), self.start)
        orders = [np.argsort(X[:, j], kind="stable") for j in range(X.shape[1])]
        best, best_round = np.inf, 0
        for k in range(self.rounds):
            stump = fit_stump(X, self.negative_gradient(y, prediction), orders)
            self.stumps.append(stump)
            prediction += self.rate * stump.predict(X)
            valid += self.rate * stump.predict(X_valid)
            mse = np.mean((y_valid - valid) ** 2)
            if mse < best:
                best, best_round = mse, k
            elif k - best_round > patience:
                print(f"  stopped early after {k + 1} rounds")
                break
            if k % 200 == 199:
                print(f"  round {k + 1:4d}  valid {mse:.6f}")
        del self.stumps[best_round + 1:]
        return best

    def predict(self, X):
        out = np.full(len(X), self.start)
        for stump in self.stumps:
            out += self.rate * stump.predict(X)
        return out


def friedman(rng, n):
    X = rng.random((n, 8))
    y = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2
    y += 10 * X[:, 3] + 5 * X[:, 4] + rng.normal(0.0, 1.0, n)
    return X, y


def main():
    rng = np.random.default_rng(31)
    X, y = friedman(rng, 2500)
    y[rng.random(len(y)) < 0.03] += 15.0
    X_valid, y_valid = friedman(rng, 500)
    X_test, y_test = friedman(rng, 500)
    for loss in ("squared", "huber"):
        print(loss)
        model = GradientBoosting(1000, 0.1, loss)
        best = model.fit(X, y, X_valid, y_valid)
        use = np.bincount([stump.feature for stump in model.stumps], minlength=8)
        mse = np.mean((model.predict(X_test) - y_test) ** 2)
        print("  features", use.tolist())
        print("  valid", float(best).hex(), "test", float(mse).hex())


if __name__ == "__main__":
    main()
