"""Median filter, bilateral filter and Floyd-Steinberg dithering of an image, pixel by pixel."""
import math
import random

import numpy as np

HEIGHT, WIDTH = 120, 128
SHARES = ((0, 1, 7 / 16), (1, -1, 3 / 16), (1, 0, 5 / 16), (1, 1, 1 / 16))


def make_image():
    """A disc and a bar on a gradient, with noise and some dead pixels."""
    random.seed(8)
    rng = np.random.default_rng(8)
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH]
    image = 60.0 + 100.0 * x / WIDTH
    image[(y - 40) ** 2 + (x - 30) ** 2 < 400] = 220.0
    image[20:60, 65:80] = 30.0
    image += rng.normal(0.0, 8.0, image.shape)
    for _ in range(200):
        image[random.randrange(HEIGHT), random.randrange(WIDTH)] = random.choice((0.0, 255.0))
    return np.clip(image, 0.0, 255.0)


def median_filter(image, radius):
    height, width = image.shape
    result = np.empty_like(image)
    for i in range(height):
        for j in range(width):
            window = image[max(i - radius, 0) : i + radius + 1, max(j - radius, 0) : j + radius + 1]
            values = np.sort(window.ravel())
            result[i, j] = values[len(values) // 2]
    return result


def bilateral_filter(image, radius, sigma_space, sigma_grey):
    height, width = image.shape
    result = np.zeros_like(image)
    space, grey = 2 * sigma_space**2, 2 * sigma_grey**2
    for i in range(height):
        for j in range(width):
            centre = image[i, j]
            total = weights = 0.0
            for k in range(max(i - radius, 0), min(i + radius + 1, height)):
                for m in range(max(j - radius, 0), min(j + radius + 1, width)):
                    distance = (k - i) ** 2 + (m - j) ** 2
                    difference = image[k, m] - centre
                    weight = math.exp(-distance / space - difference**2 / grey)
                    total += weight * image[k, m]
                    weights += weight
            result[i, j] = total / weights
    return result


def dither(image, levels):
    """Quantise to some grey levels and hand the error on to the neighbours not yet visited."""
    work = image.copy()
    height, width = work.shape
    step = 255.0 / (levels - 1)
    for i in range(height):
        for j in range(width):
            old = work[i, j]
            work[i, j] = min(max(round(old / step), 0), levels - 1) * step
            error = old - work[i, j]
            for di, dj, share in SHARES:
                if i + di < height and 0 <= j + dj < width:
                    work[i + di, j + dj] += error * share
    return work


def describe(name, image):
    print(f"{name:10} mean {image.mean():.4f}  deviation {image.std():.4f}")
    print("  ", float(image.sum()).hex(), float((image * image[::-1, ::-1]).sum()).hex())


def main():
    image = make_image()
    clean = median_filter(image, 1)
    smooth = bilateral_filter(clean, 3, 2.0, 25.0)
    for name, picture in (("noisy", image), ("median", clean), ("bilateral", smooth)):
        describe(name, picture)
    for levels in (2, 4, 16):
        dithered = dither(smooth, levels)
        describe(f"{levels} levels", dithered)
        if not np.isfinite(dithered).all():
            print("the errors ran away")


if __name__ == "__main__":
    main()
