#!/usr/bin/env python3
"""usage: faiss_range.py FILE EPS THREADS WARM_UPS TRIALS

FAISS IndexFlatL2.range_search of every point of FILE (.u8bin or .fbin) against all of them. Prints |R| as FAISS finds it,
then the seconds of each trial, on one line. Exit status 3: FAISS is not installed.

A trial is adding the points to an index and searching it. Points are FP32 before the clock starts.
"""
import sys
import time


def read(path):
    import numpy as np

    n, d = np.fromfile(path, dtype="<u4", count=2)
    dtype = np.uint8 if path.endswith(".u8bin") else np.dtype("<f4")
    return np.fromfile(path, dtype=dtype, offset=8).reshape(n, d).astype(np.float32)


def main():
    path, eps = sys.argv[1], float(sys.argv[2])
    threads, warm_ups, trials = (int(x) for x in sys.argv[3:6])
    try:
        import faiss
        import numpy as np
    except ImportError:
        return 3
    faiss.omp_set_num_threads(threads)
    points = read(path)
    # FAISS compares squared distances with <, in FP32: the next number above eps squared lets the boundary in.
    radius = float(np.nextafter(np.float32(eps * eps), np.float32(np.inf)))
    times, pairs = [], 0
    for trial in range(warm_ups + trials):
        start = time.monotonic()
        index = faiss.IndexFlatL2(points.shape[1])
        index.add(points)
        limits, _, _ = index.range_search(points, radius)
        if trial >= warm_ups:
            times.append(time.monotonic() - start)
        pairs = int(limits[-1])
    print(pairs, *(f"{t:.6f}" for t in times))
    return 0


if __name__ == "__main__":
    sys.exit(main())
