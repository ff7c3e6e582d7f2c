"""Prints the largest difference between CEaselPixels and Pillow on random pictures, in levels."""

import random
import sys

import numpy as np
from PIL import Image

import easel_pixels as easel

PILLOW = {"nearest": Image.NEAREST, "box": Image.BOX, "bilinear": Image.BILINEAR, "bicubic": Image.BICUBIC,
          "lanczos3": Image.LANCZOS}


def premultiplied(pixels):
    return np.asarray(Image.fromarray(pixels, "RGBA").convert("RGBa")).astype(int)


def picture(rng, width, height, channels):
    kind = rng.randrange(3)
    noise = np.random.default_rng(rng.randrange(1 << 30))
    if kind == 0:
        pixels = noise.integers(0, 256, (height, width, channels))
    elif kind == 1:
        pixels = noise.integers(0, 2, (height, width, channels)) * 255
    else:
        y, x = np.mgrid[0:height, 0:width]
        pixels = np.stack([(x * (c + 1) * 3 + y * 2) % 256 for c in range(channels)], axis=2)
    return np.ascontiguousarray(pixels.astype(np.uint8))


def resize_differences(rounds, seed=1):
    rng = random.Random(seed)
    worst = {}

    def note(name, ours, theirs):
        difference = np.abs(ours.astype(int) - theirs.astype(int))
        entry = worst.setdefault(name, [0, 0, 0])
        entry[0] = max(entry[0], int(difference.max()))
        entry[1] += int((difference > 0).sum())
        entry[2] += difference.size

    for _ in range(rounds):
        width, height = rng.choice([1, 2, 3, rng.randrange(1, 300)]), rng.choice([1, 2, 5, rng.randrange(1, 300)])
        size = (rng.choice([1, rng.randrange(1, 300)]), rng.choice([1, rng.randrange(1, 300)]))
        box = None
        if rng.random() < 0.3:
            x0, y0 = rng.random() * width * 0.5, rng.random() * height * 0.5
            box = (x0, y0, x0 + (width - x0) * (0.1 + 0.9 * rng.random()), y0 + (height - y0) * (0.1 + 0.9 * rng.random()))
        pixels = picture(rng, width, height, 4)
        for name, filter in easel.FILTERS.items():
            straight = easel.resize(pixels, size, filter, easel.STRAIGHT, box)
            theirs = np.asarray(Image.fromarray(pixels, "RGBA").resize(size, PILLOW[name], box))
            if name == "nearest":
                note("RGBA " + name, straight, theirs)
            else:
                note("RGBA " + name, premultiplied(straight), premultiplied(theirs))
            rgb = np.ascontiguousarray(pixels[:, :, :3])
            theirs = np.asarray(Image.fromarray(rgb, "RGB").resize(size, PILLOW[name], box))
            ours = easel.resize(pixels, size, filter, easel.OPAQUE, box)
            assert (ours[:, :, 3] == 255).all()
            note("RGB " + name, ours[:, :, :3], theirs)
            grey = np.ascontiguousarray(pixels[:, :, 0])
            theirs = np.asarray(Image.fromarray(grey, "L").resize(size, PILLOW[name], box))
            note("L " + name, easel.resize(grey, size, filter, easel.OPAQUE, box), theirs)
            if name != "nearest":
                theirs = np.asarray(Image.fromarray(pixels, "RGBA").convert("RGBa").resize(size, PILLOW[name], box))
                theirs = np.minimum(theirs, theirs[:, :, 3:])
                source = np.ascontiguousarray(premultiplied(pixels).astype(np.uint8))
                note("RGBa " + name, easel.resize(source, size, filter, easel.PREMULTIPLIED, box), theirs)
                deep = pixels.astype(np.uint16) * 257
                ours = easel.resize(deep, size, filter, easel.OPAQUE, box)
                theirs = np.asarray(Image.fromarray(rgb, "RGB").resize(size, PILLOW[name], box))
                note("16 bit " + name, np.round(ours[:, :, :3] / 257.0).astype(int), theirs)
    return worst


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    failed = False
    for name, (most, differing, total) in sorted(resize_differences(rounds).items()):
        limit = 0 if "nearest" in name else 1
        failed |= most > limit
        print(f"resize {name:16} at most {most} levels, {100 * differing / total:.3f} % of samples differ")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
