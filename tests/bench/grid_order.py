#!/usr/bin/env python3
"""usage: grid_order.py EPSBENCH [THREADS]

Engines in epsilon grid order beside scipy's cKDTree (build + query_pairs into an array) and ref64: made points, S near 64,
rounds of all in turn, medians. Our engines are timed for index + pairs, the same work as query_pairs, and end to end, with a
sorted table of both directions and FP64 distances. A |R| other than cKDTree's ends the program; with the authors' sums a
deviation of 1e-5 is allowed. Prints Markdown.
"""

import json
import statistics
import subprocess
import sys
import tempfile
import time

import numpy
from scipy.spatial import cKDTree

EXACT = ("ego[f64,decide=truth]", "hilbert[decide=truth]", "ref64")
OFF = 1e-5  # allowed deviation of |R| with the authors' sums, in FP32 or multiplied out
SPECS = ("ego", "ego[f64]", "ego[f64,decide=truth]", "hilbert", "hilbert[type=f32]", "hilbert[decide=truth]")
SUBJECTS = (("uniform", 100000, 2), ("uniform", 100000, 3), ("uniform", 1000000, 3), ("clusters", 100000, 6),
            ("clusters", 100000, 10), ("clusters", 100000, 16), ("clusters", 1000000, 10))
ROUNDS = 3
ROUNDS_OF_MANY = 1  # points beyond REF64_POINTS
REF64_POINTS = 100000


def make(kind, n, d):
    chance = numpy.random.default_rng(1)
    if kind == "uniform":
        return chance.random((n, d))
    return chance.random((200, d))[chance.integers(200, size=n)] + 0.02 * chance.standard_normal((n, d))


def eps_of(points):
    rows = points[:: len(points) // 100][:100]
    squares = [((points - row) ** 2).sum(1) for row in rows]
    return float(numpy.sqrt(numpy.median([numpy.partition(s, 64)[64] for s in squares])))


def tree(points, eps):
    start = time.perf_counter()
    pairs = 2 * len(cKDTree(points).query_pairs(eps, output_type="ndarray")) + len(points)
    return pairs, time.perf_counter() - start


def ours(program, threads, path, eps, spec):
    """|R|, seconds of index and pairs, seconds end to end, of one trial without a warm-up."""
    script = f"set threads={threads}; load {path}; join {spec} eps={eps!r} trials=1 warmup=none"
    out = subprocess.run([program, "--no-log", "--json", "-c", script], capture_output=True, text=True, check=True)
    told = json.loads(out.stdout.splitlines()[-1])["data"]
    index = [part["median_s"] for part in told["timing"] if part["part"] == "epsilon grid order"]
    return told["pairs"], told["kernel_s"] + sum(index), told["total_s"]


def row(program, threads, kind, n, d):
    points = make(kind, n, d)
    eps = eps_of(points)
    specs = SPECS + (("ref64",) if n <= REF64_POINTS else ())
    trees, found = [], {spec: [] for spec in specs}
    with tempfile.NamedTemporaryFile(suffix=".npy") as file:
        numpy.save(file.name, points)
        for _ in range(ROUNDS if n <= REF64_POINTS else ROUNDS_OF_MANY):
            trees.append(tree(points, eps))
            for spec in specs:
                found[spec].append(ours(program, threads, file.name, eps, spec))
                if abs(found[spec][-1][0] - trees[0][0]) > OFF * trees[0][0] * (spec not in EXACT):
                    sys.exit(f"{spec}: |R| = {found[spec][-1][0]}, cKDTree's is {trees[0][0]}")
    others = statistics.median(seconds for _, seconds in trees)
    cells = [f"{kind} {n} × {d}", f"{eps:.6g}", str(trees[0][0]), f"{others:.3f}"]
    for spec in SPECS + ("ref64",):
        if spec not in found:
            cells.append("")
            continue
        pairs, total = (statistics.median(trial[k] for trial in found[spec]) for k in (1, 2))
        cells.append(f"{pairs:.3f} ({others / pairs:.1f}×), {total:.3f}")
    print("| " + " | ".join(cells) + " |", flush=True)


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    threads = int(sys.argv[2]) if len(sys.argv) > 2 else 2
    heads = ("points", "ε", "\\|R\\|", "cKDTree + query_pairs") + SPECS + ("ref64",)
    print("| " + " | ".join(heads) + " |\n|---|" + "---:|" * (len(heads) - 1))
    for kind, n, d in SUBJECTS:
        row(sys.argv[1], threads, kind, n, d)


if __name__ == "__main__":
    main()
