"""The page that shows what transformers, resize modes, placeholders and qualities do, with pictures that easel makes."""

import html
import pathlib
import re
import subprocess
import sys

from . import scene
from .layout import layout

ROOT = pathlib.Path(__file__).resolve().parents[4]
# The calls of Swift below are lines of this test, which compiles them.
TEST = ROOT / "Tests/EaselTests/Snippets/GallerySnippets.swift"

SIZE = "--resize 240x240"
GROUPS = [
    ("Ways to fit a picture", "The picture has 480 by 320 pixels, and the size that is asked for is 240 by 240.", [
        ("fit: as large as fits", f"{SIZE} --mode fit", ".resize(width: 240, height: 240, mode: .fit)"),
        ("fill: covers the size", f"{SIZE} --mode fill", ".resize(width: 240, height: 240, mode: .fill)"),
        ("force: stretches", f"{SIZE} --mode force", ".resize(width: 240, height: 240, mode: .force)"),
        ("pad: adds bars", f"{SIZE} --mode pad", ".resize(width: 240, height: 240, mode: .pad)"),
    ]),
    ("Which part stays", "With fill, a gravity says which part is kept.", [
        ("north-west", f"{SIZE} --mode fill --gravity north-west",
         ".resize(width: 240, height: 240, mode: .fill, gravity: .northWest)"),
        ("a focal point", f"{SIZE} --mode fill --gravity 0.8,0.7",
         ".resize(width: 240, height: 240, mode: .fill, gravity: .focalPoint(x: 0.8, y: 0.7))"),
        ("smart: what attracts the eye", f"{SIZE} --mode fill --gravity smart",
         ".resize(width: 240, height: 240, mode: .fill, gravity: .smart)"),
        ("a ratio alone", "--crop-ratio 21:9 --gravity south", ".crop(ratioWidth: 21, ratioHeight: 9, gravity: .south)"),
    ]),
    ("Shape", "", [
        ("cut out", "--crop 300,120,160,160", ".crop(x: 300, y: 120, width: 160, height: 160)"),
        ("round corners", "--round 40", ".roundCorners(40)"),
        ("mirror", "--flip horizontal", ".flip(horizontal: true)"),
        ("turn by an angle", "--rotate 12", ".rotate(degrees: 12)"),
        ("border", "--padding 14 --bars #f4f1ea", ".pad(14, color: PixelColor(red: 244, green: 241, blue: 234))"),
        ("bars up to a ratio", "--extend-ratio 1:1 --bars #26346a",
         ".extend(ratioWidth: 1, ratioHeight: 1, color: PixelColor(red: 38, green: 52, blue: 106))"),
    ]),
    ("Colour", "The option --transform takes the key of any transformer, as it stands in cache keys.", [
        ("grey", "--grayscale", ".grayscale(1)"),
        ("sepia", "--transform Sepia(1)", ".sepia(1)"),
        ("two colours", "--duotone #000000,#ffd166",
         ".duotone(shadows: .black, highlights: PixelColor(red: 255, green: 209, blue: 102))"),
        ("brighter", "--transform Brightness(1.4)", ".brightness(1.4)"),
        ("more contrast", "--transform Contrast(1.5)", ".contrast(1.5)"),
        ("stronger colours", "--transform Saturation(1.8)", ".saturation(1.8)"),
        ("negative", "--transform Invert(1)", ".invert(1)"),
        ("tint", "--transform Tint(#ffffb070,1)", ".tint(PixelColor(red: 255, green: 176, blue: 112), mode: .multiply)"),
    ]),
    ("Effects", "", [
        ("blur", "--blur 6", ".blur(6)"),
        ("sharpen", "--transform Sharpen(1.5,1)", ".sharpen(1.5)"),
        ("pixelate", "--pixelate 16", ".pixelate(16)"),
        ("relief, by a matrix", "--transform Convolution(3,1,{-2,-1,0,-1,1,1,0,1,2})",
         ".convolution([[-2, -1, 0], [-1, 1, 1], [0, 1, 2]])"),
        ("layer: itself, blurred", "--transform Layers({-,ce,0.8,1,Blur(8)})",
         ".layers([.init(.blur(8), opacity: 0.8, mode: .multiply)])"),
        ("text", "--text Foxes --text-size 64 --text-outline 3 --text-place south", ""),
        ("watermark", "--watermark mark.png --watermark-offset 12,12 --watermark-opacity 0.8", ""),
        ("repeated watermark", "--watermark mark.png --watermark-repeat 60 --watermark-opacity 0.4", ""),
    ]),
]
QUALITIES = [("jpg", 30), ("jpg", 80), ("webp", 30), ("webp", 80), ("avif", 30), ("avif", 80), ("jxl", 80)]
MARK = """<svg xmlns="http://www.w3.org/2000/svg" width="72" height="72"><circle cx="36" cy="36" r="33" fill="#fff"/>
<path d="M36 12v30l20 0zM33 18v24l-15 0zM14 47h44l-9 11h-26z" fill="#26346a"/></svg>"""
DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#$%*+,-.:;=?@[]^_{|}~"


