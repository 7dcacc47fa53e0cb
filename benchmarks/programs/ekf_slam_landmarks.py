"""Maps landmarks and the robot among them by EKF-SLAM (Probabilistic Robotics, chapter 10)."""
import numpy as np

DT, MAX_RANGE = 0.1, 12.0
GATE, NEW_LANDMARK = 9.21, 40.0


def wrap(angle):
    return (angle + np.pi) % (2.0 * np.pi) - np.pi


def motion(pose, control):
    (x, y, heading), (v, w) = pose, control
    return np.array([x + v * DT * np.cos(heading), y + v * DT * np.sin(heading),
                     wrap(heading + w * DT)])


class EkfSlam:
    def __init__(self, motion_noise, R):
        self.mu = np.zeros(3)
        self.sigma = np.zeros((3, 3))
        self.count = 0
        self.M = np.diag(motion_noise) ** 2
        self.R = R

    def predict(self, control):
        c, s = np.cos(self.mu[2]), np.sin(self.mu[2])
        G = np.eye(3)
        G[:2, 2] = -control[0] * DT * s, control[0] * DT * c
        V = DT * np.array([[c, 0.0], [s, 0.0], [0.0, 1.0]])
        self.mu[:3] = motion(self.mu[:3], control)
        self.sigma[:3, :3] = G @ self.sigma[:3, :3] @ G.T + V @ self.M @ V.T
        self.sigma[:3, 3:] = G @ self.sigma[:3, 3:]
        self.sigma[3:, :3] = self.sigma[:3, 3:].T

    def innovation(self, j, z):
        """Difference, its covariance and the Jacobian (over pose and landmark) of landmark j."""
        index = np.array([0, 1, 2, 3 + 2 * j, 4 + 2 * j])
        dx, dy = self.mu[3 + 2 * j:5 + 2 * j] - self.mu[:2]
        r, q = np.hypot(dx, dy), dx * dx + dy * dy
        H = np.array([[-dx / r, -dy / r, 0.0, dx / r, dy / r],
                      [dy / q, -dx / q, -1.0, -dy / q, dx / q]])
        S = H @ self.sigma[np.ix_(index, index)] @ H.T + self.R
        return np.array([z[0] - r, wrap(z[1] - np.arctan2(dy, dx) + self.mu[2])]), S, H, index

    def observe(self, z):
        best, best_d2 = None, np.inf
        for j in range(self.count):
            candidate = self.innovation(j, z)
            nu, S = candidate[:2]
            d2 = nu @ np.linalg.solve(S, nu)
            if d2 < best_d2:
                best, best_d2 = candidate, d2
        if best_d2 > NEW_LANDMARK:
            self.add(z)
        elif best_d2 < GATE:
            nu, S, H, index = best
            K = self.sigma[:, index] @ H.T @ np.linalg.inv(S)
            self.mu += K @ nu
            self.mu[2] = wrap(self.mu[2])
            self.sigma -= K @ S @ K.T

    def add(self, z):
        n = len(self.mu)
        c, s = np.cos(self.mu[2] + z[1]), np.sin(self.mu[2] + z[1])
        Gx = np.array([[1.0, 0.0, -z[0] * s], [0.0, 1.0, z[0] * c]])
        Gz = np.array([[c, -z[0] * s], [s, z[0] * c]])
        self.mu = np.append(self.mu, self.mu[:2] + z[0] * np.array([c, s]))
        grown = np.zeros((n + 2, n + 2))
        grown[:n, :n] = self.sigma
        grown[n:, :n] = Gx @ self.sigma[:3, :]
        grown[:n, n:] = grown[n:, :n].T
        grown[n:, n:] = Gx @ self.sigma[:3, :3] @ Gx.T + Gz @ self.R @ Gz.T
        self.sigma = grown
        self.count += 1


def main():
    np.random.seed(42)
    true_map = np.random.uniform(-14.0, 14.0, (22, 2)) + np.array([0.0, 10.0])
    R = np.diag([0.1, np.radians(1.0)]) ** 2
    slam = EkfSlam([0.1, np.radians(2.0)], R)
    pose, control = np.zeros(3), np.array([3.2, 0.32])
    for step in range(1, 361):
        pose = motion(pose, control + np.random.normal(0.0, [0.08, np.radians(1.5)]))
        slam.predict(control)
        offset = true_map - pose[:2]
        ranges = np.hypot(offset[:, 0], offset[:, 1])
        for i in np.flatnonzero(ranges < MAX_RANGE)[:3 if step % 2 else 6]:
            z = np.array([ranges[i], wrap(np.arctan2(offset[i, 1], offset[i, 0]) - pose[2])])
            slam.observe(z + np.random.normal(0.0, [0.1, np.radians(1.0)]))
        if step % 90 == 0:
            error = np.linalg.norm(slam.mu[:2] - pose[:2])
            print(f"step {step:4d}  landmarks {slam.count:3d}  error {error:.6f}")
    found = slam.mu[3:].reshape(-1, 2)
    nearest = np.array([np.linalg.norm(true_map - m, axis=1).min() for m in found])
    print("pose", [float(v).hex() for v in slam.mu[:3]])
    print("map error", float(nearest.mean()).hex(), "trace", float(np.trace(slam.sigma)).hex())


if __name__ == "__main__":
    main()
