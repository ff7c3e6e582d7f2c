"""12 MP RGBA to a quarter of each side on one thread: CEaselPixels against Pillow, OpenCV and libvips, medians."""

import os
import statistics
import sys
import time

os.environ["VIPS_CONCURRENCY"] = "1"

import cv2
import numpy as np
from PIL import Image

import easel_pixels as easel

try:
    import pyvips
except (ImportError, OSError):
    pyvips = None

cv2.setNumThreads(1)
SOURCE, TARGET = (4000, 3000), (1000, 750)


def picture(width, height):
    y, x = np.mgrid[0:height, 0:width]
    noise = np.random.default_rng(1).integers(0, 40, (height, width))
    planes = [(x // 7 + noise) % 256, (y // 5 + noise) % 256, (x // 3 + y // 3) % 256, (x // 9 + y // 11) % 256]
    return np.ascontiguousarray(np.stack(planes, axis=2).astype(np.uint8))


def contestants():
    pixels = picture(*SOURCE)
    opaque = pixels.copy()
    opaque[:, :, 3] = 255
    deep = pixels.astype(np.uint16) * 257
    straight_pillow = Image.fromarray(pixels, "RGBA")
    plain_pillow = straight_pillow.convert("RGBa")
    out = np.empty((TARGET[1], TARGET[0], 4), np.uint8)
    deep_out = np.empty((TARGET[1], TARGET[0], 4), np.uint16)
    pillow = {"box": Image.BOX, "bilinear": Image.BILINEAR, "bicubic": Image.BICUBIC, "lanczos3": Image.LANCZOS}
    tests = {}
    for name, number in pillow.items():
        filter = easel.FILTERS[name]
        tests[f"pillow RGBA {name}"] = lambda number=number: straight_pillow.resize(TARGET, number)
        tests[f"pillow RGBa {name}"] = lambda number=number: plain_pillow.resize(TARGET, number)
        tests[f"easel straight {name}"] = lambda f=filter: easel.resize(pixels, TARGET, f, easel.STRAIGHT, out=out)
        tests[f"easel opaque {name}"] = lambda f=filter: easel.resize(opaque, TARGET, f, easel.OPAQUE, out=out)
    tests["easel straight lanczos3 linear"] = lambda: easel.resize(pixels, TARGET, 4, 1, linear=True, out=out)
    tests["easel straight lanczos3 16 bit"] = lambda: easel.resize(deep, TARGET, 4, 1, out=deep_out)
    tests["opencv area"] = lambda: cv2.resize(opaque, TARGET, interpolation=cv2.INTER_AREA)
    if pyvips:
        def vips(kernel):
            image = pyvips.Image.new_from_memory(opaque.data, SOURCE[0], SOURCE[1], 4, "uchar")
            return image.resize(0.25, kernel=kernel, gap=0).write_to_memory()
        tests["libvips lanczos3 gap 0"] = lambda: vips("lanczos3")
        tests["libvips bicubic gap 0"] = lambda: vips("cubic")
    return tests


def medians(tests, rounds):
    times = {name: [] for name in tests}
    for _ in range(rounds):
        for name, run in tests.items():
            start = time.perf_counter()
            run()
            times[name].append((time.perf_counter() - start) * 1000)
    return {name: statistics.median(values) for name, values in times.items()}


def main():
    result = medians(contestants(), int(sys.argv[1]) if len(sys.argv) > 1 else 9)
    for name, value in result.items():
        print(f"{name:34} {value:8.2f} ms")
    goals = [
        ("lanczos3 with alpha / Pillow", "easel straight lanczos3", "pillow RGBA lanczos3", 0.15),
        ("lanczos3 opaque / Pillow", "easel opaque lanczos3", "pillow RGBa lanczos3", 0.2),
        ("bicubic with alpha / Pillow", "easel straight bicubic", "pillow RGBA bicubic", 0.2),
        ("bicubic opaque / Pillow", "easel opaque bicubic", "pillow RGBa bicubic", 0.2),
        ("box opaque / OpenCV area", "easel opaque box", "opencv area", 1.0),
        ("box with alpha / OpenCV area", "easel straight box", "opencv area", 1.0),
    ]
    for label, ours, theirs, goal in goals:
        ratio = result[ours] / result[theirs]
        print(f"{label:34} {ratio:8.3f}  goal {goal}  {'met' if ratio <= goal else 'MISSED'}")


if __name__ == "__main__":
    main()
