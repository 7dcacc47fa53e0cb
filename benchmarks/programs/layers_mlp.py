"""Multilayer perceptron on two moons, by back-propagation and Adam (Goodfellow et al., 8.5)."""
import numpy as np


class Dense:
    def __init__(self, rng, inputs, outputs):
        self.W = rng.normal(0.0, np.sqrt(2.0 / inputs), (inputs, outputs))
        self.b = np.zeros(outputs)

    def forward(self, x):
        self.x = x
        return x @ self.W + self.b

    def backward(self, grad):
        self.dW = self.x.T @ grad
        self.db = grad.sum(axis=0)
        return grad @ self.W.T

    def parameters(self):
        return [(self.W, self.dW), (self.b, self.db)]


class ReLU:
    def forward(self, x):
        self.mask = x > 0.0
        return np.where(self.mask, x, 0.0)

    def backward(self, grad):
        return grad * self.mask

    def parameters(self):
        return []


class Softmax:
    def forward(self, x):
        e = np.exp(x - x.max(axis=1, keepdims=True))
        self.p = e / e.sum(axis=1, keepdims=True)
        return self.p

    def backward(self, y):
        """Gradient of the cross entropy."""
        grad = self.p.copy()
        grad[np.arange(len(y)), y] -= 1.0
        return grad / len(y)

    def parameters(self):
        return []


class Adam:
    def __init__(self, rate=1e-2, beta1=0.9, beta2=0.999):
        self.rate, self.beta1, self.beta2 = rate, beta1, beta2
        self.t = 0
        self.moments = {}

    def step(self, parameters):
        self.t += 1
        for k, (value, grad) in enumerate(parameters):
            if k not in self.moments:
                self.moments[k] = np.zeros_like(value), np.zeros_like(value)
            m, v = self.moments[k]
            m += (1.0 - self.beta1) * (grad - m)
            v += (1.0 - self.beta2) * (grad**2 - v)
            v_hat = v / (1.0 - self.beta2**self.t)
            value -= self.rate / (1.0 - self.beta1**self.t) * m / (np.sqrt(v_hat) + 1e-8)


def two_moons(rng, n, noise=0.2):
    t = rng.uniform(0.0, np.pi, n)
    y = rng.integers(0, 2, n)
    X = np.column_stack([np.cos(t), np.sin(t)])
    X[y == 1] = np.array([1.0, 0.5]) - X[y == 1]
    return X + rng.normal(0.0, noise, X.shape), y


def forward(layers, x):
    for layer in layers:
        x = layer.forward(x)
    return x


def main():
    rng = np.random.default_rng(0)
    X, y = two_moons(rng, 1000)
    X_test, y_test = two_moons(rng, 400)
    layers = [Dense(rng, 2, 24), ReLU(), Dense(rng, 24, 16), ReLU(), Dense(rng, 16, 2), Softmax()]
    adam = Adam()
    for epoch in range(1, 301):
        total = 0.0
        for batch in np.split(rng.permutation(len(y)), 20):
            p = forward(layers, X[batch])
            total -= np.sum(np.log(p[np.arange(len(batch)), y[batch]] + 1e-12))
            grad = y[batch]
            for layer in reversed(layers):
                grad = layer.backward(grad)
            adam.step([pair for layer in layers for pair in layer.parameters()])
        if epoch % 75 == 0:
            accuracy = np.mean(forward(layers, X_test).argmax(axis=1) == y_test)
            print(f"epoch {epoch:4d}  loss {total / len(y):.8f}  accuracy {accuracy:.4f}")
    weights = sum(np.abs(value).sum() for layer in layers for value, _ in layer.parameters())
    print("loss", float(total).hex(), "weights", float(weights).hex())


if __name__ == "__main__":
    main()
