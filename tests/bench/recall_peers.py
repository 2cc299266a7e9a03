#!/usr/bin/env python3
"""usage: recall_peers.py EPSBENCH FILE [NLIST [M [QUERIES [THREADS [TRIALS]]]]]

Recall@10 against throughput, of `recall` and of FAISS's IndexIVFPQ on the same CPU in the same run: the same rows of FILE
(.u8bin or .fbin) taken out as queries, the same lists, pieces, threads, nprobe. Prints a Markdown table: for each nprobe
FAISS's recall and throughput, and of each of our formats recall, throughput, and throughput at FAISS's recall (between two
nprobes on a straight line of the logarithm) over FAISS's. Ours is measured before FAISS and after it, and the slower of both
counts, because other programs may use the machine. Exit status 3: FAISS is not installed.
"""
import json
import math
import subprocess
import sys
import time

K, SEED = 10, 42
NPROBE = [1, 2, 4, 8, 16, 32, 64, 128]
FORMATS = ["f32", "f16", "e5m3", "e4m4", "u8"]
MASK = (1 << 64) - 1


def hashed(counter):
    """src/core/base/random.h."""
    counter = ((counter ^ counter >> 30) * 0xBF58476D1CE4E5B9) & MASK
    counter = ((counter ^ counter >> 27) * 0x94D049BB133111EB) & MASK
    return counter ^ counter >> 31


def query_rows(n, queries):
    """The rows that `recall seed=SEED` takes out: src/core/experiment/recall.c."""
    state, row = hashed(SEED), list(range(n))
    for i in range(queries):
        state = (state + 0x9E3779B97F4A7C15) & MASK
        at = i + hashed(state) % (n - i)
        row[i], row[at] = row[at], row[i]
    return sorted(row[:queries])


def read(path):
    import numpy as np

    n, d = np.fromfile(path, dtype="<u4", count=2)
    dtype = np.uint8 if path.endswith(".u8bin") else np.dtype("<f4")
    return np.fromfile(path, dtype=dtype, offset=8).reshape(n, d).astype(np.float32)


def ours(program, path, nlist, m, queries, threads, trials):
    line = (f"load {path}; recall k={K} nlist={nlist} m={m} queries={queries} seed={SEED} trials={trials} "
            f"lut={','.join(FORMATS)} nprobe={','.join(map(str, NPROBE))}")
    out = subprocess.run([program, "--no-log", "--json", "--threads", str(threads), "-c", line], check=True,
                         stdout=subprocess.PIPE, text=True).stdout
    data = json.loads(out.splitlines()[-1])["data"]
    return data["build_s"], {(c["lut"], c["nprobe"]): (c["recall"], c["queries_per_s"]) for c in data["cells"]}


def recall_of(base, queries, found, reach):
    """A row that was found counts if it is as near as the k-th nearest, as in `recall`."""
    import numpy as np

    right = 0
    for query, rows, most in zip(queries, found, reach):
        near = ((base[rows[rows >= 0]].astype(np.float64) - query) ** 2).sum(1)
        right += int((near <= most).sum())
    return right / found.size


def theirs(path, nlist, m, queries, threads, trials):
    import faiss
    import numpy as np

    faiss.omp_set_num_threads(threads)
    points = read(path)
    rows = np.array(query_rows(len(points), queries))
    asked, base = points[rows], np.delete(points, rows, axis=0)
    exact = faiss.IndexFlatL2(points.shape[1])
    exact.add(base)
    _, nearest = exact.search(asked, K)
    reach = [((base[n[-1]].astype(np.float64) - q) ** 2).sum() for q, n in zip(asked, nearest)]
    start = time.monotonic()
    index = faiss.IndexIVFPQ(faiss.IndexFlatL2(points.shape[1]), points.shape[1], nlist, m, 8)
    index.train(base)
    index.add(base)
    build_s, found = time.monotonic() - start, {}
    for nprobe in NPROBE:
        index.nprobe = nprobe
        index.search(asked, K)
        times = []
        for _ in range(trials):
            start = time.monotonic()
            _, rows = index.search(asked, K)
            times.append(time.monotonic() - start)
        found[nprobe] = (recall_of(base, asked, rows, reach), queries / sorted(times)[trials // 2])
    return faiss.__version__, build_s, found


def at_recall(cells, lut, recall):
    """Throughput at this recall; None if the curve does not reach it."""
    curve = sorted(cells[lut, nprobe] for nprobe in NPROBE)
    for (r0, q0), (r1, q1) in zip(curve, curve[1:]):
        if r0 <= recall <= r1:
            share = (recall - r0) / (r1 - r0) if r1 > r0 else 0
            return math.exp(math.log(q0) + share * (math.log(q1) - math.log(q0)))
    return curve[0][1] if recall < curve[0][0] else None


def main():
    program, path = sys.argv[1:3]
    given = [int(x) for x in sys.argv[3:8]]
    nlist, m, queries, threads, trials = given + [512, 64, 1000, 2, 5][len(given):]
    try:
        import faiss  # noqa: F401
    except ImportError:
        return 3
    built_s, before = ours(program, path, nlist, m, queries, threads, trials)
    version, build_s, peer = theirs(path, nlist, m, queries, threads, trials)
    _, after = ours(program, path, nlist, m, queries, threads, trials)
    cells = {of: min(before[of], after[of]) for of in before}
    print(f"{path}: nlist = {nlist}, m = {m}, {queries} queries, {threads} threads, medians of {trials}; "
          f"index built in {built_s:.1f} s, by FAISS {version} in {build_s:.1f} s\n")
    print("| nprobe | FAISS IVFPQ |", *(f" {lut} |" for lut in FORMATS), sep="")
    print("|---:|---:|" + "---:|" * len(FORMATS))
    for nprobe in NPROBE:
        recall, rate = peer[nprobe]
        print(f"| {nprobe} | {recall:.4f}, {rate:.0f}/s |", end="")
        for lut in FORMATS:
            own, own_rate = cells[lut, nprobe]
            equal = at_recall(cells, lut, recall)
            ratio = f"{equal / rate:.2f}×" if equal else "not reached"
            print(f" {own:.4f}, {own_rate:.0f}/s ({ratio}) |", end="")
        print()
    return 0


if __name__ == "__main__":
    sys.exit(main())
