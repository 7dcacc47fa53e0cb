"""Plans a path among round obstacles with a random tree, RRT* (Karaman, Frazzoli 2011)."""
import random

import numpy as np

STEP, RADIUS, GOAL_RATE = 0.6, 1.2, 0.08
OBSTACLES = [(3.0, 3.0, 1.0), (6.0, 6.5, 1.3), (4.0, 7.5, 0.9), (7.5, 3.0, 1.2), (2.0, 5.5, 0.7)]


class Node:
    def __init__(self, position, parent, cost):
        self.position = position
        self.parent = parent
        self.cost = cost


class Planner:
    def __init__(self, start, goal):
        self.nodes = [Node(np.array(start), None, 0.0)]
        self.goal = np.array(goal)
        self.rewired = 0

    def sample(self):
        if random.random() < GOAL_RATE:
            return self.goal
        return np.array([random.uniform(0.0, 10.0), random.uniform(0.0, 10.0)])

    def steer(self, node, point):
        direction = point - node.position
        distance = np.linalg.norm(direction)
        if distance <= STEP:
            return point.copy()
        return node.position + STEP * direction / distance

    def is_free(self, a, b):
        """Whether the segment keeps clear of every circle."""
        ab = b - a
        length2 = ab @ ab
        for cx, cy, r in OBSTACLES:
            ac = np.array([cx, cy]) - a
            t = 0.0 if length2 == 0.0 else min(max((ac @ ab) / length2, 0.0), 1.0)
            if np.linalg.norm(ac - t * ab) <= r:
                return False
        return True

    def extend(self):
        point = self.sample()
        parent = min(self.nodes, key=lambda node: np.linalg.norm(node.position - point))
        position = self.steer(parent, point)
        if not self.is_free(parent.position, position):
            return None
        cost = parent.cost + np.linalg.norm(position - parent.position)
        neighbors = [n for n in self.nodes if np.linalg.norm(n.position - position) < RADIUS]
        for node in neighbors:
            other = node.cost + np.linalg.norm(position - node.position)
            if other < cost and self.is_free(node.position, position):
                parent, cost = node, other
        new = Node(position, parent, cost)
        for node in neighbors:
            other = cost + np.linalg.norm(position - node.position)
            if other < node.cost and self.is_free(position, node.position):
                node.parent, node.cost = new, other
                self.rewired += 1
        self.nodes.append(new)
        return new


def main():
    random.seed(23)
    planner = Planner((0.5, 0.5), (9.3, 9.3))
    best = None
    for trial in range(1, 701):
        node = planner.extend()
        if node is not None and np.linalg.norm(node.position - planner.goal) < STEP:
            if best is None:
                print(f"trial {trial}: the goal is reached, cost {node.cost:.6f}")
            if best is None or node.cost < best.cost:
                best = node
        if trial % 175 == 0:
            print(f"trial {trial}: {len(planner.nodes)} nodes, {planner.rewired} rewired")
    path = []
    while best is not None:
        path.append(best.position)
        best = best.parent
    length = np.linalg.norm(np.diff(path, axis=0), axis=1).sum() if path else np.inf
    print("points", len(path), "length", float(length).hex())
    print("costs", float(sum(node.cost for node in planner.nodes)).hex())


if __name__ == "__main__":
    main()
