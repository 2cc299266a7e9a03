"""usage: make_shapes.py

Writes shapes.zip beside this script: small files as pandas, NumPy, h5py, SciPy, scikit-learn, safetensors, pyarrow and MATLAB's layouts
have them, for checks/public_shapes. Run it again after a change here, in a Python that has these packages; the tests need none of them.
"""
import io
import json
import os
import tempfile
import warnings
import zipfile

import h5py
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import scipy.io
from safetensors.numpy import save_file
from sklearn.datasets import dump_svmlight_file

POINTS = [[0.5, -1.25, 2], [3, 4.5, -0.75], [1000.5, 0.25, 0], [-2, 0, 8.5], [6.25, 7.5, -1], [0.25, 2, 3.5]]
KINDS = ["red", "dark blue", "red", "green", "red", "green"]
P = np.array(POINTS)
F, H = P.astype(np.float32), P.astype(np.float16)


def pandas_texts():
    plain = pd.DataFrame(P, columns=["x", "y", "z"])
    kinds = plain.assign(kind=KINDS)
    gaps = kinds.copy()
    gaps.loc[1, "y"] = np.nan
    plain.to_csv("pandas.csv")
    plain.to_csv("pandas-no-index.csv", index=False)
    plain.to_csv("pandas.csv.gz", index=False)
    plain.to_csv("pandas-no-header.csv", index=False, header=False)
    plain[plain.x != 3].to_csv("pandas-filtered.csv")
    plain.to_csv("pandas.tsv", sep="\t")
    kinds.to_csv("pandas-kinds.tsv", sep="\t")
    kinds.to_csv("pandas-kinds.csv", index=False)
    gaps.to_csv("pandas-gaps.csv")
    pd.DataFrame(P).to_csv("pandas-numbers.csv", index=False)
    pd.DataFrame(P).to_csv("pandas-numbers-index.csv")
    plain.set_index(pd.date_range("2024-01-01", periods=6)).to_csv("pandas-dates.csv")
    plain.to_parquet("pandas.parquet")
    kinds.to_parquet("pandas-kinds.parquet")
    gaps.to_parquet("pandas-gaps.parquet")
    plain.assign(id=range(6)).to_parquet("pandas-id.parquet")
    np.savetxt("savetxt.txt", P)


def embeddings():
    texts = {"id": [f"doc-{i}" for i in range(6)], "text": ["a text, with a comma"] * 6}
    f32 = pa.list_(pa.float32())
    kinds = {"list": (F, f32), "double": (P, pa.list_(pa.float64())), "half": (H, pa.list_(pa.float16())), "fixed": (F, pa.list_(pa.float32(), 3))}
    for name, (rows, kind) in kinds.items():
        pq.write_table(pa.table({**texts, "embedding": pa.array([list(row) for row in rows], kind)}), f"hf-{name}.parquet")
    rows = pa.array([list(row) for row in F], f32)
    tokens = pa.array([[1], [2, 3], [4], [5], [6], [7]], pa.list_(pa.int64()))
    pq.write_table(pa.table({"input_ids": tokens, "embedding": rows}), "hf-tokens.parquet")
    pq.write_table(pa.table({**texts, "title_emb": rows, "text_emb": rows}), "hf-two.parquet")


def numpy_arrays():
    np.save("x.npy", P)
    np.save("x-fortran.npy", np.asfortranarray(P))
    np.save("x-half.npy", H)
    np.save("x-big-endian.npy", P.astype(">f4"))
    np.savez("named.npz", X=P, y=np.arange(6))
    np.savez_compressed("several.npz", test=F[:2], train=F)
    save_file({"x": F}, "one.safetensors")
    save_file({"embed tokens": F, "bias": F[:, 0].copy(), "head": F[:2].copy()}, "several.safetensors")
    np.save("objects.npy", np.array([[1, 2], [3, 4]], dtype=object), allow_pickle=True)
    np.save("complex.npy", P.astype(complex))
    np.save("three.npy", P.reshape(6, 3, 1))
    np.save("labels.npy", np.arange(6))
    with open("x.pkl", "wb") as file:
        P.dump(file)


