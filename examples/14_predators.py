"""A differentiable solver of an ordinary differential equation: rates of growth from observations.

The solver is a loop of Runge and Kutta's steps. Its derivatives with respect to the rates are what
SciPy's least squares asks for; the Jacobian of the equation itself serves SciPy's stiff solvers.

Run it:  python examples/14_predators.py
"""
import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import least_squares

import dynamo_lite as dl

RATES = np.array([1.1, 0.4, 0.4, 0.1])
START = np.array([10.0, 5.0])
STEP, STEPS, EVERY = 0.05, 400, 20


def change(t, y, rates):
    """Prey grows and is eaten; predators grow by eating and die."""
    prey, predators = y
    meals = prey * predators
    return np.stack([rates[0] * prey - rates[1] * meals, rates[3] * meals - rates[2] * predators])


def solved(rates):
    """Both populations at every twentieth step."""
    y = START.copy()
    seen = np.empty((STEPS // EVERY, 2))
    for i in range(STEPS):
        a = change(0.0, y, rates)
        b = change(0.0, y + STEP / 2 * a, rates)
        c = change(0.0, y + STEP / 2 * b, rates)
        d = change(0.0, y + STEP * c, rates)
        y = y + STEP / 6 * (a + 2 * b + 2 * c + d)
        seen[i // EVERY] = y
    return seen


def observed():
    return solved(RATES) * (1 + 0.01 * np.random.default_rng(0).normal(size=(STEPS // EVERY, 2)))


def fitted(seen, guess):
    def residuals(rates):
        return (np.log(solved(rates)) - np.log(seen)).ravel()

    return least_squares(dl.compile(residuals), guess, jac=dl.jacobian(residuals))


def by_scipy(rates):
    """The same by an implicit method of SciPy, which asks for a Jacobian."""
    times = STEP * (EVERY * np.arange(STEPS // EVERY) + EVERY - 0.0)
    return solve_ivp(change, (0, times[-1]), START, "Radau", times, args=(rates,),
                     jac=dl.jacobian(change, 1), rtol=1e-8, atol=1e-8).y.T


if __name__ == "__main__":
    found = fitted(observed(), np.array([1.0, 0.3, 0.5, 0.12]))
    print(f"rates {np.round(found.x, 3)}, observed with {RATES}; {found.nfev} evaluations")
    print(f"SciPy's solver differs by {np.abs(by_scipy(found.x) - solved(found.x)).max():.1e}")
