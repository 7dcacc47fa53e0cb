"""Random forest of shallow trees with bootstrap samples and out-of-bag error (Breiman 2001)."""
import random
from collections import Counter

import numpy as np


def make_spirals(n, turns=1.25, noise=0.06):
    """Three arms, with a product and two features of mere noise added."""
    y = np.arange(n) % 3
    t = np.linspace(0.15, 1.0, n)
    angle = 2.0 * np.pi * (turns * t + y / 3.0)
    X = np.column_stack([t * np.cos(angle), t * np.sin(angle)])
    X += np.random.normal(0.0, noise, X.shape)
    return np.hstack([X, X[:, :1] * X[:, 1:], np.random.normal(0.0, 1.0, (n, 2))]), y


def entropy(counts):
    p = counts[counts > 0] / counts.sum()
    return -np.sum(p * np.log2(p))


def best_split(X, y, features, cuts, classes):
    best = None
    for feature in features:
        column = X[:, feature]
        for threshold in np.quantile(column, cuts):
            mask = column <= threshold
            size = np.count_nonzero(mask)
            if size < 2 or len(y) - size < 2:
                continue
            left = np.bincount(y[mask], minlength=classes)
            right = np.bincount(y[~mask], minlength=classes)
            score = (size * entropy(left) + (len(y) - size) * entropy(right)) / len(y)
            if best is None or score < best[0]:
                best = score, feature, threshold, mask
    return best


def grow(X, y, depth, tries, cuts, classes):
    """A tree as nested tuples: (feature, threshold, left, right), or a leaf's label."""
    counts = np.bincount(y, minlength=classes)
    if depth == 0 or counts.max() == len(y) or len(y) < 6:
        return int(counts.argmax())
    features = random.sample(range(X.shape[1]), tries)
    found = best_split(X, y, features, cuts, classes)
    if found is None or found[0] >= entropy(counts):
        return int(counts.argmax())
    _, feature, threshold, mask = found
    branches = [grow(X[m], y[m], depth - 1, tries, cuts, classes) for m in (mask, ~mask)]
    return feature, threshold, *branches


def vote(tree, x):
    while isinstance(tree, tuple):
        feature, threshold, left, right = tree
        tree = left if x[feature] <= threshold else right
    return tree


def threshold_sum(tree):
    if not isinstance(tree, tuple):
        return 0.0
    return float(tree[1]) + threshold_sum(tree[2]) + threshold_sum(tree[3])


def main():
    random.seed(101)
    np.random.seed(101)
    X, y = make_spirals(450)
    n, classes = len(y), 3
    cuts = np.linspace(0.1, 0.9, 9)
    oob_votes = np.zeros((n, classes), dtype=int)
    forest = []
    for number in range(1, 25):
        rows = np.random.randint(0, n, n)
        tree = grow(X[rows], y[rows], 9, 3, cuts, classes)
        forest.append(tree)
        outside = np.setdiff1d(np.arange(n), rows)
        for i in outside:
            oob_votes[i, vote(tree, X[i])] += 1
        voted = oob_votes.sum(axis=1) > 0
        error = np.mean(oob_votes[voted].argmax(axis=1) != y[voted])
        if number % 6 == 0:
            print(f"trees {number:3d}  out-of-bag error {error:.6f}")
    X_test, y_test = make_spirals(150)
    right = 0
    for x, label in zip(X_test, y_test):
        winner, _ = Counter(vote(tree, x) for tree in forest).most_common(1)[0]
        right += winner == label
    print("right", right, "of", len(y_test), "oob", float(error).hex())
    print("thresholds", sum(threshold_sum(tree) for tree in forest).hex())


if __name__ == "__main__":
    main()
