"""A web server whose pictures differ by their names. It counts requests, and takes its time.

usage: python3 origin.py PORT DELAY_MS

  /pic/NAME.png    a picture of 96x64 pixels in the colour of NAME
  /counts          the number of requests for each picture so far, as JSON; /counts?new forgets them
  /delay?MS        from now on, pictures take so many milliseconds
"""

import asyncio
import json
import struct
import sys
import zlib

WIDTH, HEIGHT = 96, 64


def colour(name):
    """The colour of a picture, far enough from those of most other names."""
    digest = zlib.crc32(name.encode())
    return digest >> 16 & 255, digest >> 8 & 255, digest & 255


def picture(name):
    return flat(colour(name), WIDTH, HEIGHT)


def flat(colour, width, height):
    """A PNG of one colour."""
    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    rows = (b"\0" + bytes(colour) * width) * height
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows, 1)) + chunk(b"IEND", b"")


class Origin:
    def __init__(self, delay):
        self.delay, self.counts = delay, {}

    async def answer(self, path):
        if path.startswith("/pic/"):
            name = path[5:].rsplit(".", 1)[0]
            self.counts[name] = self.counts.get(name, 0) + 1
            await asyncio.sleep(self.delay)
            return "image/png", picture(name)
        if path.startswith("/delay?"):
            self.delay = float(path[7:]) / 1000
            return "text/plain", b"ok"
        body = json.dumps(self.counts).encode()
        if path == "/counts?new":
            self.counts = {}
        return "application/json", body

    async def serve(self, reader, writer):
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                kind, body = await self.answer(head.split(b" ", 2)[1].decode())
                writer.write(
                    f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n"
                    "Cache-Control: max-age=3600\r\n\r\n".encode() + body)
                await writer.drain()
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()


async def main():
    origin = Origin(float(sys.argv[2]) / 1000)
    server = await asyncio.start_server(origin.serve, "127.0.0.1", int(sys.argv[1]), backlog=1000)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
