"""Maps landmarks by FastSLAM 1.0: particles with a small filter for each landmark each."""
import copy
import math
import random

import numpy as np

DT = 0.2
Q = np.diag([0.15**2, math.radians(3.0) ** 2])


class Particle:
    def __init__(self, landmarks):
        self.x = self.y = self.heading = 0.0
        self.weight = 1.0
        self.seen = [False] * landmarks
        self.mean = np.zeros((landmarks, 2))
        self.cov = np.zeros((landmarks, 2, 2))

    def move(self, v, w):
        v += random.gauss(0.0, 0.2)
        self.heading += (w + random.gauss(0.0, 0.03)) * DT
        self.x += v * DT * math.cos(self.heading)
        self.y += v * DT * math.sin(self.heading)

    def start_landmark(self, j, z):
        angle = self.heading + z[1]
        c, s = math.cos(angle), math.sin(angle)
        self.mean[j] = self.x + z[0] * c, self.y + z[0] * s
        G = np.array([[c, -z[0] * s], [s, z[0] * c]])
        self.cov[j] = G @ Q @ G.T
        self.seen[j] = True

    def update_landmark(self, j, z):
        dx, dy = self.mean[j] - (self.x, self.y)
        r = math.hypot(dx, dy)
        bearing = z[1] - math.atan2(dy, dx) + self.heading
        nu = np.array([z[0] - r, math.atan2(math.sin(bearing), math.cos(bearing))])
        H = np.array([[dx / r, dy / r], [-dy / r**2, dx / r**2]])
        S = H @ self.cov[j] @ H.T + Q
        S_inverse = np.linalg.inv(S)
        K = self.cov[j] @ H.T @ S_inverse
        self.mean[j] += K @ nu
        self.cov[j] = (np.eye(2) - K @ H) @ self.cov[j]
        density = math.exp(-0.5 * float(nu @ S_inverse @ nu))
        self.weight *= density / (2.0 * math.pi * math.sqrt(np.linalg.det(S)))


def resample(particles):
    weights = np.array([p.weight for p in particles])
    if weights.sum() <= 0.0:
        print("weights vanished")
        weights[:] = 1.0
    weights /= weights.sum()
    for p, w in zip(particles, weights):
        p.weight = float(w)
    if 1.0 / np.sum(weights**2) > 0.6 * len(particles):
        return particles, False
    comb = (np.arange(len(particles)) + random.random()) / len(particles)
    chosen = np.searchsorted(np.cumsum(weights)[:-1], comb)
    fresh = [copy.deepcopy(particles[i]) for i in chosen]
    for p in fresh:
        p.weight = 1.0 / len(fresh)
    return fresh, True


def main():
    random.seed(5)
    angles = np.linspace(0.0, 2.0 * np.pi, 8, endpoint=False)
    landmarks = np.column_stack([6.0 * np.cos(angles) + 1.0, 6.0 * np.sin(angles) + 4.0])
    particles = [Particle(len(landmarks)) for _ in range(50)]
    x = y = heading = 0.0
    v, w, resampled = 1.6, 0.4, 0
    for step in range(1, 121):
        heading += w * DT
        x += v * DT * math.cos(heading)
        y += v * DT * math.sin(heading)
        scans = []
        for j, (dx, dy) in enumerate(landmarks - (x, y)):
            if (distance := math.hypot(dx, dy)) < 5.5:
                bearing = math.atan2(dy, dx) - heading + random.gauss(0.0, 0.03)
                scans.append((j, (distance + random.gauss(0.0, 0.1), bearing)))
        for p in particles:
            p.move(v, w)
            for j, z in scans:
                if p.seen[j]:
                    p.update_landmark(j, z)
                else:
                    p.start_landmark(j, z)
        best = max(particles, key=lambda p: p.weight)
        particles, did = resample(particles)
        resampled += did
        if step % 30 == 0:
            print(f"step {step:3d}  error {math.hypot(best.x - x, best.y - y):.6f}")
    errors = np.linalg.norm(best.mean - landmarks, axis=1)[best.seen]
    print("resampled", resampled, "pose", best.x.hex(), best.y.hex())
    print("map error", float(errors.mean()).hex(), "weight", best.weight.hex())


if __name__ == "__main__":
    main()
