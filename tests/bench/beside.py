#!/usr/bin/env python3
"""usage: BUILD=build tests/bench/beside.py [THREADS [FILE…]]     BENCH=quick: fewer points, one round

Our figures beside those of the other programs that are installed, and the machine's limit: measures, writes build/bench/results.json
and, by tests/bench/page.py, the page build/bench/index.html, its picture bench.svg and its table bench.md, which is printed too.

The same points, ε, k and threads for all; after a warm-up each, rounds of one trial of each in turn, so that a machine that slows
down slows all. The warm-up's answer is compared with the exact one, pair for pair. A warm-up beyond LONG_S is the only trial, one
and comparison beyond CUT_S is cut. Ours is end to end from loaded points to the table in memory; a peer's is index and answer. Peers are looked for
in the Pythons that EPSBENCH_PEERS and EPSBENCH_FAISS name, python3 and /usr/bin/python3.
"""
import datetime
import json
import os
import platform
import re
import selectors
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
import page  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
DEMO = os.path.join(ROOT, "src/io/demo")
LONG_S, CUT_S, ROUNDS = 3.0, 12.0, 3
S, K = 64, 10
GPU_N, GPU_D = 100000, (64, 256, 1024, 4096)
INSTALL = {"scipy": ("python3-scipy", "scipy"), "scikit-learn": ("python3-sklearn", "scikit-learn"),
           "pykdtree": ("python3-pykdtree", "pykdtree"), "faiss": ("python3-faiss", "faiss-cpu")}
JOINS = {"scipy": "scipy cKDTree.query_pairs", "scikit-learn": "scikit-learn radius_neighbors_graph",
         "pykdtree": "pykdtree query, k nearest within ε", "faiss": "FAISS IndexFlatL2.range_search"}
NEAREST = {"scipy": "scipy cKDTree.query", "scikit-learn": "scikit-learn kneighbors", "pykdtree": "pykdtree query",
           "faiss": "FAISS IndexFlatL2.search"}
NOTES = {"exact": "each pair in both directions, sorted, with its FP64 distance", "fasted": "FP16 coordinates, FP32 sums",
         "scipy cKDTree.query_pairs": "each pair once, no distances, one thread", "faiss": "FP32"}
TREES, PRODUCTS = ("scipy", "scikit-learn", "pykdtree"), ("faiss", "scikit-learn")
STARS, DESCRIBED = "embed_tycho100k_3.fbin.gz", {"embed_tycho100k_3.fbin.gz": "demo:stars", "embed_fashion4k_784.u8bin.gz": "demo"}
# (points: as `synth` takes them, or a file; the same in quick mode; engines; peers; limit; queries: None is a join, 0 all points)
CASES = (
    ("uniform 100000 2", "uniform 30000 2", ("exact",), TREES, "write", None),
    (STARS, "sphere 30000 3", ("exact",), TREES, "write", None),
    ("clusters 50000 10", "clusters 20000 10", ("exact",), TREES, "write", None),
    ("clusters 20000 128", "clusters 8000 128", ("exact", "fasted"), PRODUCTS, "products", None),
    ("clusters 10000 512", "clusters 5000 512", ("exact", "fasted"), PRODUCTS, "products", None),
    ("embed_fashion4k_784.u8bin.gz", "embed_fashion4k_784.u8bin.gz", ("exact", "fasted"), PRODUCTS, "products", None),
    (STARS, "sphere 30000 3", ("exact",), TREES, None, 0),
    ("clusters 100000 128", "clusters 50000 128", ("exact",), PRODUCTS, "products", 1000),
)


