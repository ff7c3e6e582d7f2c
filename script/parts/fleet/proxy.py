"""A proxy before an engine, which disturbs the answers.

usage: python3 proxy.py PORT TARGET_PORT CONTROL_PORT

A line at the control port changes the disturbance:

  pass          no disturbance
  late MS       each part of an answer comes so much later
  cut BYTES     a connection is closed after so many bytes of its next answers
  hold          nothing passes in either direction, and nobody is told
"""

import asyncio
import sys


class Proxy:
    def __init__(self, target):
        self.target, self.mode, self.amount = target, "pass", 0

    async def control(self, reader, writer):
        words = (await reader.readline()).decode().split()
        self.mode, self.amount = words[0], int(words[1]) if len(words) > 1 else 0
        writer.write(b"ok\n")
        await writer.drain()
        writer.close()

    async def serve(self, reader, writer):
        try:
            there, back = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:
            return writer.close()
        await asyncio.gather(self.carry(reader, back), self.disturb(there, writer))

    async def carry(self, reader, writer):
        try:
            while data := await reader.read(65536):
                await self.hold()
                writer.write(data)
                await writer.drain()
        except OSError:
            pass
        finally:
            writer.close()

    async def hold(self):
        while self.mode == "hold":
            await asyncio.sleep(0.02)

    async def disturb(self, reader, writer):
        left = None
        try:
            while data := await reader.read(65536):
                await self.hold()
                if self.mode == "late":
                    await asyncio.sleep(self.amount / 1000)
                if self.mode == "cut":
                    left = self.amount if left is None else left
                    if len(data) >= left:
                        writer.write(data[:left])
                        await writer.drain()
                        break
                    left -= len(data)
                else:
                    left = None
                writer.write(data)
                await writer.drain()
        except OSError:
            pass
        finally:
            writer.close()


async def main():
    port, target, control = map(int, sys.argv[1:])
    proxy = Proxy(target)
    await asyncio.start_server(proxy.control, "127.0.0.1", control)
    server = await asyncio.start_server(proxy.serve, "127.0.0.1", port, backlog=1000)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
