#!/usr/bin/env python3
"""Measures one engine on one GPU and on several, as tables for team.md.

usage: tests/bench/team.py EPSBENCH DEVICES [NAME=FILE…]     DEVICES: cuda:0,1 or cuda:all; FILE: points to load as NAME

Each row is two processes, one for cuda:0 and one for DEVICES, one after the other. Then `mpirun -n GPUS` counts the same,
if mpirun is there. The last columns are the bytes that passed between the GPUs, and by how much they differ from what `plan` says.
"""
import json
import os
import shutil
import subprocess
import sys

# points, engines, trials
SHAPES = [
    ("uniform 2000000 128 type=u8", ("exact",), 3),
    ("sift", ("exact",), 10),
    ("uniform 500000 128", ("exact", "fasted"), 5),
    ("uniform 200000 1024", ("exact", "fasted"), 5),
    ("uniform 200000 4096", ("exact", "fasted"), 3),
]


def run(command, lines):
    """The data of each line's command, by the JSON that the program writes."""
    made = subprocess.run([*command, "--no-log", "--json", *sum((["-c", line] for line in lines), [])],
                          capture_output=True, text=True, timeout=300)
    replies = [json.loads(line) for line in made.stdout.splitlines() if line.startswith("{")]
    for reply in replies:
        if not reply["ok"]:
            sys.exit(f"{' '.join(command)}: {reply.get('error') or reply}")
    if made.returncode:
        sys.exit(f"{' '.join(command)}: {made.stderr}")
    return [{**reply["data"], "notes": reply.get("notes", [])} for reply in replies]


def ms(seconds):
    return f"{seconds * 1e3:.2f}"


def figure(data, key):
    return sum(part["median_s"] for part in data["timing"] if part["metric"] == key)


def planned(shape, spec, joined, gpus, counts):
    """Bytes between GPUs by `plan`."""
    kind = "u8" if "u8" in shape.name or shape.name == "sift" else "f32"
    way = spec
    for note in joined["notes"]:
        if "way chosen: " in note:
            way = f"exact[way={note.split('way chosen: ')[1].split(',')[0].split(';')[0].strip()}]"
    line = f"plan {way} n={joined['n']} d={joined['d']} S={joined['selectivity']!r} type={kind} gpus={gpus} gpu=h200"
    shapes = run([shape.program], [line + (" count" if counts else "")])[0]["plan"]
    return [row["exchanged_bytes"] for row in shapes if row["gpus"] == gpus][0]


class Shape:
    """Points, and ε for 64 neighbours, which the first GPU finds."""

    def __init__(self, program, name, files):
        self.name, self.program = name, program
        self.load = f"load {files[name]}" if name in files else f"synth {name}"
        self.eps = repr(run([program, "--device", "cuda:0"], [self.load, "tune S=64 within=2%"])[-1]["eps"])

    def join(self, command, spec, trials, what=""):
        return run(command, [self.load, f"join {spec} eps={self.eps} trials={trials} {what}"])[-1]


def tell(shape, spec, what, one, several, gpus):
    if one["pairs"] != several["pairs"] and spec == "exact":
        sys.exit(f"{shape.name}: {one['pairs']} pairs on one GPU, {several['pairs']} on several")
    work = several["tflops_executed"] * several["kernel_s"] / (one["tflops_executed"] * one["kernel_s"])
    sent = several.get("peer_bytes") or 0
    off = sent / planned(shape, spec, several, gpus, what) - 1
    print(f"| {shape.name} | {spec} | {'' if what else 'table'} | {one['selectivity']:.1f} "
          f"| {ms(one['kernel_s'])} → {ms(several['kernel_s'])} | {one['kernel_s'] / several['kernel_s']:.2f} "
          f"| {ms(one['total_s'])} → {ms(several['total_s'])} | {one['total_s'] / several['total_s']:.2f} "
          f"| {ms(figure(one, 'upload_s'))} → {ms(figure(several, 'upload_s'))} "
          f"| {ms(figure(one, 'download_s'))} → {ms(figure(several, 'download_s'))} "
          f"| {work:.4f} | {sent / 1e6:.1f} | {off:+.2%} |", flush=True)


def tell_ranks(shape, spec, trials, devices, gpus):
    mpi = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", str(gpus)]
    ranks = shape.join([*mpi, shape.program, "--device", "cuda"], spec, trials, "count")
    team = shape.join([shape.program, "--device", devices], spec, trials, "count")
    print(f"| {shape.name} | {spec} | {ms(ranks['kernel_s'])}, {ms(team['kernel_s'])} "
          f"| {ranks['kernel_s'] / team['kernel_s']:.2f} | {ms(ranks['total_s'])}, {ms(team['total_s'])} "
          f"| {ranks['total_s'] / team['total_s']:.2f} |", flush=True)


def main():
    program, devices = sys.argv[1:3]
    files = dict(text.split("=", 1) for text in sys.argv[3:])
    gpus = len(devices.split(",")) if "," in devices else int(os.environ["GPUS"])
    shapes = [(Shape(program, name, files), specs, trials) for name, specs, trials in SHAPES
              if " " in name or name in files]
    print("| points | engine | | S | kernels ms | | end to end ms | | upload ms | download ms | operations | between GPUs MB "
          "| off plan |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|")
    for shape, specs, trials in shapes:
        for spec in specs:
            for what in ("count", ""):
                one = shape.join([program, "--device", "cuda:0"], spec, trials, what)
                several = shape.join([program, "--device", devices], spec, trials, what)
                tell(shape, spec, what, one, several, gpus)
    if shutil.which("mpirun"):
        print("\n| points | engine | kernels ms: ranks, team | | end to end ms: ranks, team | |\n|---|---|---|---|---|---|")
        for shape, specs, trials in shapes:
            for spec in specs:
                tell_ranks(shape, spec, trials, devices, gpus)


if __name__ == "__main__":
    main()