def output(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None


def stop(message):
    sys.exit(f"bench: {message}")


class Bench:
    def __init__(self, build, threads, quick, folder):
        self.build, self.threads, self.quick, self.folder = build, threads, quick, folder
        self.rounds, self.cut_s = (1, CUT_S / 2) if quick else (ROUNDS, CUT_S)
        self.pythons, self.peers = {}, []
        self.limits = {"write": 0, "products": 0}
        self.measure_limits()

    def ours(self, *lines, device="cpu"):
        """The data of the last of these command lines."""
        done = subprocess.run([f"{self.build}/epsbench", "--no-log", "--json", "--device", device, "--threads", str(self.threads),
                               "-c", "; ".join(lines)], capture_output=True, text=True, check=False)
        try:
            told = json.loads(done.stdout.splitlines()[-1])
        except (ValueError, IndexError):
            stop(f"{'; '.join(lines)}: {done.stderr.strip() or 'no answer'}")
        return told["data"] if told["ok"] else stop(f"{'; '.join(lines)}: {told['error']['message']}")

    def measure_limits(self):
        """Before the cases and after them: the most counts, as others may use the machine."""
        said = output(f"{self.build}/bench_cpu", "limits", str(self.threads))
        if not said:
            stop(f"{self.build}/bench_cpu is missing or fails; `make bench` builds it")
        for name, rate in zip(("write", "products"), map(float, said.split())):
            self.limits[name] = max(self.limits[name], rate)

    def find_peers(self):
        pythons = [os.environ.get(name) for name in ("EPSBENCH_PEERS", "EPSBENCH_FAISS")] + ["python3", "/usr/bin/python3"]
        found = {}
        for python in filter(None, pythons):
            for peer, version in json.loads(output(python, f"{HERE}/peers.py", "versions") or "{}").items():
                found.setdefault(peer, version)
                self.pythons.setdefault(peer, python)
        self.peers = [{"peer": peer, "version": found.get(peer), "install": f"apt install {of_debian}, or pip install {of_pip}"}
                      for peer, (of_debian, of_pip) in INSTALL.items()]

    # ---- a peer, in a process that lives for all rounds of a case ----

    def start(self, peer, points, truth, question):
        threads = str(self.threads)
        few = dict(os.environ, OMP_NUM_THREADS=threads, OPENBLAS_NUM_THREADS=threads)
        return subprocess.Popen([self.pythons[peer], f"{HERE}/peers.py", peer, points, truth, threads, *question], env=few,
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def begin_peer(self, row, peer, points, truth, question):
        """Fills the row from the warm-up; returns the process if trials may follow."""
        process = self.start(peer, points, truth, question)
        with selectors.DefaultSelector() as waiting:
            waiting.register(process.stdout, selectors.EVENT_READ)
            line = process.stdout.readline() if waiting.select(self.cut_s) else None
        if line is None:
            row["cut_s"] = self.cut_s
        elif line == "":
            why = process.stderr.read().strip().splitlines() or ["it ended without a word"]
            row["why"] = why[-1]
        else:
            said = json.loads(line)
            row.update({key: said[key] for key in ("wrong", "missing", "why") if key in said})
            if said.get("seconds", 0) > LONG_S:
                row["seconds"] = [said["seconds"]]
            elif "seconds" in said:
                return process
        process.kill()
        process.communicate()
        return None

    @staticmethod
    def again(row, process):
        try:
            process.stdin.write("again\n")
            process.stdin.flush()
            row["seconds"].append(float(process.stdout.readline()))
        except (OSError, ValueError):
            row.setdefault("why", "it ended during a trial")

    # ---- a case ----

    def points_of(self, what):
        """Title, file and shape of the points, and the command that makes them."""
        if what in DESCRIBED or os.path.isabs(what):
            path, name = (os.path.join(DEMO, what), DESCRIBED[what]) if what in DESCRIBED else (what, os.path.basename(what))
            return name, path, self.ours(f"load '{path}'"), f"load {name}"
        path = f"{self.folder}/points.npy"
        return what.split()[0], path, self.ours(f"synth {what} save={path} force"), f"synth {what}"

    def cases_of(self, files):
        for file in files:
            if not re.search(r"\.(npy|(fbin|u8bin)(\.gz)?)$", file):
                stop(f"{file}: peers read .npy, .fbin, .u8bin, .fbin.gz and .u8bin.gz")
            few = self.ours(f"load '{file}'")["d"] <= 16
            peers = TREES if few else PRODUCTS
            yield file, file, ("exact",) if few else ("exact", "fasted"), peers, "write" if few else "products", None
            yield file, file, ("exact",), peers, None if few else "products", 1000

    def add_limit(self, case):
        """Puts the limit in the place of what has to be done."""
        kind, amount = case.pop("work")
        rate = self.limits.get(kind, 0)
        case["limit_s"] = amount / rate if kind else None
        case["limit"] = {"write": f"the table of {amount * 1e-6:.0f} MB written at {rate * 1e-9:.1f} GB/s",
                         "products": f"all pairs by FP32 FMA at {rate * 1e-9:.0f} GFLOP/s; products of bytes, and what needs not all pairs, may be faster",
                         None: "what an index has to look at depends on the index"}[kind]

    def trial(self, path, engine, queries, question):
        if queries is None:
            told = self.ours(f"load '{path}'", f"join {engine} eps={question[1]} trials=1")
            return told["total_s"]
        return self.ours(f"load '{path}'", f"knn {engine} k={K}" + (f" queries={queries}" if queries else ""))["knn_s"]

    def measure(self, whole, quick, engines, peers, limit, queries):
        kind, path, told, command = self.points_of(quick if self.quick else whole)
        title = f"{kind}, {told['n']:,} × {told['d']}"
        rows = [{"program": engine, "ours": True, "seconds": []} for engine in engines]
        if queries is None:
            truth = f"{self.folder}/truth.npz"
            joined = self.ours(f"load '{path}'", f"join exact S={S} trials=1 warmup=none save={truth} force")
            question, names, pairs = ("join", repr(joined["eps"])), JOINS, joined["pairs"]
            title, command = f"join, {title}, S = {S}", f"{command}; join exact eps={question[1]}"
            for row in rows[1:]:
                accuracy = self.ours(f"load '{path}'", f"compare {row['program']} exact eps={question[1]} trials=1")["accuracy"]
                row.update(wrong=accuracy["only_fast"], missing=accuracy["only_true"])
            for row in rows:
                row["note"] = NOTES[row["program"]]
        else:
            truth = f"{self.folder}/truth.csv"
            ask = f"knn exact k={K}" + (f" queries={queries}" if queries else "")
            self.ours(f"load '{path}'", f"{ask} save={truth} force")
            question, names, pairs = ("knn", str(K)), NEAREST, (queries or told["n"]) * K
            title, command = f"knn, {title}, k = {K}, {f'{queries:,} queries' if queries else 'all'}", f"{command}; {ask}"
        n, compared = told["n"], queries * (told["n"] - queries) if queries else told["n"] * (told["n"] - 1) // 2
        amount = {"write": 12 * pairs + 8 * (n + 1), "products": 2 * compared * told["d"], None: 0}[limit]
        alive = []
        for peer in peers:
            row = {"program": names[peer], "ours": False, "peer": peer, "note": NOTES.get(names[peer], NOTES.get(peer, "")), "seconds": []}
            rows.append(row)
            process = self.begin_peer(row, peer, path, truth, question) if peer in self.pythons else None
            if process:
                alive.append((row, process))
        for _ in range(self.rounds):
            for row in rows[: len(engines)]:
                row["seconds"].append(self.trial(path, row["program"], queries, question))
            for row, process in alive:
                self.again(row, process)
        for row, process in alive:
            process.kill()
            process.communicate()
            row["seconds"] = [] if "why" in row else row["seconds"]
        return {"name": title, "command": command, "work": (limit, amount), "rows": rows}

    # ---- on a GPU: kernels alone, as build/bench_gpu measures them ----

    def gpu_cases(self):
        said = output(f"{self.build}/bench_gpu", "rates")
        if not said:
            print(f"bench: {self.build}/bench_gpu is missing or fails; the GPU is left out", file=sys.stderr)
        limits = re.search(r"mma\.sync FP16 (\d+) TFLOPS, wgmma (\d+)", said or "")
        for row in re.findall(r"^\| (\d+) \| ([\d.]+) \| ([\d.]+) \| (\S+) \|", said or "", re.M):
            d = int(row[0])
            if d not in GPU_D:
                continue
            points, products = f"synth uniform {GPU_N} {d}", 2.0 * GPU_N * GPU_N * d
            found = self.ours(points, f"compare fasted exact S={S} trials=1", device="cuda:0")["accuracy"]
            counts = {"wrong": found["only_fast"], "missing": found["only_true"]}
            rows = [{"program": engine, "ours": True, "seconds": [products / (float(rate) * 1e12)], "note": NOTES["fasted"], **counts}
                    for engine, rate in zip(("fasted", "fasted[-warpgroup]"), row[1:])]
            rows.append({"program": "cuBLAS, half of the products", "ours": False, "note": "no pairs: the same FP16 numbers multiplied"})
            rows[-1].update({"why": "cuBLAS is not installed"} if row[3] == "n/a" else {"seconds": [products / 2 / (float(row[3]) * 1e12)]})
            most = max(map(float, limits.groups()))
            yield {"name": f"count on the GPU, kernels alone, uniform, {GPU_N:,} × {d}, S = {S}", "rows": rows,
                   "command": f"set device=cuda:0; {points}; compare fasted exact S={S}", "limit_s": products / 2 / (most * 1e12),
                   "limit": f"half of the products at {most:.0f} TFLOPS, the most that FP16 tensor cores reached in a test"}


def measure_all(bench, files):
    cases = []
    for case in bench.cases_of(files) if files else CASES:
        start = time.monotonic()
        cases.append(bench.measure(*case))
        print(f"bench: {cases[-1]['name']}, {time.monotonic() - start:.0f} s", file=sys.stderr, flush=True)
    bench.measure_limits()
    for case in cases:
        bench.add_limit(case)
    return cases


def facts(devices, files, quick):
    commit = output("git", "rev-parse", "--short=12", "HEAD") or "unknown"
    changed = subprocess.run(["git", "diff", "--quiet", "HEAD"], capture_output=True, check=False).returncode != 0
    command = f"tests/bench/beside.py {' '.join(sys.argv[1:])}" if files else "make bench"
    return {"date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"), "commit": commit + "+" * changed,
            "command": ("BENCH=quick " if quick else "") + command, "system": f"{platform.system()} {platform.machine()}",
            "device": "; ".join(f"{device['model']}, {device['architecture']}" for device in devices), "cores": os.cpu_count()}


def main():
    build, mode = os.path.abspath(os.environ.get("BUILD", "build")), os.environ.get("BENCH", "")
    if mode not in ("", "quick"):
        stop(f'BENCH is quick or not set; it is "{mode}"')
    given = sys.argv[1] if len(sys.argv) > 1 else str(len(os.sched_getaffinity(0)))
    if not given.isdigit() or int(given) == 0:
        stop(f'THREADS is a whole number from 1; it is "{given}"')
    files, before = [os.path.abspath(file) for file in sys.argv[2:]], os.getloadavg()[0]
    os.chdir(ROOT)
    with tempfile.TemporaryDirectory(prefix="epsbench-bench-") as folder:
        bench = Bench(build, int(given), mode == "quick", folder)
        bench.find_peers()
        cases, devices = measure_all(bench, files), bench.ours("devices")["devices"]
        if len(devices) > 1 and not files:
            cases += bench.gpu_cases()
    results = {**facts(devices, files, bench.quick), "threads": bench.threads, "rounds": bench.rounds,
               "load": [before, os.getloadavg()[0]], "peers": bench.peers, "cases": cases}
    os.makedirs(f"{build}/bench", exist_ok=True)
    with open(f"{build}/bench/results.json", "w", encoding="utf-8") as file:
        json.dump(results, file, ensure_ascii=False, indent=1)
    page.write(results, f"{build}/bench")
    print(page.markdown(results))
    print(f"{build}/bench/index.html has this as a page")


if __name__ == "__main__":
    main()
