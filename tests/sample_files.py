"""Small sample files, with the names that help, README.md and man/*.md use, for the checks that run the commands there."""
import gzip
import os
import shutil
import struct
import sys
import zipfile

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def make_files():
    """Writes the files into the current folder."""
    points = [[(7 * i * (k + 3) % 101) / 100 + i % 5 for k in range(4)] for i in range(60)]
    rows = b"".join(struct.pack("<4f", *row) for row in points)

    def write(name, data):
        with open(name, "wb") as file:
            file.write(data)

    header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (60, 4), }"
    array = b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header + rows
    text = "x,y,z,w\n" + "".join(",".join(map(str, row)) + "\n" for row in points)
    write("x.npy", array)
    write("vectors.fvecs", b"".join(struct.pack("<i4f", 4, *row) for row in points))
    write("base.u8bin", struct.pack("<II", 60, 4) + bytes(i * 7 % 251 for i in range(240)))
    write("q.u8bin", struct.pack("<II", 5, 4) + bytes(i * 11 % 251 for i in range(20)))
    write("x.csv.gz", gzip.compress(text.encode()))
    write("t.csv", text.replace(",", ",NA,", 1).replace("NA,", "", 1).encode() + b"1,,3,4\n")
    tensor = b'{"x":{"dtype":"F32","shape":[60,4],"data_offsets":[0,960]}}'
    write("x.safetensors", struct.pack("<Q", len(tensor)) + tensor + rows)
    write("x.jsonl", b"".join(b'{"id": %d, "embedding": %s}\n' % (i, str(row).encode()) for i, row in enumerate(points)))
    upper = b"".join(struct.pack("<f", x)[2:] for row in points for x in row)
    header = b"{'descr': '<V2', 'fortran_order': False, 'shape': (60, 4), }"
    write("bf16.npy", b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header + upper)
    write("iris.csv", b"sepal,petal,species\n" + b"".join(b"%d,%d,%s\n" % (i, i * i % 17, b"ab"[i % 2 : i % 2 + 1]) for i in range(40)))
    decimals = [";".join(str(x).replace(".", ",") for x in row) + "\n" for row in points]
    write("europe.csv", "".join(["x;y;z;w\n"] + decimals).encode())
    write("commas.tsv", "".join(["x;y;z;w\n"] + decimals).replace(";", "\t").encode())
    write("script.txt", b"echo a line\n")
    shutil.copy(os.path.join(ROOT, "tests/fuzz/seeds/hdf5/contiguous"), "x.hdf5")
    shutil.copy(os.path.join(ROOT, "src/lessons/rounding.lesson"), "own.lesson")
    for name, exercise in {"swizzle.c": "swizzle", "fragment.c": "fragment", "other.c": "guard"}.items():
        shutil.copy(os.path.join(ROOT, f"src/lessons/exercises/{exercise}.exercise"), name)
    with zipfile.ZipFile("x.npz", "w") as archive:
        archive.writestr("train.npy", array)
