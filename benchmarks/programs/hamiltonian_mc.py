"""Posterior of a logistic regression by Hamiltonian Monte Carlo (Neal 2011, leapfrog steps)."""
import numpy as np

SAMPLES = 4500
LEAPS = 14


def make_data(rng, count=180, features=5):
    x = np.column_stack([np.ones(count), rng.normal(size=(count, features - 1))])
    truth = np.array([0.4, -1.0, 1.6, 0.0, 0.7])
    chance = 1.0 / (1.0 + np.exp(-x @ truth))
    return x, (rng.random(count) < chance).astype(float), truth


class Posterior:
    """Logistic likelihood with a Gaussian prior of standard deviation `scale`."""

    def __init__(self, x, y, scale=3.0):
        self.x, self.y, self.scale = x, y, scale
        self.evaluations = 0

    def log_density(self, beta):
        logits = self.x @ beta
        likelihood = self.y @ logits - np.logaddexp(0.0, logits).sum()
        return likelihood - 0.5 * np.sum((beta / self.scale) ** 2)

    def gradient(self, beta):
        self.evaluations += 1
        p = 1.0 / (1.0 + np.exp(-(self.x @ beta)))
        return self.x.T @ (self.y - p) - beta / self.scale**2


def leapfrog(posterior, position, momentum, step):
    position = position.copy()
    momentum = momentum + 0.5 * step * posterior.gradient(position)
    for leap in range(LEAPS):
        position += step * momentum
        if leap != LEAPS - 1:
            momentum += step * posterior.gradient(position)
    momentum += 0.5 * step * posterior.gradient(position)
    return position, -momentum


def sample(posterior, rng, step=0.02):
    """The chain and how many proposals were accepted; the step size adapts in the first third."""
    position = np.zeros(posterior.x.shape[1])
    density = posterior.log_density(position)
    chain = np.empty((SAMPLES, len(position)))
    accepted = 0
    for i in range(SAMPLES):
        momentum = rng.standard_normal(len(position))
        proposal, end = leapfrog(posterior, position, momentum, step)
        proposed = posterior.log_density(proposal)
        log_ratio = proposed - density + 0.5 * (momentum @ momentum - end @ end)
        if not np.isfinite(log_ratio):
            print("divergent trajectory at sample", i)
        accept = np.log(rng.random()) < log_ratio
        if accept:
            position, density = proposal, proposed
            accepted += 1
        if i < SAMPLES // 3:
            step *= 1.02 if accept else 0.95
        chain[i] = position
        if i % 500 == 0:
            print(f"sample {i:4d}  log density {density:.5f}  step {step:.5f}")
    return chain, accepted


def main():
    rng = np.random.default_rng(seed=12)
    x, y, truth = make_data(rng)
    posterior = Posterior(x, y)
    chain, accepted = sample(posterior, rng)
    kept = chain[SAMPLES // 3 :]
    print("truth    ", truth)
    print("mean     ", np.round(kept.mean(axis=0), 3))
    print("deviation", np.round(kept.std(axis=0), 3))
    print("accepted", accepted, "gradients", posterior.evaluations)
    print("checksum", float(chain.sum()).hex(), [float(b).hex() for b in chain[-1]])


if __name__ == "__main__":
    main()
