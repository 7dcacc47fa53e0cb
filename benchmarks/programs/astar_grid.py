"""Finds shortest paths on a grid map with obstacles and slopes by A* (Hart, Nilsson, Raphael)."""
import heapq
import math

import numpy as np

MOVES = [(-1, 0), (1, 0), (0, -1), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1)]


class GridMap:
    """Occupied cells, and the cost of entering a free one."""

    def __init__(self, size, rng):
        self.shape = (size, size)
        self.occupied = np.zeros(self.shape, dtype=bool)
        rows, cols = np.mgrid[0:size, 0:size]
        for _ in range(size // 4):
            r, c = rng.integers(0, size, 2)
            h, w = rng.integers(2, size // 6, 2)
            if rng.random() < 0.5:
                self.occupied[r:r + h, c:c + w] = True
            else:
                self.occupied |= (rows - r) ** 2 + (cols - c) ** 2 < h * w / np.pi
        self.occupied[:3, :3] = self.occupied[-3:, -3:] = False
        self.cost = 1.0 + 0.5 * np.sin(rows / 7.0) ** 2 * np.cos(cols / 9.0) ** 2

    def neighbors(self, cell):
        r, c = cell
        for dr, dc in MOVES:
            nr, nc = r + dr, c + dc
            if not (0 <= nr < self.shape[0] and 0 <= nc < self.shape[1]) or self.occupied[nr, nc]:
                continue
            if dr and dc and (self.occupied[r, nc] or self.occupied[nr, c]):
                continue
            yield (nr, nc), math.hypot(dr, dc) * self.cost[nr, nc]


def octile(a, b):
    dr, dc = abs(a[0] - b[0]), abs(a[1] - b[1])
    return max(dr, dc) + (math.sqrt(2.0) - 1.0) * min(dr, dc)


def astar(grid, start, goal):
    frontier = [(octile(start, goal), 0, start)]
    came_from = {start: None}
    best = {start: 0.0}
    closed = set()
    pushed = 0
    while frontier:
        _, _, cell = heapq.heappop(frontier)
        if cell == goal:
            path = []
            while cell is not None:
                path.append(cell)
                cell = came_from[cell]
            return path[::-1], best[goal], len(closed)
        if cell in closed:
            continue
        closed.add(cell)
        for neighbor, step in grid.neighbors(cell):
            cost = best[cell] + step
            if cost < best.get(neighbor, math.inf):
                best[neighbor] = cost
                came_from[neighbor] = cell
                pushed += 1
                heapq.heappush(frontier, (cost + octile(neighbor, goal), pushed, neighbor))
    raise ValueError(f"no path from {start} to {goal}")


def main():
    rng = np.random.default_rng(3)
    total, expanded, turns = 0.0, 0, 0
    for number in range(13):
        grid = GridMap(128, rng)
        start, goal = (1, 1), (grid.shape[0] - 2, grid.shape[1] - 2)
        try:
            path, cost, closed = astar(grid, start, goal)
        except ValueError as error:
            print(f"map {number}: {error}")
            continue
        steps = np.diff(np.array(path), axis=0)
        turns += int(np.any(steps[1:] != steps[:-1], axis=1).sum())
        total += cost
        expanded += closed
        print(f"map {number}: cells {len(path)}  expanded {closed}  cost {cost:.6f}")
    print("expanded", expanded, "turns", turns, "total cost", float(total).hex())


if __name__ == "__main__":
    main()
