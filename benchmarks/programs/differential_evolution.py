"""Fit of a sum of damped oscillations by differential evolution (Storn and Price, rand/1/bin)."""
import random

import numpy as np

BOUNDS = np.array([[0.1, 5.0], [0.0, 1.0], [0.5, 6.0], [0.1, 5.0], [0.0, 1.0], [0.5, 6.0]])
POPULATION = 48
GENERATIONS = 400
WEIGHT, CROSSOVER = 0.7, 0.9


def model(parameters, t):
    a, decay_a, omega_a, b, decay_b, omega_b = parameters
    return a * np.exp(-decay_a * t) * np.cos(omega_a * t) + b * np.exp(-decay_b * t) * np.sin(
        omega_b * t
    )


def make_data():
    np.random.seed(7)
    t = np.linspace(0.0, 8.0, 160)
    truth = np.array([2.0, 0.25, 3.0, 1.2, 0.1, 1.4])
    return t, model(truth, t) + 0.05 * np.random.randn(t.size)


def cost(parameters, t, y):
    residual = model(parameters, t) - y
    return float(np.dot(residual, residual)) / len(y)


def mutate(population, i):
    """The donor vector of individual i, from three others."""
    others = [j for j in range(len(population)) if j != i]
    a, b, c = random.sample(others, 3)
    donor = population[a] + WEIGHT * (population[b] - population[c])
    return np.clip(donor, BOUNDS[:, 0], BOUNDS[:, 1])


def cross(target, donor):
    trial = target.copy()
    forced = random.randrange(len(target))
    for k in range(len(target)):
        if k == forced or random.random() < CROSSOVER:
            trial[k] = donor[k]
    return trial


def evolve(population, costs, t, y):
    """One generation; the number of individuals that were replaced."""
    replaced = 0
    for i in range(POPULATION):
        trial = cross(population[i], mutate(population, i))
        value = cost(trial, t, y)
        if value <= costs[i]:
            population[i] = trial
            costs[i] = value
            replaced += 1
    return replaced


def main():
    random.seed(99)
    t, y = make_data()
    low, high = BOUNDS.T
    population = low + (high - low) * np.random.rand(POPULATION, len(BOUNDS))
    costs = np.array([cost(individual, t, y) for individual in population])
    for generation in range(GENERATIONS):
        replaced = evolve(population, costs, t, y)
        if generation % 60 == 0:
            print(f"generation {generation:3d}: best {costs.min():.8f}, replaced {replaced}")
        if np.ptp(costs) < 1e-15:
            print("population collapsed in generation", generation)
            break
    best = population[np.argmin(costs)]
    print("parameters", np.round(best, 4))
    print("cost", float(costs.min()).hex(), float(costs.sum()).hex())
    print("checksum", float(population.sum()).hex(), float(best.prod()).hex())


if __name__ == "__main__":
    main()