def blurred(text, width, height):
    """Returns a PPM of what a page draws from a BlurHash: cosines of a few frequencies, in linear light."""
    from math import cos, pi

    def number(part):
        value = 0
        for letter in part:
            value = value * 83 + DIGITS.index(letter)
        return value

    def light(value):
        return value / 255 / 12.92 if value <= 10 else ((value / 255 + 0.055) / 1.055) ** 2.4

    def stored(value):
        value = min(max(value, 0), 1)
        return round(255 * (value * 12.92 if value <= 0.0031308 else 1.055 * value ** (1 / 2.4) - 0.055))

    across, down = number(text[0]) % 9 + 1, number(text[0]) // 9 + 1
    most = (number(text[1]) + 1) / 166
    first = number(text[2:6])
    waves = [[light(first >> shift & 255) for shift in (16, 8, 0)]]
    for at in range(6, len(text), 2):
        value = number(text[at:at + 2])
        signed = [part - 9 for part in (value // 361, value // 19 % 19, value % 19)]
        waves.append([(abs(part) / 9) ** 2 * (1 if part > 0 else -1) * most for part in signed])
    body = bytearray()
    for y in range(height):
        for x in range(width):
            for channel in range(3):
                body.append(stored(sum(
                    waves[j * across + i][channel] * cos(pi * x * i / width) * cos(pi * y * j / height)
                    for j in range(down) for i in range(across))))
    return b"P6\n%d %d\n255\n" % (width, height) + bytes(body)


class Studio:
    """Makes the pictures of the page."""

    def __init__(self, site, easel):
        self.folder, self.easel = site / "gallery", easel
        self.folder.mkdir(exist_ok=True)
        (self.folder / "scene.svg").write_text(scene.svg())
        (self.folder / "mark.svg").write_text(MARK)
        self.run("convert", "scene.svg", "--resize", "480x320", "-o", "picture.png")
        self.run("convert", "mark.svg", "-o", "mark.png")

    def run(self, *words):
        result = subprocess.run(
            [self.easel, *words], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if result.returncode != 0:
            sys.exit(f"gallery: easel {' '.join(words)}: {result.stdout}")
        return result.stdout

    def picture(self, name, options):
        """Makes a variant, and returns its name and its size in pixels."""
        file = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") + ".webp"
        said = self.run("convert", "picture.png", *options, "--quality", "85", "-o", file)
        return file, re.search(r"(\d+)x(\d+)", said).groups()


def figure(file, size, title, code):
    width, height = size
    lines = "".join(f"<code>{html.escape(line)}</code>" for line in code if line)
    return (f'<figure><img src="gallery/{file}" width="{width}" height="{height}" loading="lazy" alt="{html.escape(title)}">'
            f"<figcaption><b>{html.escape(title)}</b>{lines}</figcaption></figure>")


def placeholders(studio):
    said = studio.run("info", "--placeholder", "picture.png")
    thumb, blur = re.search(r"ThumbHash (\S+)", said)[1], re.search(r"BlurHash (\S+)", said)[1]
    color = re.search(r"dominant colour (#\w+)", said)[1]
    (studio.folder / "blur.ppm").write_bytes(blurred(blur, 60, 40))
    studio.run("convert", "blur.ppm", "--resize", "480x320", "-o", "blurhash.webp")
    return f"""<h2>Placeholders</h2>
<p>What a page shows until the picture has arrived. <code>easel info --placeholder</code> prints them, and
<code>ThumbHash(of:)</code>, <code>BlurHash(of:)</code> and <code>Palette(of:)</code> make them in Swift.</p>
<div class="tiles">
{figure("blurhash.webp", (480, 320), "BlurHash", [blur, f"{len(blur)} letters"])}
<figure><div class="swatch" style="background:{color}"></div><figcaption><b>Dominant colour</b><code>{color}</code></figcaption></figure>
<figure><div class="swatch words"><span>{html.escape(thumb)}</span></div><figcaption><b>ThumbHash</b>
<code>{len(thumb)} letters of base64, with the ratio of the sides</code></figcaption></figure>
</div>"""


def qualities(studio):
    parts = []
    for form, quality in QUALITIES:
        file = f"quality-{quality}.{form}"
        studio.run("convert", "picture.png", "--quality", str(quality), "-o", file)
        count = (studio.folder / file).stat().st_size
        shown = f"quality-{form}-{quality}.webp"
        studio.run("convert", file, "--quality", "95", "-o", shown)
        parts.append(figure(shown, (480, 320), f"{form}, quality {quality}", [f"{count / 1000:.1f} kB"]))
    return ("<h2>Formats and qualities</h2>\n<p>Each picture was written in its format, read again, and is shown as a WebP of quality 95,"
            " so that every browser shows it.</p>\n" f'<div class="tiles">\n{"".join(parts)}\n</div>')


def page(site, easel, bar):
    """Writes gallery.html and its pictures."""
    studio = Studio(site, easel)
    compiled = {line.strip().rstrip(",") for line in TEST.read_text().splitlines()}
    parts = []
    for name, words, variants in GROUPS:
        parts.append(f"<h2>{html.escape(name)}</h2>" + (f"<p>{html.escape(words)}</p>" if words else ""))
        tiles = []
        for title, options, swift in variants:
            if swift and swift not in compiled:
                sys.exit(f"gallery: {TEST.name} does not compile {swift}")
            file, size = studio.picture(f"{name} {title}", options.split())
            tiles.append(figure(file, size, title, [options, swift]))
        parts.append(f'<div class="tiles">\n{"".join(tiles)}\n</div>')
    body = f"""{bar}
<header><h1>Gallery</h1>
<p class="lead">What transformers, ways to fit, placeholders and qualities do. Below each picture stand the options of
<code>easel convert</code> and the call in Swift.</p>
<figure><img src="gallery/picture.png" width="480" height="320" alt="A lake in the evening, with mountains, trees and a red sailing boat.">
<figcaption>The picture from which all others are made. A script draws it, and easel made each of the others.</figcaption></figure>
</header>
<main class="gallery">
{"".join(parts)}
{placeholders(studio)}
{qualities(studio)}
</main>"""
    (site / "gallery.html").write_text(layout("Easel: gallery", body))
