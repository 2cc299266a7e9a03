#!/usr/bin/env python3
"""The k nearest by `knn` beside FAISS's IndexFlatL2 and SciPy's cKDTree: the same queries, threads and machine, in turns.

knn_peers.py EPSBENCH FILE.u8bin|FILE.fbin[.gz] [QUERIES [K [THREADS [TRIALS]]]]

QUERIES 0: every point is a query. A peer's time is build plus search, because `knn` opens the points each time. The
distances found are compared: FAISS computes in FP32, cKDTree in FP64. Needs numpy; faiss and scipy are optional.
"""
import gzip
import json
import statistics
import subprocess
import sys
import tempfile
import time

import numpy


def points_of(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        raw = file.read()
    n, d = numpy.frombuffer(raw, numpy.uint32, 2)
    kind = numpy.uint8 if ".u8bin" in path else numpy.float32
    return numpy.frombuffer(raw, kind, int(n) * int(d), 8).reshape(n, d)


def ours(program, path, queries, k, threads, engine, saved):
    some = f"queries={queries}" if queries else ""
    line = f"load {path}; knn {engine} {some} k={k} save={saved} force"
    run = subprocess.run([program, "--no-log", "--device", "cpu", "--threads", str(threads), "--json", "-c", line],
                         capture_output=True, text=True, check=True)
    data = json.loads(run.stdout.splitlines()[-1])["data"]
    return data["knn_s"]


def by_faiss(base, asked, k, threads, own):
    import faiss
    faiss.omp_set_num_threads(threads)
    base, asked = base.astype(numpy.float32), asked.astype(numpy.float32)
    start = time.time()
    index = faiss.IndexFlatL2(base.shape[1])
    index.add(base)
    squares, _ = index.search(asked, k + own)
    return time.time() - start, numpy.sqrt(squares[:, own:])


def by_tree(base, asked, k, threads, own):
    from scipy.spatial import cKDTree
    base, asked = base.astype(numpy.float64), asked.astype(numpy.float64)
    start = time.time()
    distances, _ = cKDTree(base).query(asked, k + own, workers=threads)
    return time.time() - start, distances[:, own:]


def main():
    program, path = sys.argv[1:3]
    queries, k, threads, trials = [int(a) for a in sys.argv[3:]] + [1000, 10, 2, 3][len(sys.argv) - 3:]
    points = points_of(path)
    took, worst = {}, {}
    with tempfile.NamedTemporaryFile(suffix=".csv") as saved:
        for _ in range(trials):
            for engine in ("exact", "ref64"):
                took.setdefault(f"knn {engine}", []).append(
                    ours(program, path, queries, k, threads, engine, saved.name))
            found = numpy.loadtxt(saved.name, delimiter=",", skiprows=1)
            asking = found[::k, 0].astype(numpy.int64)
            distances = found[:, 3].reshape(-1, k)
            base = numpy.delete(points, asking, axis=0) if queries else points
            for peer, run in (("faiss.IndexFlatL2", by_faiss), ("scipy cKDTree", by_tree)):
                if (peer.startswith("scipy") and points.shape[1] > 16) or (peer.startswith("faiss") and not queries):
                    continue
                try:
                    seconds, theirs = run(base, points[asking], k, threads, 0 if queries else 1)
                except ImportError:
                    continue
                took.setdefault(peer, []).append(seconds)
                off = numpy.abs(theirs - distances) / numpy.maximum(distances, 1e-30)
                worst[peer] = float(off[distances > 0].max())
    for name, seconds in took.items():
        print(f"{name:20} {statistics.median(seconds):8.3f} s, {min(seconds):.3f} to {max(seconds):.3f}"
              f"{', distances differ by up to %.1e' % worst[name] if name in worst else ''}")


main()
