"""A web server whose pictures show their versions, and the reading of them.

usage: python3 versions.py PORT DELAY_MS

  /v/FOLDER/NAME.png     a picture in the colour of its version, with FOLDER as its Cache-Tag
  /raise?FOLDER/NAME     a new version of a picture; /raise?FOLDER/ of a folder, /raise? of all; returns its number
"""

import asyncio
import io
import sys

import origin

WIDTH, HEIGHT = 48, 32


def colour(version):
    """Steps of eight, which no resampling confuses."""
    return tuple((version // 32 ** place % 32) * 8 + 4 for place in range(3))


_known = {}


def version_in(body):
    """The version that a picture shows; nothing if it is none."""
    if body not in _known:
        from PIL import Image
        try:
            with Image.open(io.BytesIO(body)) as image:
                pixel = image.convert("RGB").getpixel((image.width // 2, image.height // 2))
            _known[body] = sum(part // 8 * 32 ** place for place, part in enumerate(pixel))
        except OSError:
            return None
        if len(_known) > 100_000:
            _known.clear()
            return version_in(body)
    return _known[body]


class Origin(origin.Origin):
    def __init__(self, delay):
        super().__init__(delay)
        self.latest, self.all, self.folders, self.names = 1, 1, {}, {}

    def version(self, name):
        return max(self.all, self.folders.get(name.split("/")[0], 1), self.names.get(name, 1))

    async def answer(self, path):
        if path.startswith("/v/"):
            name = path[3:].rsplit(".", 1)[0]
            # What is sent is what there was when the request came.
            picture = origin.flat(colour(self.version(name)), WIDTH, HEIGHT)
            await asyncio.sleep(self.delay)
            return "image/png\r\nCache-Tag: " + name.split("/")[0], picture
        self.latest += 1
        name = path.split("?", 1)[1]
        if not name:
            self.all = self.latest
        elif name.endswith("/"):
            self.folders[name[:-1]] = self.latest
        else:
            self.names[name] = self.latest
        return "text/plain", str(self.latest).encode()


async def main():
    server = await asyncio.start_server(Origin(float(sys.argv[2]) / 1000).serve, "127.0.0.1", int(sys.argv[1]), backlog=1000)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
