"""The program in several processes, for checks. They are started by mpirun, or by what EPSBENCH_MPIRUN says (`srun -O -K --mpi=pmix`, tests/two_hosts)."""
import json
import os
import re
import shutil
import subprocess
import sys
import uuid

PROGRAM = os.environ["EPSBENCH"]
LAUNCHER = os.environ.get("EPSBENCH_MPIRUN", "mpirun").split()
LIMIT_S, SOON_S = 300, 5
# Open MPI keeps memory until the process ends, which the address sanitizer would report as lost.
os.environ["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
if not shutil.which(LAUNCHER[0]):
    print(f"{LAUNCHER[0]} is not installed")
    sys.exit(0)
if b"Open MPI" in subprocess.run([LAUNCHER[0], "--version"], capture_output=True, check=False).stdout:
    LAUNCHER.append("--oversubscribe")
# What launchers say that may kill all ranks before rank 0 can speak: MPICH's mpirun, srun, and Open MPI of other hosts' processes.
LAUNCHER_ENDS = re.compile(
    rf"Fatal error in internal_Init|BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES|srun: error: .*: Killed|on node (?!{re.escape(os.uname().nodename)} )\S+ exited on signal"
)
wrong = []  # what a check has found


def start(ranks, *arguments):
    """The launcher, or with one rank the program itself."""
    among = [*LAUNCHER, "-n", str(ranks)] if ranks > 1 else []
    mark = uuid.uuid4().hex
    process = subprocess.Popen(  # pylint: disable=consider-using-with
        [*among, PROGRAM, "--no-log", *arguments], env={**os.environ, "EPSBENCH_MARK": mark}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    process.mark = mark.encode()
    return process


def documents(ranks, line):
    """The JSON documents of a command line, which must succeed."""
    process = start(ranks, "--json", "-c", line)
    out, err = process.communicate(timeout=LIMIT_S)
    if "built without MPI" in err:
        print("built without MPI")
        sys.exit(0)
    if process.returncode:
        wrong.append(f"{line} with {ranks} processes ends with {process.returncode}: {(out + err)[-600:]}")
    return [json.loads(text) for text in out.splitlines() if text.startswith("{")]


def rank_of(number, mark=b""):
    """The rank of a process of this program, None of another one or of one that has ended. mark: of its run only."""
    try:
        with open(f"/proc/{number}/environ", "rb") as file:
            settings = file.read()
        found = re.search(rb"(?:OMPI_COMM_WORLD_RANK|PMI_RANK|SLURM_PROCID)=(\d+)\0", settings)
        ours = mark in settings and os.readlink(f"/proc/{number}/exe") == os.path.realpath(PROGRAM)
        return int(found[1]) if found and ours else None
    except OSError:
        return None


def ranks_of(process):
    """{rank: number of its process} of a run. Its launcher may start them by processes of its own, or by a daemon."""
    numbers = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    ranks = {rank_of(number, process.mark): number for number in numbers}
    ranks.pop(None, None)
    return ranks
