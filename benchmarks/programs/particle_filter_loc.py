"""Localizes a robot among landmarks by a particle filter (Thrun, Burgard, Fox, chapter 4)."""
import math
import random

import numpy as np

WORLD = 100.0
LANDMARKS = np.array([[20.0, 20.0], [80.0, 80.0], [20.0, 80.0], [80.0, 20.0], [50.0, 55.0]])


class Particle:
    def __init__(self, x, y, heading):
        self.x, self.y, self.heading = x, y, heading
        self.weight = 1.0

    def move(self, turn, distance, turn_noise=0.0, distance_noise=0.0):
        self.heading = (self.heading + turn + random.gauss(0.0, turn_noise)) % (2.0 * math.pi)
        step = distance + random.gauss(0.0, distance_noise)
        self.x = (self.x + math.cos(self.heading) * step) % WORLD
        self.y = (self.y + math.sin(self.heading) * step) % WORLD

    def ranges(self):
        return np.sqrt((LANDMARKS[:, 0] - self.x) ** 2 + (LANDMARKS[:, 1] - self.y) ** 2)

    def likelihood(self, measured, sigma):
        error = (measured - self.ranges()) / sigma
        return math.exp(-0.5 * float(error @ error))

    def copy(self):
        return Particle(self.x, self.y, self.heading)


def systematic_resample(particles):
    n = len(particles)
    weights = np.array([p.weight for p in particles])
    if weights.sum() <= 1e-300:
        print("all particles are lost, weights made equal")
        weights[:] = 1.0
    weights /= weights.sum()
    effective = 1.0 / np.sum(weights**2)
    positions = (np.arange(n) + random.random()) / n
    cumulative = np.cumsum(weights)
    cumulative[-1] = 1.0
    chosen, i = [], 0
    for position in positions:
        while cumulative[i] < position:
            i += 1
        chosen.append(particles[i].copy())
    return chosen, effective


def estimate(particles):
    """Means on the circle, as the world is a torus."""
    poses = np.array([(p.x, p.y, p.heading) for p in particles])
    angles = poses * np.array([2.0 * np.pi / WORLD, 2.0 * np.pi / WORLD, 1.0])
    mean = np.arctan2(np.sin(angles).mean(axis=0), np.cos(angles).mean(axis=0)) % (2.0 * np.pi)
    return mean * np.array([WORLD / (2.0 * np.pi), WORLD / (2.0 * np.pi), 1.0])


def main():
    random.seed(11)
    np.random.seed(11)
    count, steps, sigma = 2200, 40, 4.0
    robot = Particle(30.0, 40.0, 0.5)
    particles = [Particle(random.uniform(0, WORLD), random.uniform(0, WORLD),
                          random.uniform(0, 2 * math.pi)) for _ in range(count)]
    errors, effectives = [], []
    for step in range(steps):
        turn, distance = 0.12 * math.sin(0.3 * step), 3.0
        robot.move(turn, distance, 0.01, 0.05)
        measured = robot.ranges() + np.random.normal(0.0, sigma / 2, len(LANDMARKS))
        for p in particles:
            p.move(turn, distance, 0.05, 0.3)
            p.weight = p.likelihood(measured, sigma)
        particles, effective = systematic_resample(particles)
        x, y, _ = estimate(particles)
        dx = min(abs(x - robot.x), WORLD - abs(x - robot.x))
        dy = min(abs(y - robot.y), WORLD - abs(y - robot.y))
        errors.append(math.hypot(dx, dy))
        effectives.append(effective)
        if step % 10 == 9:
            print(f"step {step + 1:3d}  error {errors[-1]:.5f}  effective {effective:.2f}")
    print("robot", robot.x.hex(), robot.y.hex(), robot.heading.hex())
    print("estimate", [float(v).hex() for v in estimate(particles)])
    print("errors", math.fsum(errors).hex(), "effective", float(np.mean(effectives)).hex())


if __name__ == "__main__":
    main()
