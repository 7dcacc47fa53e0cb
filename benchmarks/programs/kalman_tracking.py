"""Tracks many targets in the plane with linear Kalman filters of constant velocity (Bar-Shalom)."""
import numpy as np

DT = 0.1
STEPS = 400
TARGETS = 40
GATE = 16.0


class Track:
    """State (x, y, vx, vy) of one target, with its covariance."""

    def __init__(self, position, noise):
        self.x = np.array([position[0], position[1], 0.0, 0.0])
        self.P = np.diag([noise**2, noise**2, 25.0, 25.0])
        self.hits = 1
        self.misses = 0
        self.score = 0.0

    def predict(self, F, Q):
        self.x = F @ self.x
        self.P = F @ self.P @ F.T + Q

    def update(self, z, H, R):
        innovation = z - H @ self.x
        S = H @ self.P @ H.T + R
        d2 = innovation @ np.linalg.solve(S, innovation)
        if d2 > GATE:
            self.misses += 1
            return False
        K = self.P @ H.T @ np.linalg.inv(S)
        self.x += K @ innovation
        I_KH = np.eye(4) - K @ H
        self.P = I_KH @ self.P @ I_KH.T + K @ R @ K.T
        self.hits += 1
        self.score -= 0.5 * (d2 + np.log(np.linalg.det(2.0 * np.pi * S)))
        return True


def model(dt, q):
    F = np.eye(4)
    F[0, 2] = F[1, 3] = dt
    G = np.array([[dt**2 / 2, 0.0], [0.0, dt**2 / 2], [dt, 0.0], [0.0, dt]])
    H = np.zeros((2, 4))
    H[0, 0] = H[1, 1] = 1.0
    return F, q**2 * G @ G.T, H


def simulate(rng, noise):
    """True states of all targets, and measurements with a few outliers in them."""
    state = np.empty((STEPS, TARGETS, 4))
    state[0, :, :2] = rng.uniform(-50.0, 50.0, (TARGETS, 2))
    state[0, :, 2:] = rng.normal(0.0, 4.0, (TARGETS, 2))
    for k in range(1, STEPS):
        acceleration = rng.normal(0.0, 0.8, (TARGETS, 2))
        state[k, :, 2:] = state[k - 1, :, 2:] + DT * acceleration
        state[k, :, :2] = state[k - 1, :, :2] + DT * state[k, :, 2:]
    z = state[:, :, :2] + rng.normal(0.0, noise, (STEPS, TARGETS, 2))
    outliers = rng.random((STEPS, TARGETS)) < 0.02
    outliers[0] = False
    z[outliers] += rng.normal(0.0, 20.0, (outliers.sum(), 2))
    return state, z


def main():
    rng = np.random.default_rng(2024)
    noise = 0.5
    truth, measured = simulate(rng, noise)
    F, Q, H = model(DT, 1.0)
    R = noise**2 * np.eye(2)
    tracks = [Track(z, noise) for z in measured[0]]
    rms = np.zeros(STEPS)
    for k in range(1, STEPS):
        for track, z in zip(tracks, measured[k]):
            track.predict(F, Q)
            if not track.update(z, H, R) and track.misses > 15:
                print(f"step {k}: a track misses too often, x = {track.x[:2]}")
        estimates = np.array([track.x for track in tracks])
        rms[k] = np.sqrt(np.mean((estimates[:, :2] - truth[k, :, :2]) ** 2))
        if k % 80 == 0:
            print(f"step {k:4d}  rms of positions {rms[k]:.6f}")
    print("misses", sum(track.misses for track in tracks))
    print("mean rms", float(rms[20:].mean()).hex())
    print("log likelihood", float(sum(track.score for track in tracks)).hex())
    print("covariances", float(sum(np.trace(track.P) for track in tracks)).hex())


if __name__ == "__main__":
    main()
