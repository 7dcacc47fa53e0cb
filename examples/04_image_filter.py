"""An unsharp mask on a colour image: slices, casts between uint8 and float32, clipping.

Run it:  python examples/04_image_filter.py
"""
import numpy as np

import dynamo_lite as dl

TITLE = "unsharp mask, 1080 x 1920 x 3 uint8"


def function(image):
    """Sharpen `image` (height, width, 3) uint8; the border of one pixel is left out."""
    x = image.astype(np.float32) / np.float32(255)
    blurred = (
        x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:] + 4 * x[1:-1, 1:-1]
    ) / np.float32(8)
    sharp = x[1:-1, 1:-1] + np.float32(1.5) * (x[1:-1, 1:-1] - blurred)
    return (np.clip(sharp, 0, 1) * np.float32(255)).astype(np.uint8)


def inputs():
    rng = np.random.default_rng(2)
    return (rng.integers(0, 256, (1080, 1920, 3)).astype(np.uint8),)


if __name__ == "__main__":
    compiled = dl.compile(function)
    (image,) = inputs()
    print(np.array_equal(compiled(image), function(image)))
