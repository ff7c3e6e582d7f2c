"""Writes pictures of a gigapixel: one in tiles and several sizes as TIFF, one in tiles as JPEG 2000.

Their tiles are four pictures in turn, because only their number and their places matter. So they are written in seconds.
"""

import io
import os
import struct

import numpy
from PIL import Image

SIDE = 32768


def picture(seed, side):
    """Clouds of several sizes, with grain."""
    random = numpy.random.default_rng(seed)
    planes = []
    for _ in range(3):
        plane = numpy.full((side, side), random.uniform(80, 160), numpy.float32)
        for octave in (4, 16, 64, 256):
            small = random.standard_normal((octave, octave)).astype(numpy.float32)
            plane += numpy.asarray(Image.fromarray(small).resize((side, side), Image.BICUBIC)) * 60 / octave ** .5
        planes.append(plane)
    pixels = numpy.stack(planes, -1) + random.normal(0, 3, (side, side, 3))
    return Image.fromarray(pixels.clip(0, 255).astype(numpy.uint8))


def encoded(image, kind, **options):
    file = io.BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


def made(path, write):
    """Writes a file, unless an earlier run has."""
    if not os.path.exists(path):
        with open(path + ".part", "wb") as file:
            write(file)
        os.rename(path + ".part", path)
    return path


# TIFF

TILE = 512


def write_tiff(file):
    """Tiles of JPEG in eight sizes, each half of the one before."""
    tiles = [encoded(picture(seed, TILE), "JPEG", quality=85) for seed in range(4)]
    file.write(struct.pack("<2sHI", b"II", 42, 0))
    link = 4
    side = SIDE
    while side >= 256:
        count = -(-side // TILE)
        places, lengths = [], []
        for number in range(count * count):
            tile = tiles[(number + number // count) % len(tiles)]
            places.append(file.tell())
            lengths.append(len(tile))
            file.write(tile + b"\0" * (len(tile) % 2))
        link = write_directory(file, link, side, places, lengths)
        side //= 2


def write_directory(file, link, side, places, lengths):
    """Writes a directory, and its place where the one before it expects that; gives the place for the next one."""
    def stored(numbers, code):
        data = struct.pack(f"<{len(numbers)}{code}", *numbers)
        if len(data) <= 4:
            return data.ljust(4, b"\0")
        place = file.tell()
        file.write(data)
        return struct.pack("<I", place)

    long, short = 4, 3
    entries = [
        (254, long, [0 if side == SIDE else 1]), (256, long, [side]), (257, long, [side]), (258, short, [8, 8, 8]),
        (259, short, [7]), (262, short, [6]), (277, short, [3]), (284, short, [1]), (322, long, [TILE]),
        (323, long, [TILE]), (324, long, places), (325, long, lengths), (530, short, [2, 2])]
    values = [stored(numbers, "I" if kind == long else "H") for _, kind, numbers in entries]
    place = file.tell()
    file.write(struct.pack("<H", len(entries)))
    for (tag, kind, numbers), value in zip(entries, values):
        file.write(struct.pack("<HHI", tag, kind, len(numbers)) + value)
    next_link = file.tell()
    file.write(struct.pack("<I", 0))
    end = file.tell()
    file.seek(link)
    file.write(struct.pack("<I", place))
    file.seek(end)
    return next_link


# JPEG 2000

LARGE_TILE = 1024


def write_jpeg2000(file):
    """Tiles of 1024 pixels, each with five halvings."""
    streams = [
        encoded(picture(seed, LARGE_TILE), "JPEG2000", no_jp2=True, irreversible=True, quality_mode="rates",
                quality_layers=[20], num_resolutions=6) for seed in range(4)]
    start = streams[0].index(b"\xff\x90")
    head = bytearray(streams[0][:start])
    head[8:16] = struct.pack(">II", SIDE, SIDE)
    head[24:32] = struct.pack(">II", LARGE_TILE, LARGE_TILE)
    tiles = [stream[start + 12:-2] for stream in streams]
    count = SIDE // LARGE_TILE
    order = [(number + number // count) % len(tiles) for number in range(count * count)]
    length = len(head) + sum(12 + len(tiles[number]) for number in order) + 2

    def box(kind, content):
        return struct.pack(">I4s", len(content) + 8, kind) + content

    file.write(box(b"jP  ", b"\r\n\x87\n") + box(b"ftyp", b"jp2 \0\0\0\0jp2 "))
    file.write(box(b"jp2h", box(b"ihdr", struct.pack(">IIHBBBB", SIDE, SIDE, 3, 7, 7, 0, 0))
                   + box(b"colr", struct.pack(">BBBI", 1, 0, 0, 16))))
    file.write(struct.pack(">I4s", length + 8, b"jp2c") + head)
    for number, which in enumerate(order):
        file.write(struct.pack(">2sHHIBB", b"\xff\x90", 10, number, len(tiles[which]) + 12, 0, 1) + tiles[which])
    file.write(b"\xff\xd9")
