"""Image of spheres over a chequered floor by recursive ray tracing (Whitted), ray by ray."""
import numpy as np

WIDTH, HEIGHT = 112, 84
LIGHT = np.array([5.0, 8.0, -6.0])
SKY = np.array([0.45, 0.65, 0.9])


def normalize(v):
    return v / np.sqrt(np.dot(v, v))


def reflect(direction, normal):
    return direction - 2.0 * np.dot(direction, normal) * normal


class Sphere:
    def __init__(self, centre, radius, colour, mirror, chequered=False):
        self.centre, self.radius = np.array(centre), radius
        self.colour = np.array(colour)
        self.mirror, self.chequered = mirror, chequered

    def intersect(self, origin, direction):
        """Distance along the ray to the first hit, or None."""
        offset = origin - self.centre
        b = np.dot(offset, direction)
        c = np.dot(offset, offset) - self.radius**2
        discriminant = b * b - c
        if discriminant < 0.0:
            return None
        root = np.sqrt(discriminant)
        for t in (-b - root, -b + root):
            if t > 1e-6:
                return t
        return None

    def colour_at(self, point):
        if self.chequered and (int(np.floor(point[0])) + int(np.floor(point[2]))) % 2:
            return 0.2 * self.colour
        return self.colour


def nearest(scene, origin, direction):
    best, found = np.inf, None
    for thing in scene:
        t = thing.intersect(origin, direction)
        if t is not None and t < best:
            best, found = t, thing
    return best, found


def trace(scene, origin, direction, depth=0):
    t, thing = nearest(scene, origin, direction)
    if thing is None:
        return SKY * (0.6 + 0.4 * direction[1])
    point = origin + t * direction
    normal = (point - thing.centre) / thing.radius
    to_light = normalize(LIGHT - point)
    colour = 0.1 * thing.colour_at(point)
    above = point + 1e-4 * normal
    if nearest(scene, above, to_light)[1] is None:
        colour = colour + max(np.dot(normal, to_light), 0.0) * thing.colour_at(point)
        colour += 0.4 * max(np.dot(reflect(-to_light, normal), -direction), 0.0) ** 40
    if thing.mirror > 0.0 and depth < 3:
        seen = trace(scene, above, reflect(direction, normal), depth + 1)
        colour = (1.0 - thing.mirror) * colour + thing.mirror * seen
    return colour


def main():
    rng = np.random.default_rng(16)
    floor = Sphere([0.0, -1001.0, 0.0], 1000.0, [0.9, 0.9, 0.8], 0.1, chequered=True)
    scene = [floor, Sphere([0.0, 0.2, 3.0], 1.2, [0.9, 0.2, 0.2], 0.35)]
    for x in (-2.2, -1.0, 1.1, 2.3):
        scene.append(Sphere([x, -0.6, rng.uniform(1.0, 3.0)], 0.4, rng.random(3), 0.2))
    image, camera = np.zeros((HEIGHT, WIDTH, 3)), np.array([0.0, 0.3, -2.5])
    for row in range(HEIGHT):
        for column in range(WIDTH):
            x = (column + 0.5) / WIDTH * 2.0 - 1.0
            y = (0.5 - (row + 0.5) / HEIGHT) * 2.0 * HEIGHT / WIDTH
            colour = trace(scene, camera, normalize(np.array([x, y, 1.3])))
            image[row, column] = np.clip(colour, 0.0, 1.0)
        if row % 14 == 0:
            print(f"row {row:3d}  mean colour {np.round(image[row].mean(axis=0), 4)}")
    print("colours", [float(c).hex() for c in image.sum(axis=(0, 1))])
    print("rows", float((image.sum(axis=(1, 2)) * np.arange(HEIGHT)).sum()).hex())


if __name__ == "__main__":
    main()
