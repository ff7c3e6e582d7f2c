"""Builds the C target CEaselPixels and loads it into Python, to compare it with other libraries."""

import ctypes
import os
import pathlib
import subprocess
import tempfile

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
TARGET = ROOT / "Sources" / "Pixels" / "CEaselPixels"
GRAY8, RGBA8, RGBA16 = 0, 1, 2
OPAQUE, STRAIGHT, PREMULTIPLIED = 0, 1, 2
NEAREST, BOX, BILINEAR, BICUBIC, LANCZOS3 = 0, 1, 2, 3, 4
FILTERS = {"nearest": NEAREST, "box": BOX, "bilinear": BILINEAR, "bicubic": BICUBIC, "lanczos3": LANCZOS3}


def build(optimisation="-O2"):
    library = pathlib.Path(tempfile.mkdtemp()) / "libeaselpixels.so"
    compiler = os.environ.get("CC", "clang")
    sources = sorted(str(p) for p in TARGET.glob("*.c"))
    subprocess.run(
        [compiler, "-std=c11", optimisation, "-Wall", "-Wextra", "-fPIC", "-shared", f"-I{TARGET / 'include'}",
         *sources, "-o", str(library), "-lm"], check=True)
    return ctypes.CDLL(str(library))


class Spec(ctypes.Structure):
    _fields_ = [
        ("format", ctypes.c_int), ("alpha", ctypes.c_int), ("filter", ctypes.c_int),
        ("source_width", ctypes.c_size_t), ("source_height", ctypes.c_size_t),
        ("box_x", ctypes.c_double), ("box_y", ctypes.c_double),
        ("box_width", ctypes.c_double), ("box_height", ctypes.c_double),
        ("width", ctypes.c_size_t), ("height", ctypes.c_size_t), ("linear_light", ctypes.c_bool),
    ]


lib = build()
lib.easel_resampler_create.argtypes = [ctypes.POINTER(Spec), ctypes.POINTER(ctypes.c_void_p)]
lib.easel_resampler_destroy.argtypes = [ctypes.c_void_p]
lib.easel_resampler_bytes.argtypes = [ctypes.c_void_p]
lib.easel_resampler_bytes.restype = ctypes.c_size_t
lib.easel_resampler_run.argtypes = [
    ctypes.c_void_p, ctypes.c_void_p, ctypes.c_ssize_t, ctypes.c_void_p, ctypes.c_ssize_t, ctypes.c_size_t,
    ctypes.POINTER(ctypes.c_bool)]


def resize(picture, size, filter, alpha=STRAIGHT, box=None, linear=False, out=None):
    """Resizes an array of height x width (grey) or height x width x 4; size is (width, height)."""
    height, width = picture.shape[:2]
    format = GRAY8 if picture.ndim == 2 else RGBA8 if picture.dtype == np.uint8 else RGBA16
    box = box or (0, 0, width, height)
    spec = Spec(format, alpha, filter, width, height, box[0], box[1], box[2] - box[0], box[3] - box[1], size[0],
                size[1], linear)
    resampler = ctypes.c_void_p()
    status = lib.easel_resampler_create(ctypes.byref(spec), ctypes.byref(resampler))
    if status:
        raise ValueError(f"status {status}")
    if out is None:
        out = np.empty((size[1], size[0]) + picture.shape[2:], picture.dtype)
    finished = ctypes.c_bool()
    while not finished:
        status = lib.easel_resampler_run(resampler, picture.ctypes.data, picture.strides[0], out.ctypes.data,
                                         out.strides[0], 256, ctypes.byref(finished))
        assert status == 0
    lib.easel_resampler_destroy(resampler)
    return out
