"""Minimum of the Rosenbrock function by covariance matrix adaptation (Hansen's tutorial CMA-ES)."""
import numpy as np


def rosenbrock(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


class CMAES:
    def __init__(self, mean, sigma):
        n = len(mean)
        self.n, self.mean, self.sigma = n, mean, sigma
        self.population = 4 + int(3 * np.log(n)) * 2
        mu = self.population // 2
        weights = np.log(mu + 0.5) - np.log(np.arange(1, mu + 1))
        self.weights = weights / weights.sum()
        self.mu_eff = 1.0 / np.sum(self.weights**2)
        self.cc = (4 + self.mu_eff / n) / (n + 4 + 2 * self.mu_eff / n)
        self.cs = (self.mu_eff + 2) / (n + self.mu_eff + 5)
        self.c1 = 2 / ((n + 1.3) ** 2 + self.mu_eff)
        rank_mu = 2 * (self.mu_eff - 2 + 1 / self.mu_eff) / ((n + 2) ** 2 + self.mu_eff)
        self.cmu = min(1 - self.c1, rank_mu)
        self.damping = 1 + 2 * max(0.0, np.sqrt((self.mu_eff - 1) / (n + 1)) - 1) + self.cs
        self.chi_n = np.sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n))
        self.path_c, self.path_s = np.zeros(n), np.zeros(n)
        self.covariance = np.eye(n)
        self.basis, self.scales = np.eye(n), np.ones(n)
        self.generation = 0

    def ask(self):
        return [
            self.mean + self.sigma * self.basis @ (self.scales * np.random.randn(self.n))
            for _ in range(self.population)
        ]

    def tell(self, points, values):
        """Move mean, step size and covariance towards the better half of the points."""
        self.generation += 1
        order = np.argsort(values)[: len(self.weights)]
        old = self.mean
        self.mean = sum(w * points[i] for w, i in zip(self.weights, order))
        step = (self.mean - old) / self.sigma
        whitened = self.basis @ ((self.basis.T @ step) / self.scales)
        self.path_s *= 1 - self.cs
        self.path_s += np.sqrt(self.cs * (2 - self.cs) * self.mu_eff) * whitened
        length = np.linalg.norm(self.path_s)
        fading = np.sqrt(1 - (1 - self.cs) ** (2 * self.generation))
        stalled = length / fading / self.chi_n >= 1.4 + 2 / (self.n + 1)
        self.path_c *= 1 - self.cc
        if not stalled:
            self.path_c += np.sqrt(self.cc * (2 - self.cc) * self.mu_eff) * step
        self.update_covariance((np.array([points[i] for i in order]) - old) / self.sigma, stalled)
        self.sigma *= np.exp((self.cs / self.damping) * (length / self.chi_n - 1))

    def update_covariance(self, steps, stalled):
        correction = self.c1 * self.cc * (2 - self.cc) if stalled else 0.0
        self.covariance *= 1 - self.c1 - self.cmu + correction
        self.covariance += self.c1 * np.outer(self.path_c, self.path_c)
        for weight, step in zip(self.weights, steps):
            self.covariance += self.cmu * weight * np.outer(step, step)
        self.covariance = (self.covariance + self.covariance.T) / 2
        variances, self.basis = np.linalg.eigh(self.covariance)
        self.scales = np.sqrt(np.maximum(variances, 1e-20))


def main():
    np.random.seed(3)
    search = CMAES(np.random.uniform(-2.0, 2.0, 18), 0.5)
    for generation in range(2500):
        points = search.ask()
        values = [rosenbrock(point) for point in points]
        search.tell(points, values)
        if generation % 200 == 0:
            print(f"{generation:4d}  best {min(values):.6e}  sigma {search.sigma:.3e}")
        if min(values) < 1e-12:
            print("converged in generation", generation)
            break
    print("mean", [float(x).hex() for x in search.mean])
    print("sigma", float(search.sigma).hex(), "trace", float(np.trace(search.covariance)).hex())


if __name__ == "__main__":
    main()
