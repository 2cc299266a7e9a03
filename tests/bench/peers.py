#!/usr/bin/env python3
"""usage: peers.py versions
       peers.py PEER POINTS TRUTH THREADS join EPS
       peers.py PEER POINTS TRUTH THREADS knn K

One question answered by another program, its index built anew each time; tests/bench/beside.py asks. `versions` prints which
peers this Python has, as JSON.

POINTS: .npy, .fbin or .u8bin, also .gz. TRUTH: `save`'s .npz for a join, `knn save=`'s .csv; its queries are the queries, taken
out of the points unless every point is one. The first line printed has the seconds of the first answer, and the pairs (or the
neighbours) that the answer has and the truth lacks, wrong, and the other way round, missing. A pair counts once, self pairs do
not. Then each line read is a trial, answered by its seconds.

Before the clock starts points are FP64, for FAISS FP32. After it stops the answer is in memory as the peer leaves it.
"""
import glob
import gzip
import importlib
import io
import json
import os
import sys
import time

MODULES = {"scipy": "scipy", "scikit-learn": "sklearn", "pykdtree": "pykdtree", "faiss": "faiss"}
MOST = 1000  # pykdtree finds k nearest only: neighbours that the most crowded point may have
NEAR = 1e-12  # relative: a neighbour as far as the k-th is right, whichever row it is


def versions():
    from importlib.metadata import PackageNotFoundError, version

    found = {}
    for peer, module in MODULES.items():
        try:
            loaded = importlib.import_module(module)
            importlib.import_module("numpy")
        except ImportError:
            continue
        try:
            found[peer] = getattr(loaded, "__version__", None) or version(peer)
        except PackageNotFoundError:
            found[peer] = "of unknown version"
        if peer == "faiss" and loaded.__file__.startswith("/usr/lib/"):  # the distribution's multiplies by the system's BLAS
            libraries = [os.path.realpath(path) for path in glob.glob("/usr/lib/*/libblas.so.3")]
            found[peer] += " on OpenBLAS" if any("openblas" in path for path in libraries) else " on a slow BLAS (apt install libopenblas0-pthread)"
    return found


def read(path):
    import numpy as np

    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        raw = file.read()
    if ".npy" in path:
        return np.load(io.BytesIO(raw))
    n, d = np.frombuffer(raw, "<u4", 2).astype(int)
    return np.frombuffer(raw, np.uint8 if ".u8bin" in path else "<f4", n * d, 8).reshape(n, d)


# ---- joins: a function that is timed, and the pairs of its answer ----


def scipy_join(points, eps, threads, most):
    from scipy.spatial import cKDTree

    pairs = cKDTree(points).query_pairs(eps, output_type="ndarray")
    return lambda: (pairs[:, 0], pairs[:, 1])


def sklearn_join(points, eps, threads, most):
    from sklearn.neighbors import radius_neighbors_graph

    graph = radius_neighbors_graph(points, eps, mode="distance", include_self=False, n_jobs=threads)
    return graph.nonzero


def pykdtree_join(points, eps, threads, most):
    import numpy as np
    from pykdtree.kdtree import KDTree

    # The bound is exclusive.
    distances, rows = KDTree(points).query(points, k=most, distance_upper_bound=float(np.nextafter(eps, np.inf)))
    found = np.isfinite(distances)
    return lambda: (np.nonzero(found)[0], rows[found])


def faiss_join(points, eps, threads, most):
    import faiss
    import numpy as np

    index = faiss.IndexFlatL2(points.shape[1])
    index.add(points)
    # FAISS compares squared distances with <, in FP32: the next number above eps squared lets the boundary in.
    limits, _, rows = index.range_search(points, float(np.nextafter(np.float32(eps * eps), np.float32(np.inf))))
    return lambda: (np.repeat(np.arange(len(points)), np.diff(limits.astype(np.int64))), rows)


def keys(left, right, n):
    """A number for each pair of two points, ascending, each once."""
    import numpy as np

    left, right = np.asarray(left, np.int64), np.asarray(right, np.int64)
    found = np.sort((np.minimum(left, right) * n + np.maximum(left, right))[left != right])
    return found[np.diff(found, prepend=-1) != 0]


