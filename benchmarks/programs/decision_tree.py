"""Classification tree by recursive splits that lower Gini impurity (CART, Breiman et al. 1984)."""
import numpy as np


class Node:
    def __init__(self, counts):
        self.label = int(np.argmax(counts))
        self.feature = self.threshold = None
        self.left = self.right = None


class DecisionTree:
    def __init__(self, classes, max_depth=8, min_leaf=3):
        self.classes = classes
        self.max_depth, self.min_leaf = max_depth, min_leaf

    def fit(self, X, y):
        self.importance = np.zeros(X.shape[1])
        self.root = self._grow(X, y, 0)
        self.importance /= self.importance.sum()
        return self

    def _gini(self, counts):
        p = counts / counts.sum()
        return 1.0 - np.sum(p * p)

    def _best_split(self, X, y, counts):
        best_gain, best = 1e-9, None
        n, parent = len(y), self._gini(counts)
        for feature in range(X.shape[1]):
            order = np.argsort(X[:, feature], kind="stable")
            values, labels = X[order, feature], y[order]
            left = np.zeros(self.classes)
            right = counts.astype(float)
            for i in range(n - 1):
                left[labels[i]] += 1.0
                right[labels[i]] -= 1.0
                nl = i + 1
                if values[i] == values[nl] or min(nl, n - nl) < self.min_leaf:
                    continue
                gain = parent - (nl * self._gini(left) + (n - nl) * self._gini(right)) / n
                if gain > best_gain:
                    best_gain = gain
                    best = feature, 0.5 * (values[i] + values[nl])
        return best, best_gain

    def _grow(self, X, y, depth):
        counts = np.bincount(y, minlength=self.classes)
        node = Node(counts)
        if depth == self.max_depth or np.count_nonzero(counts) == 1 or len(y) < 2 * self.min_leaf:
            return node
        best, gain = self._best_split(X, y, counts)
        if best is None:
            return node
        node.feature, node.threshold = best
        self.importance[node.feature] += gain * len(y)
        mask = X[:, node.feature] <= node.threshold
        node.left = self._grow(X[mask], y[mask], depth + 1)
        node.right = self._grow(X[~mask], y[~mask], depth + 1)
        return node

    def predict(self, X):
        labels = np.empty(len(X), dtype=int)
        for i, x in enumerate(X):
            node = self.root
            while node.left is not None:
                node = node.left if x[node.feature] <= node.threshold else node.right
            labels[i] = node.label
        return labels


def thresholds(node):
    if node.left is None:
        return []
    return [*thresholds(node.left), node.threshold, *thresholds(node.right)]


def main():
    np.random.seed(8)
    centers = np.random.normal(0.0, 2.2, (4, 5))
    y = np.random.randint(0, 4, 1800)
    X = centers[y] + np.random.normal(0.0, 1.3, (1800, 5))
    X[:, 4] = np.round(X[:, 4])
    for depth in (2, 4, 8):
        tree = DecisionTree(4, max_depth=depth).fit(X[:1400], y[:1400])
        train = np.mean(tree.predict(X[:1400]) == y[:1400])
        test = np.mean(tree.predict(X[1400:]) == y[1400:])
        print(f"depth {depth}: train {train:.4f}  test {test:.4f}")
    found = thresholds(tree.root)
    print("splits", len(found), "thresholds", float(np.sum(found)).hex())
    print("importance", [float(v).hex() for v in tree.importance])


if __name__ == "__main__":
    main()
