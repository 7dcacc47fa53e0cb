"""Distance fields around walls by a Dijkstra wavefront on an array, and descent along them."""
import numpy as np

SIZE = 110
DIAGONAL = np.sqrt(2.0)
FREE, WALL = 0, 1


def build_map(size):
    """Random walls with gaps in them, inside a closed border."""
    cells = np.full((size, size), FREE, dtype=np.int8)
    cells[[0, -1], :] = WALL
    cells[:, [0, -1]] = WALL
    for _ in range(24):
        position = np.random.randint(5, size - 5)
        start, length = np.random.randint(1, size // 2), np.random.randint(10, size // 2)
        if np.random.rand() < 0.5:
            cells[position, start:start + length] = WALL
        else:
            cells[start:start + length, position] = WALL
    return cells


def wavefront(cells, speed, source):
    """Cost to reach each cell from the source; the front is the set of open cells of an array."""
    distance = np.full(cells.shape, np.inf)
    distance[source] = 0.0
    open_cells = np.zeros(cells.shape, dtype=bool)
    open_cells[source] = True
    sweeps = 0
    while open_cells.any():
        rows, cols = np.nonzero(open_cells)
        level = distance[rows, cols]
        near = level <= level.min() + 0.5
        sweeps += 1
        for r, c in zip(rows[near], cols[near]):
            open_cells[r, c] = False
            here = distance[r, c]
            for dr in (-1, 0, 1):
                for dc in (-1, 0, 1):
                    if (dr == 0 and dc == 0) or cells[r + dr, c + dc] == WALL:
                        continue
                    length = DIAGONAL if dr and dc else 1.0
                    candidate = here + length / speed[r + dr, c + dc]
                    if candidate < distance[r + dr, c + dc]:
                        distance[r + dr, c + dc] = candidate
                        open_cells[r + dr, c + dc] = True
    return distance, sweeps


def descend(distance, start):
    r, c = start
    path = [start]
    while distance[r, c] > 0.0:
        window = distance[r - 1:r + 2, c - 1:c + 2]
        k = int(np.argmin(window))
        if k == 4:
            print("local minimum at", (r, c))
            break
        r, c = r + k // 3 - 1, c + k % 3 - 1
        path.append((r, c))
    return path


def main():
    np.random.seed(17)
    cells = build_map(SIZE)
    rows, cols = np.indices(cells.shape)
    speed = 0.75 + 0.25 * np.cos(rows / 11.0) * np.sin(cols / 8.0)
    free = np.argwhere(cells == FREE)
    checksum, lengths = 0.0, []
    field = np.zeros(cells.shape)
    for number in range(10):
        source = tuple(free[np.random.randint(len(free))])
        distance, sweeps = wavefront(cells, speed, source)
        reached = np.isfinite(distance)
        field += np.where(reached, distance, 0.0)
        far = np.unravel_index(np.argmax(np.where(reached, distance, -1.0)), distance.shape)
        path = descend(distance, far)
        lengths.append(len(path))
        checksum += float(distance[reached].sum())
        print(f"source {number}: sweeps {sweeps}  reached {reached.sum()}"
              f"  farthest {distance[far]:.6f}  path {len(path)}")
    gy, gx = np.gradient(field)
    print("lengths", lengths, "checksum", checksum.hex())
    print("field", float(field.sum()).hex(), "slope", float(np.hypot(gx, gy).mean()).hex())


if __name__ == "__main__":
    main()
