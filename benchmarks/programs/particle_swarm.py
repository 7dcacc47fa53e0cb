"""Minimum of the Rastrigin function by particle swarm optimisation (Kennedy and Eberhart)."""
import numpy as np

DIMENSIONS = 12
PARTICLES = 40
STEPS = 1400
BOUND = 5.12


def rastrigin(x):
    return 10.0 * len(x) + np.sum(x**2 - 10.0 * np.cos(2.0 * np.pi * x))


class Particle:
    def __init__(self, rng):
        self.position = rng.uniform(-BOUND, BOUND, DIMENSIONS)
        self.velocity = rng.uniform(-1.0, 1.0, DIMENSIONS)
        self.best_position = self.position.copy()
        self.best_value = rastrigin(self.position)

    def move(self, leader, inertia, rng):
        """Update velocity and position, reflecting at the walls of the box."""
        r1 = rng.random(DIMENSIONS)
        r2 = rng.random(DIMENSIONS)
        self.velocity = (
            inertia * self.velocity
            + 1.5 * r1 * (self.best_position - self.position)
            + 1.5 * r2 * (leader - self.position)
        )
        self.position += self.velocity
        outside = np.abs(self.position) > BOUND
        if outside.any():
            np.clip(self.position, -BOUND, BOUND, out=self.position)
            self.velocity[outside] *= -0.5

    def remember(self):
        value = rastrigin(self.position)
        if value < self.best_value:
            self.best_value = value
            self.best_position[:] = self.position
        return self.best_value


def optimise(swarm, rng):
    leader = min(swarm, key=lambda particle: particle.best_value)
    best, where = leader.best_value, leader.best_position.copy()
    last_improvement = 0
    for step in range(STEPS):
        inertia = 0.9 - 0.5 * step / STEPS
        for particle in swarm:
            particle.move(where, inertia, rng)
            value = particle.remember()
            if value < best:
                best, where = value, particle.best_position.copy()
                last_improvement = step
        if step % 100 == 0:
            spread = np.std([particle.position for particle in swarm], axis=0).mean()
            print(f"step {step:4d}  best {best:.6e}  spread {spread:.4f}")
        if best < 1e-10:
            print("converged at step", step)
            break
    return best, where, last_improvement


def main():
    rng = np.random.default_rng(2024)
    swarm = [Particle(rng) for _ in range(PARTICLES)]
    best, where, last = optimise(swarm, rng)
    print("best value", float(best).hex(), "last improved at step", last)
    print("position", [float(x).hex() for x in where])
    print("speed", float(np.sum([np.linalg.norm(p.velocity) for p in swarm])).hex())


if __name__ == "__main__":
    main()
