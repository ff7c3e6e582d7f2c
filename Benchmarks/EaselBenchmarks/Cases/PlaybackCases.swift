import EaselEverything
import EaselBenchmarkHarness
import Glibc

/// Sixty frames shown by a player, as in views: the processor time from the file to the last frame.
///
/// All frames are due at once, so that nothing waits. The library decodes and composes them in order, on one thread,
/// and does not show them.
func playbackCases() -> [BenchmarkCase] {
  [
    BenchmarkCase("60 frames of a GIF", group: "play", against: "giflib and composing in C", atMost: 1.03) {
      let bytes = try animation(as: .gif)
      let file = try bytes.data()
      let canvas = UnsafeMutableRawBufferPointer.allocate(byteCount: size.area * 4, alignment: 64)
      return BenchmarkPair(
        subject: processorTime { try await play(bytes) },
        baseline: processorTime { decodeWithGiflib(file, canvas, size.width, size.height) })
    },
    BenchmarkCase("60 frames of a WebP", group: "play", against: "WebPAnimDecoder", atMost: 1.03) {
      let bytes = try animation(as: .webp)
      let file = try bytes.data()
      return BenchmarkPair(
        subject: processorTime { try await play(bytes) }, baseline: processorTime { playWithLibwebp(file) })
    },
  ]
}

private let size = PixelSize(width: 480 / debugDivisor, height: 270 / debugDivisor)

private func animation(as format: ImageFormat) throws -> ImageBytes {
  let frames = try MovingFrames()
  let image = Image(try frames.frame(at: 0), frames: frames)
  return try CoderRegistry.everything.encode(image, as: format, options: EncodeOptions(), work: WorkContext())
}

private func play(_ bytes: ImageBytes) async throws {
  let image = try CoderRegistry.everything.decode(bytes, options: DecodeOptions(), work: WorkContext())
  // Room for a few frames, as when many pictures move.
  let budget = ImagePlayer.FrameBudget(byteLimit: 4 * size.area * 4)
  guard let player = ImagePlayer(image, budget: budget, clock: HastyClock()) else {
    throw JobFailure(description: "the picture does not move")
  }
  player.loopCount = 1
  var count = 0
  for try await frame in player {
    blackHole(frame.bitmap)
    count += 1
  }
  guard count == 60 else { throw JobFailure(description: "\(count) frames were shown") }
}

/// The processor time of all threads of this process.
private func processorTime(_ body: @escaping () async throws -> Void) -> BenchmarkSide {
  .timed { repetitions in
    let start = processorSeconds()
    for _ in 0..<repetitions { try await body() }
    return processorSeconds() - start
  }
}

private func processorSeconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
}
