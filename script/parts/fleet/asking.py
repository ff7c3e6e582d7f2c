"""A client that asks the servers of a fleet, and what it finds out about their answers."""

import asyncio
import io
import re
import time

import origin
from PIL import Image

WIDTH = 32


class Answer:
    def __init__(self, server, name, status, body, began, seconds):
        self.server, self.name, self.status, self.body = server, name, status, body
        self.began, self.seconds = began, seconds

    @property
    def is_right(self):
        """True for a picture of the right size in the colour of its name."""
        if self.status != 200:
            return False
        try:
            with Image.open(io.BytesIO(self.body)) as image:
                pixel = image.convert("RGB").getpixel((WIDTH // 2, image.height // 2))
                return image.width == WIDTH and all(abs(a - b) <= 2 for a, b in zip(pixel, origin.colour(self.name)))
        except OSError:
            return False


class Client:
    """Keeps connections open, as a load balancer does."""

    def __init__(self, origin_port, limit=15):
        self.origin_port, self.limit = origin_port, limit
        self.idle = {}

    def path(self, name):
        return f"/unsafe/w:{WIDTH}/plain/http://127.0.0.1:{self.origin_port}/pic/{name}.png@png"

    async def ask(self, server, name):
        """One answer; the status is 0 if there was none."""
        began = time.monotonic()
        try:
            status, body = await asyncio.wait_for(self.get(server.port, self.path(name)), self.limit)
        except (OSError, EOFError, asyncio.TimeoutError):
            status, body = 0, b""
        return Answer(server, name, status, body, began, time.monotonic() - began)

    async def ask_until_answered(self, server, servers, name):
        """Asks another server when one has died, as a load balancer does."""
        choices = [server] + [other for other in servers if other is not server]
        for number in range(60):
            answer = await self.ask(choices[number % len(choices)], name)
            if answer.status:
                return answer
            await asyncio.sleep(0.05)
        return answer

    async def get(self, port, path):
        idle = self.idle.setdefault(port, [])
        while True:
            is_used = bool(idle)
            reader, writer = idle.pop() if idle else await asyncio.open_connection("127.0.0.1", port)
            try:
                writer.write(f"GET {path} HTTP/1.1\r\nHost: fleet\r\n\r\n".encode())
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                length = re.search(r"(?i)\r\ncontent-length: (\d+)", head)
                body = await reader.readexactly(int(length[1])) if length else await reader.read()
                if length and "connection: close" not in head.lower():
                    idle.append((reader, writer))
                else:
                    writer.close()
                return int(head.split(" ", 2)[1]), body
            except BaseException as error:
                writer.close()
                # The server may have closed a connection that waited for its next request.
                if is_used and isinstance(error, (OSError, EOFError)):
                    continue
                raise

    async def origin_says(self, path):
        return (await self.get(self.origin_port, path))[1]


async def at_once(jobs, most):
    """Runs jobs, at most so many at a time; gives their results in order."""
    gate = asyncio.Semaphore(most)

    async def one(job):
        async with gate:
            return await job()
    return await asyncio.gather(*(one(job) for job in jobs))


def percentile(answers, fraction):
    times = sorted(answer.seconds for answer in answers)
    return times[min(len(times) - 1, int(len(times) * fraction))] if times else float("nan")