def hdf5():
    distances = np.sqrt(((F[None].astype(float) - F[:2, None]) ** 2).sum(2))
    for name in ("euclidean", "angular"):
        with h5py.File(f"ann-{name}.hdf5", "w") as file:
            file.attrs["distance"] = name
            file["train"], file["test"] = F, F[:2]
            file["neighbors"] = np.argsort(distances, 1)[:, :3].astype("i4")
            file["distances"] = np.sort(distances, 1)[:, :3].astype("f4")
    with h5py.File("groups.h5", "w") as file:
        file["my group/points"], file["few"] = P, P[:2]
    with h5py.File("packed.h5", "w") as file:
        file.create_dataset("points", data=H, compression="gzip", chunks=(2, 3))


def matlab_7_3(name, **arrays):
    """MATLAB's -v7.3: a block of 512 bytes before HDF5, in which matrices have their columns first."""
    with h5py.File(name, "w", userblock_size=512) as file:
        for key, array in arrays.items():
            dataset = file.create_dataset(key, data=array.T, chunks=array.T.shape, compression="gzip")
            dataset.attrs["MATLAB_class"] = np.bytes_("double")
    with open(name, "r+b") as file:
        file.write(b"MATLAB 7.3 MAT-file, Platform: GLNXA64, HDF5 schema 1.00 .".ljust(124) + b"\0\2IM")


def matlab():
    labels = np.arange(6.0)[:, None]
    scipy.io.savemat("one.mat", {"X": P})
    scipy.io.savemat("packed.mat", {"X": P, "y": labels}, do_compression=True)
    scipy.io.savemat("several.mat", {"few": P[:2], "X": P})
    scipy.io.savemat("four.mat", {"X": P}, format="4")
    scipy.io.savemat("struct.mat", {"s": {"X": P, "n": 3}})
    matlab_7_3("hdf5.mat", X=P, y=labels)
    matlab_7_3("hdf5-several.mat", few=P[:2], X=P)


def sparse_and_json():
    y = np.array([1, -1, 1, 0, 1, 0])
    dump_svmlight_file(P, y, "one.libsvm", zero_based=False)
    dump_svmlight_file(P, y, "zero.svm", zero_based=True)
    rows = [{"object": "embedding", "index": i, "embedding": row} for i, row in enumerate(POINTS)]
    answer = {"object": "list", "data": rows, "model": "text-embedding-3-small", "usage": {"prompt_tokens": 5}}
    write_lines("openai.jsonl", [{"custom_id": f"r{i}", "response": {"status_code": 200, "body": {**answer, "data": [row]}}} for i, row in enumerate(rows)])
    with open("openai.json", "w", encoding="utf-8") as file:
        json.dump(answer, file, indent=2)
    write_lines("embedding.jsonl", [{"id": i, "text": "t", "embedding": row} for i, row in enumerate(POINTS)])
    write_lines("several.jsonl", [{"tokens": [1, 2], "my vector": row} for row in POINTS])
    write_lines("arrays.jsonl", POINTS)


def write_lines(name, values):
    with open(name, "w", encoding="utf-8") as file:
        file.write("".join(json.dumps(value) + "\n" for value in values))


def main():
    made = io.BytesIO()
    target = os.path.join(os.path.dirname(os.path.abspath(__file__)), "shapes.zip")
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for write in (pandas_texts, embeddings, numpy_arrays, hdf5, matlab, sparse_and_json):
            write()
        with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
            for name in sorted(os.listdir(".")):
                with open(name, "rb") as file:
                    archive.writestr(zipfile.ZipInfo(name), file.read(), zipfile.ZIP_DEFLATED)
    with open(target, "wb") as file:
        file.write(made.getvalue())


main()
