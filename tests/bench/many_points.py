#!/usr/bin/env python3
"""usage: many_points.py FROM.u8bin TO.u8bin COPIES [SIGMA [SEED]]

Generates many points distributed like measured ones: COPIES copies of each row, with noise added to every coordinate, the
sum of two uniform draws with standard deviation SIGMA (15), clipped to bytes. The same SEED (42) gives the same file.
"""
import sys

import numpy as np


def main(source, target, copies, sigma=15.0, seed=42):
    with open(source, "rb") as file:
        n, d = np.fromfile(file, np.uint32, 2)
        rows = np.fromfile(file, np.uint8).reshape(n, d)
    random = np.random.default_rng(seed)
    half = int(round(sigma * 1.5**0.5))  # two draws from -half … half
    with open(target, "wb") as file:
        np.array([n * copies, d], np.uint32).tofile(file)
        for _ in range(copies):
            noise = random.integers(-half, half, rows.shape, np.int8, True)
            noise = noise.astype(np.int16) + random.integers(-half, half, rows.shape, np.int8, True)
            np.clip(rows + noise, 0, 255).astype(np.uint8).tofile(file)


if __name__ == "__main__":
    if len(sys.argv) not in (4, 5, 6):
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), *map(float, sys.argv[4:5]), *map(int, sys.argv[5:]))
