#!/usr/bin/env python3
"""usage: index_peers.py FILE EPS THREADS TRIALS

The same join by other programs, index construction included: scipy's cKDTree (build + query_pairs), scikit-learn's
radius_neighbors_graph, pykdtree. FILE is n and d as uint64, then n * d FP64. Prints a line each: name, |R| as it finds it,
the seconds of each trial; or name, n/a and why. Exit status 1: FILE is no such file.

pykdtree finds only k nearest neighbours: k is the largest number of neighbours of any point, which must be known.
pykdtree is left out if k is more than 1000.
"""
import os
import sys
import time


def scipy_tree(points, eps, threads):
    from scipy.spatial import cKDTree

    pairs = cKDTree(points).query_pairs(eps, output_type="ndarray")
    return 2 * len(pairs) + len(points)


def scikit_learn(points, eps, threads):
    from sklearn.neighbors import radius_neighbors_graph

    graph = radius_neighbors_graph(points, eps, mode="distance", include_self=True, n_jobs=threads)
    return graph.nnz


def pykdtree_tree(points, eps, threads, most=[0]):
    import numpy as np
    from pykdtree.kdtree import KDTree

    tree = KDTree(points)
    if not most[0]:
        from scipy.spatial import cKDTree

        lengths = cKDTree(points).query_ball_point(points, eps, return_length=True, workers=threads)
        most[0] = int(np.max(lengths))
        if most[0] > 1000:
            raise RuntimeError(f"a point has {most[0]} neighbours")
    # pykdtree's bound is exclusive.
    distances, _ = tree.query(points, k=most[0], distance_upper_bound=float(np.nextafter(eps, np.inf)))
    return int(np.isfinite(distances).sum())


def measure(name, join, points, eps, threads, trials):
    pairs = join(points, eps, threads)  # warm-up; also stores what later calls need
    times = []
    for _ in range(trials):
        start = time.monotonic()
        pairs = join(points, eps, threads)
        times.append(time.monotonic() - start)
    print(name, pairs, *(f"{t:.6f}" for t in times), flush=True)


def main():
    path, eps, threads, trials = sys.argv[1], float(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    os.environ["OMP_NUM_THREADS"] = str(threads)
    peers = (("scipy", scipy_tree), ("scikit-learn", scikit_learn), ("pykdtree", pykdtree_tree))
    try:
        import numpy as np
    except ImportError:
        for name, _ in peers:
            print(name, "n/a", "numpy is not installed")
        return 0
    n, d = np.fromfile(path, dtype="<u8", count=2)
    points = np.fromfile(path, dtype="<f8", offset=16).reshape(int(n), int(d))
    for name, join in peers:
        try:
            measure(name, join, points, eps, threads, trials)
        except ImportError:
            print(name, "n/a", "not installed", flush=True)
        except (MemoryError, RuntimeError) as why:
            print(name, "n/a", str(why).replace("\n", " ") or "out of memory", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
