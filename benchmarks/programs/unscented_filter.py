"""Estimates a falling body from radar echoes by the unscented Kalman filter (Julier, Uhlmann)."""
import numpy as np

GRAVITY, SCALE_HEIGHT = 9.81, 6100.0
RADAR_X = 30.0e3


def derivative(x):
    """Height, velocity and log of the ballistic coefficient under drag of a thinning atmosphere."""
    height, velocity, log_beta = x
    drag = 0.5 * np.exp(log_beta) * np.exp(-height / SCALE_HEIGHT) * velocity * abs(velocity)
    return np.array([velocity, -drag - GRAVITY, 0.0])


def rk4(x, dt, substeps=4):
    h = dt / substeps
    for _ in range(substeps):
        k1 = derivative(x)
        k2 = derivative(x + 0.5 * h * k1)
        k3 = derivative(x + 0.5 * h * k2)
        k4 = derivative(x + h * k3)
        x = x + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    return x


def measure(x):
    return np.array([np.hypot(RADAR_X, x[0]), np.arctan2(x[0], RADAR_X)])


class UnscentedFilter:
    def __init__(self, x, P, Q, R, alpha=0.3, beta=2.0, kappa=0.0):
        self.x, self.P, self.Q, self.R = x.copy(), P.copy(), Q, R
        n = len(x)
        lam = alpha**2 * (n + kappa) - n
        self.spread = n + lam
        self.wm = np.full(2 * n + 1, 0.5 / self.spread)
        self.wc = self.wm.copy()
        self.wm[0] = lam / self.spread
        self.wc[0] = self.wm[0] + 1.0 - alpha**2 + beta

    def sigma_points(self):
        try:
            root = np.linalg.cholesky(self.spread * self.P)
        except np.linalg.LinAlgError:
            print("covariance lost definiteness, jitter added")
            self.P = 0.5 * (self.P + self.P.T) + 1e-9 * np.eye(len(self.x))
            root = np.linalg.cholesky(self.spread * self.P)
        return np.vstack([self.x, self.x + root.T, self.x - root.T])

    def predict(self, dt):
        moved = np.array([rk4(point, dt) for point in self.sigma_points()])
        self.x = self.wm @ moved
        d = moved - self.x
        self.P = (self.wc[:, None] * d).T @ d + self.Q

    def update(self, z):
        points = self.sigma_points()
        zs = np.array([measure(point) for point in points])
        mean = self.wm @ zs
        dz, dx = zs - mean, points - self.x
        S = (self.wc[:, None] * dz).T @ dz + self.R
        K = np.linalg.solve(S, (self.wc[:, None] * dz).T @ dx).T
        self.x = self.x + K @ (z - mean)
        self.P = self.P - K @ S @ K.T


def fall(rng, dt, Q, R):
    """Follows one body down to its impact; the errors of the estimates."""
    truth = np.array([61.0e3, -3048.0, np.log(4.5e-4)]) + rng.normal(0.0, [300.0, 40.0, 0.1])
    P = np.diag([1000.0**2, 100.0**2, 0.5**2])
    ukf = UnscentedFilter(truth + rng.normal(0.0, [500.0, 60.0, 0.4]), P, Q, R)
    errors = []
    while truth[0] > 1000.0:
        truth = rk4(truth, dt)
        ukf.predict(dt)
        ukf.update(measure(truth) + rng.multivariate_normal(np.zeros(2), R))
        errors.append(ukf.x - truth)
    return np.array(errors), ukf


def main():
    rng = np.random.default_rng(7)
    Q, R = np.diag([1.0, 1.0, 1e-6]), np.diag([30.0**2, 1e-3**2])
    total = np.zeros(3)
    for run in range(1, 22):
        errors, ukf = fall(rng, 0.5, Q, R)
        total += np.mean(errors**2, axis=0)
        if run % 7 == 0:
            print(f"run {run:2d}  {len(errors)} scans, at the end {ukf.x}, error {errors[-1]}")
    print("rms", [float(v).hex() for v in np.sqrt(total / run)])
    print("state", ukf.x.tolist(), "trace", float(np.trace(ukf.P)).hex())


if __name__ == "__main__":
    main()