def pairs_of_table(path, n):
    import numpy as np

    with np.load(path) as table:
        starts, rows = table["indptr"].astype(np.int64), table["indices"]
    return np.repeat(np.arange(n), np.diff(starts)), rows, int(np.diff(starts).max())


def differences(found, true):
    import numpy as np

    return len(np.setdiff1d(found, true, True)), len(np.setdiff1d(true, found, True))


# ---- the k nearest: `own` is 1 if a query is one of the points; numbers of rows of `base` ----


def scipy_knn(base, asked, k, threads):
    from scipy.spatial import cKDTree

    return cKDTree(base).query(asked, k, workers=threads)[1]


def sklearn_knn(base, asked, k, threads):
    from sklearn.neighbors import NearestNeighbors

    return NearestNeighbors(n_neighbors=k, n_jobs=threads).fit(base).kneighbors(asked)[1]


def pykdtree_knn(base, asked, k, threads):
    from pykdtree.kdtree import KDTree

    return KDTree(base).query(asked, k=k)[1]


def faiss_knn(base, asked, k, threads):
    import faiss

    index = faiss.IndexFlatL2(base.shape[1])
    index.add(base)
    return index.search(asked, k)[1]


def wrong_and_missing(points, queries, found, true):
    """Neighbours farther than the k-th; places of true neighbours that no right one took."""
    import numpy as np

    k = true.shape[1]
    away = lambda rows: np.sqrt(((points[rows] - points[queries][:, None]) ** 2).sum(2))
    others = (found != queries[:, None]) & (found >= 0)
    others &= np.cumsum(others, 1) <= k
    right = (found[:, :, None] == true[:, None, :]).any(2) | (away(found) <= away(true[:, -1:]) * (1 + NEAR))
    return int((others & ~right).sum()), true.size - int((others & right).sum())


# ---- the conversation ----

JOINS = {"scipy": scipy_join, "scikit-learn": sklearn_join, "pykdtree": pykdtree_join, "faiss": faiss_join}
NEAREST = {"scipy": scipy_knn, "scikit-learn": sklearn_knn, "pykdtree": pykdtree_knn, "faiss": faiss_knn}


def clocked(function):
    start = time.monotonic()
    answer = function()
    return time.monotonic() - start, answer


def join(peer, points, truth, threads, eps):
    n = len(points)
    left, right, most = pairs_of_table(truth, n)
    if peer == "pykdtree" and most > MOST:
        return None, {"why": f"it finds k nearest only, and a point has {most} neighbours"}
    given = points.astype("float32" if peer == "faiss" else "float64")
    ask = lambda: JOINS[peer](given, eps, threads, most)
    seconds, answer = clocked(ask)
    wrong, missing = differences(keys(*answer(), n), keys(left, right, n))
    return ask, {"seconds": seconds, "wrong": wrong, "missing": missing}


def knn(peer, points, truth, threads, k):
    import numpy as np

    listed = np.loadtxt(truth, delimiter=",", skiprows=1, usecols=(0, 2), dtype=np.int64)
    queries, true = listed[::k, 0], listed[:, 1].reshape(-1, k)
    every = len(queries) == len(points)
    given = points.astype("float32" if peer == "faiss" else "float64")
    rows = np.arange(len(points)) if every else np.setdiff1d(np.arange(len(points)), queries)
    base, asked = given[rows], given[queries]
    ask = lambda: NEAREST[peer](base, asked, k + every, threads)
    seconds, answer = clocked(ask)
    answer = np.asarray(answer, np.int64)
    found = np.where((answer >= 0) & (answer < len(rows)), rows[np.clip(answer, 0, len(rows) - 1)], -1)
    wrong, missing = wrong_and_missing(points.astype("float64"), queries, found, true)
    return ask, {"seconds": seconds, "wrong": wrong, "missing": missing}


def main():
    if sys.argv[1:] == ["versions"]:
        print(json.dumps(versions()))
        return
    peer, path, truth, threads, what, number = sys.argv[1:]
    if peer == "faiss":
        import faiss

        faiss.omp_set_num_threads(int(threads))
    if what == "join":
        ask, said = join(peer, read(path), truth, int(threads), float(number))
    else:
        ask, said = knn(peer, read(path), truth, int(threads), int(number))
    print(json.dumps(said), flush=True)
    for _ in sys.stdin:
        print(clocked(ask)[0], flush=True)


if __name__ == "__main__":
    main()
