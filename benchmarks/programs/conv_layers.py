"""Small convolutional network on synthetic images: im2col, pooling and momentum (LeCun et al.)."""
import numpy as np
from numpy.lib.stride_tricks import sliding_window_view


class Conv:
    def __init__(self, channels, filters, k):
        self.k = k
        self.W = np.random.randn(channels * k * k, filters) * np.sqrt(2.0 / (channels * k * k))
        self.b = np.zeros(filters)
        self.velocity = np.zeros_like(self.W)

    def forward(self, x):
        self.shape = x.shape
        patches = sliding_window_view(x, (self.k, self.k), axis=(2, 3)).transpose(0, 2, 3, 1, 4, 5)
        self.cols = patches.reshape(-1, len(self.W))
        out = self.cols @ self.W + self.b
        return out.reshape(*patches.shape[:3], -1).transpose(0, 3, 1, 2)

    def backward(self, grad):
        n, c, k = *self.shape[:2], self.k
        h, w = grad.shape[2:]
        grad = grad.transpose(0, 2, 3, 1).reshape(-1, len(self.b))
        self.dW = self.cols.T @ grad
        self.db = grad.sum(axis=0)
        cols = (grad @ self.W.T).reshape(n, h, w, c, k, k).transpose(0, 3, 1, 2, 4, 5)
        dx = np.zeros(self.shape)
        for i in range(k):
            for j in range(k):
                dx[:, :, i:i + h, j:j + w] += cols[..., i, j]
        return dx

    def step(self, rate):
        self.velocity *= 0.9
        self.velocity -= rate * self.dW
        self.W += self.velocity
        self.b -= rate * self.db


class ReluPool:
    """Rectifier, then the maximum of each 2 by 2 block."""

    def forward(self, x):
        n, c, h, w = self.shape = x.shape
        blocks = np.maximum(x, 0.0).reshape(n, c, h // 2, 2, w // 2, 2)
        out = blocks.max(axis=(3, 5))
        self.mask = (blocks == out[:, :, :, None, :, None]) & (blocks > 0.0)
        return out

    def backward(self, grad):
        return (self.mask * grad[:, :, :, None, :, None]).reshape(self.shape)


def draw(n, size=14):
    """Images of a horizontal bar, a vertical bar, or a cross, somewhere, with noise."""
    images = np.random.normal(0.0, 0.4, (n, 1, size, size))
    labels = np.random.randint(0, 3, n)
    for image, label in zip(images[:, 0], labels):
        r, c = np.random.randint(3, size - 3, 2)
        if label != 1:
            image[r, c - 3:c + 4] += 1.0
        if label != 0:
            image[r - 3:r + 4, c] += 1.0
    return images, labels


def forward(layers, x):
    for layer in layers:
        x = layer.forward(x)
    return x[:, :, 0, 0]


def main():
    np.random.seed(77)
    X, y = draw(640)
    X_test, y_test = draw(300)
    layers = [Conv(1, 6, 3), ReluPool(), Conv(6, 8, 3), ReluPool(), Conv(8, 3, 2)]
    rows = np.arange(16)
    for epoch in range(1, 21):
        total = 0.0
        for batch in np.random.permutation(len(y)).reshape(-1, 16):
            scores = forward(layers, X[batch])
            p = np.exp(scores - scores.max(axis=1, keepdims=True))
            p /= p.sum(axis=1, keepdims=True)
            total -= np.log(p[rows, y[batch]]).sum()
            p[rows, y[batch]] -= 1.0
            grad = p[:, :, None, None] / 16
            for layer in layers[::-1]:
                grad = layer.backward(grad)
                if isinstance(layer, Conv):
                    layer.step(0.02)
        if epoch % 5 == 0:
            print(f"epoch {epoch:3d}  loss {total / len(y):.8f}")
    scores = forward(layers, X_test)
    print("accuracy", np.mean(scores.argmax(axis=1) == y_test))
    print("scores", float(np.abs(scores).sum()).hex(), "loss", float(total).hex())


if __name__ == "__main__":
    main()
