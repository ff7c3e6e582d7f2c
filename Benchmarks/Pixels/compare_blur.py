"""Compares the box blur of CEaselPixels with Pillow's, premultiplied, on random pictures."""

import ctypes
import random
import sys
import time

import numpy as np
from PIL import Image, ImageFilter

import easel_pixels as easel

lib = easel.lib
STRIDE, SIZE, DOUBLE = ctypes.c_ssize_t, ctypes.c_size_t, ctypes.c_double
lib.easel_blur_rows.argtypes = [ctypes.c_int, ctypes.c_int, DOUBLE, ctypes.c_int, ctypes.c_void_p, STRIDE,
                                ctypes.c_void_p, STRIDE, SIZE, SIZE]
lib.easel_blur_columns.argtypes = [ctypes.c_int, ctypes.c_int, DOUBLE, ctypes.c_int, ctypes.c_void_p, STRIDE, SIZE,
                                   SIZE, SIZE, SIZE]
lib.easel_gaussian_box_radius.argtypes = [DOUBLE, ctypes.c_int]
lib.easel_gaussian_box_radius.restype = DOUBLE


def blurred(pixels, radius, passes, alpha):
    height, width = pixels.shape[:2]
    format = easel.GRAY8 if pixels.ndim == 2 else easel.RGBA8
    out = np.empty_like(pixels)
    stride = pixels.strides[0]
    assert lib.easel_blur_rows(format, alpha, radius, passes, pixels.ctypes.data, stride, out.ctypes.data, stride,
                               width, height) == 0
    assert lib.easel_blur_columns(format, alpha, radius, passes, out.ctypes.data, stride, width, height, 0,
                                  width) == 0
    return out


def main():
    rng, noise, worst = random.Random(3), np.random.default_rng(3), {"box": 0, "gaussian": 0}
    for _ in range(200):
        width, height = rng.randrange(1, 90), rng.randrange(1, 90)
        pixels = noise.integers(0, 256, (height, width, 4)).astype(np.uint8)
        picture = Image.fromarray(pixels, "RGBA").convert("RGBa")
        plain = np.ascontiguousarray(np.asarray(picture))
        radius = rng.choice([0.4, 1, 2.5, rng.random() * 40])
        theirs = np.asarray(Image.merge("RGBA", picture.split()).filter(ImageFilter.BoxBlur(radius)))
        ours = blurred(plain, radius, 1, easel.PREMULTIPLIED)
        worst["box"] = max(worst["box"], int(np.abs(ours.astype(int) - theirs).max()))
        theirs = np.asarray(Image.merge("RGBA", picture.split()).filter(ImageFilter.GaussianBlur(radius)))
        ours = blurred(plain, lib.easel_gaussian_box_radius(radius, 3), 3, easel.PREMULTIPLIED)
        worst["gaussian"] = max(worst["gaussian"], int(np.abs(ours.astype(int) - theirs).max()))
    print(worst)
    large = noise.integers(0, 256, (3000, 4000, 4)).astype(np.uint8)
    start = time.perf_counter()
    blurred(large, 10, 3, easel.OPAQUE)
    ours = time.perf_counter() - start
    picture = Image.fromarray(large, "RGBA")
    start = time.perf_counter()
    picture.filter(ImageFilter.GaussianBlur(17))
    print(f"12 MP, three passes: easel {ours * 1000:.0f} ms, Pillow {(time.perf_counter() - start) * 1000:.0f} ms")
    sys.exit(1 if max(worst.values()) > 2 else 0)


if __name__ == "__main__":
    main()
