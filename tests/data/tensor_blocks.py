#!/usr/bin/env python3
"""Makes tensor_blocks.bin: what tensor cores answer by MMA-Sim 2.1.1, Microsoft's model of them (arXiv 2511.10909).
Needs `pip install mmasim` with its torch. usage: tensor_blocks.py OUT

The file: for each path a header (name, operand bytes, sum bytes, K, count), then `count` records a[K], b[K], c, d of
bits. K is two blocks of the path, so that chaining is held, too. Families of inputs take turns, see FAMILIES."""
import struct
import sys

import torch
from mmasim.arithmetic.fdpa import MMA_T_FDPA

TYPES = {  # torch's type, bits of the operand, exponent, fraction
    "f16": (torch.float16, torch.int16, 16, 5, 10),
    "bf16": (torch.bfloat16, torch.int16, 16, 8, 7),
    "tf32": (torch.float32, torch.int32, 32, 8, 23),
    "e4m3": (torch.float8_e4m3fn, torch.uint8, 8, 4, 3),
    "e5m2": (torch.float8_e5m2, torch.uint8, 8, 5, 2),
}
F16, F32, E8M13 = "RNE-FP16", "RZ-FP32", "RZ-E8M13"
PATHS = [  # core, path, type, K of a block, F, the sum's rounding, the exponent of zeros
    *[("sm_80", "mma", t, k, 24, F32, -132) for t, k in (("f16", 8), ("bf16", 8), ("tf32", 4))],
    ("sm_80", "mma", "f16", 8, 24, F16, -20),
    *[("sm_89", "mma", t, 16, 13, r, e) for t in ("e4m3", "e5m2") for r, e in ((E8M13, -132), (F16, -20))],
    *[("sm_90", "wgmma", t, k, 25, F32, -133) for t, k in (("f16", 16), ("bf16", 16), ("tf32", 8))],
    ("sm_90", "wgmma", "f16", 16, 25, F16, -21),
    *[("sm_90", "wgmma", t, 32, 13, r, e) for t in ("e4m3", "e5m2") for r, e in ((E8M13, -133), (F16, -21))],
    *[("sm_100", "mma", t, 32, 25, r, e) for t in ("e4m3", "e5m2") for r, e in ((F32, -133), (F16, -21))],
]
FAMILIES = "random binade range cancelling subnormal saturating special zeros".split()
EACH = 16
random = torch.Generator().manual_seed(20261125)


def integers(low, high, shape):
    return torch.randint(low, high, shape, generator=random, dtype=torch.int64)


def bits_of(exponent, fraction, shape, family):
    """Bits of a type's numbers. Exponent fields are drawn as the family says."""
    fields = 2**exponent - (1 if exponent != 4 else 0)  # E4M3 has numbers in its last field
    bias = 2 ** (exponent - 1) - 1
    sign, low = integers(0, 2, shape), integers(0, 2**fraction, shape)
    if family in ("random", "cancelling"):
        field = bias + integers(-2, 2, shape)
    elif family == "binade":
        field = torch.full(shape, bias)
    elif family == "subnormal":
        field = integers(0, 2, shape) * integers(0, 2, shape)
    elif family == "saturating":
        field = fields - 1 - integers(0, 2, shape)
    else:
        field = integers(0, fields, shape)
    word = (sign << (exponent + fraction)) | (field << fraction) | low
    if exponent == 4:
        word = torch.where((word & 0x7F) == 0x7F, word - 1, word)  # E4M3's NaN
    if family == "zeros":
        word = torch.where(integers(0, 3, shape) > 0, sign << (exponent + fraction), word)
    if family == "special":
        infinite = ((2**exponent - 1) << fraction) | (7 if exponent == 4 else 0)
        odd = infinite + (integers(0, 3, shape) == 0) * (exponent != 4)
        word = torch.where(integers(0, 24, shape) == 0, (sign << (exponent + fraction)) | odd, word)
    return word


def sums_bits(half, shape, family):
    word = bits_of(5 if half else 8, 10 if half else 23, shape, family)
    if family in ("zeros", "range"):
        word = torch.where(integers(0, 2, shape) == 0, word & ~0x7FFFFFFF if not half else word & 0x8000, word)
    return word


def signed(word, width):
    return torch.where(word >= 2 ** (width - 1), word - 2**width, word)


def viewed(word, kind, whole, width):
    return (word if whole == torch.uint8 else signed(word, width)).to(whole).contiguous().view(kind)


def records(path):
    core, _, kind, block, fraction, rounding, zero = path
    element, whole, width, exponent, low = TYPES[kind]
    half = rounding == F16
    model = MMA_T_FDPA(fraction, rounding, block, zero, kind, kind)
    for family in FAMILIES:
        shape = (EACH, 2 * block)
        a, b = (bits_of(exponent, low, shape, family) for _ in "ab")
        c = sums_bits(half, (EACH,), family)
        if family == "cancelling":  # each product has a twin of the other sign, with another last bit now and then
            b[:, 1::2] = b[:, 0::2] ^ (1 << (width - 1))
            a[:, 1::2] = a[:, 0::2] ^ (integers(0, 4, (EACH, block)) == 0)
        c_view = viewed(c, torch.float16, torch.int16, 16) if half else viewed(c, torch.float32, torch.int32, 32)
        d = model.dpa(viewed(a, element, whole, width), viewed(b, element, whole, width), c_view)
        d = d.view(torch.int16 if half else torch.int32).to(torch.int64) & (0xFFFF if half else 0xFFFFFFFF)
        for k in range(EACH):
            yield a[k].tolist(), b[k].tolist(), int(c[k]), int(d[k])


with open(sys.argv[1], "wb") as out:
    for path in PATHS:
        width, half = TYPES[path[2]][2] // 8, path[5] == F16
        name = f"{path[0]} {path[1]} {path[2]} {'f16' if half else 'f32'}"
        rows = list(records(path))
        out.write(struct.pack("<24sIIII", name.encode(), width, 2 if half else 4, 2 * path[3], len(rows)))
        operand, total = "_BH_I"[width], "H" if half else "I"
        for a, b, c, d in rows:
            out.write(struct.pack(f"<{len(a)}{operand}{len(b)}{operand}2{total}", *a, *b, c, d))
