"""Evidence of a two-peaked likelihood by nested sampling (Skilling), exploring by random walks."""
import math

import numpy as np

LIVE = 100
WALK = 25
MAX_ITERATIONS = 1200
CENTRES = np.array([[0.35, 0.6, 0.5], [0.7, 0.3, 0.45]])
WIDTHS = np.array([0.06, 0.1])
AMPLITUDES = np.array([1.0, 0.5])


def log_likelihood(theta):
    square = ((theta - CENTRES) ** 2).sum(axis=1)
    peaks = np.log(AMPLITUDES) - 0.5 * square / WIDTHS**2 - 3 * np.log(WIDTHS)
    return np.logaddexp.reduce(peaks)


def log_add(a, b):
    if a == -math.inf:
        return b
    if a < b:
        a, b = b, a
    return a + math.log1p(math.exp(b - a))


def explore(start, threshold, step):
    """Random walk in the unit cube above the threshold: new point, its value, accepted steps."""
    point = start.copy()
    value = None
    accepted = 0
    for _ in range(WALK):
        trial = point + step * np.random.normal(size=point.size)
        if np.any(trial < 0.0) or np.any(trial > 1.0):
            continue
        trial_value = log_likelihood(trial)
        if trial_value > threshold:
            point, value = trial, trial_value
            accepted += 1
    return point, value, accepted


def run():
    live = np.random.uniform(size=(LIVE, CENTRES.shape[1]))
    values = np.array([log_likelihood(theta) for theta in live])
    log_evidence, information, step = -math.inf, 0.0, 0.2
    log_width = math.log(1.0 - math.exp(-1.0 / LIVE))
    for iteration in range(MAX_ITERATIONS):
        worst = int(np.argmin(values))
        log_weight = log_width + values[worst]
        updated = log_add(log_evidence, log_weight)
        if log_evidence > -math.inf:
            information = (
                math.exp(log_weight - updated) * values[worst]
                + math.exp(log_evidence - updated) * (information + log_evidence)
                - updated
            )
        log_evidence = updated
        value = None
        while value is None:
            start = live[np.random.randint(LIVE)]
            point, value, accepted = explore(start, values[worst], step)
            step *= math.exp(0.1 * (accepted / WALK - 0.4))
        live[worst], values[worst] = point, value
        log_width -= 1.0 / LIVE
        if iteration % 150 == 0:
            print(f"{iteration:5d}  log Z {log_evidence:9.5f}  step {step:.4f}")
        if values.max() + log_width + math.log(LIVE) < log_evidence - 5.0:
            print("enough of the evidence is found after", iteration, "iterations")
            break
    rest = math.log(np.mean(np.exp(values - values.max()))) + values.max()
    return log_add(log_evidence, rest + log_width + math.log(LIVE)), information, live


def main():
    np.random.seed(404)
    log_evidence, information, live = run()
    exact = math.log(np.sum(AMPLITUDES) * (2 * math.pi) ** 1.5)
    error = math.sqrt(abs(information) / LIVE)
    print(f"log Z {log_evidence:.4f} +- {error:.4f}, exact {exact:.4f}")
    print("log Z", float(log_evidence).hex(), "information", float(information).hex())
    print("live points", float(live.sum()).hex(), [float(x).hex() for x in live.mean(axis=0)])


if __name__ == "__main__":
    main()
