import EaselBenchmarkHarness
import EaselCore
import EaselPixels
import EaselSupport
import Glibc

/// The time that a transform of 48 megapixels continues after its cancellation, compared with its full time.
func cancellationCases() -> [BenchmarkCase] {
  [
    cancellationCase("shrink") { try $0.resized(to: PixelSize(width: 2000, height: 1500), work: $1) },
    cancellationCase("blur") { try $0.blurred(radius: 5, work: $1) },
    cancellationCase("quarter turn") { try $0.rotated(quarterTurns: 1, work: $1) },
    cancellationCase("rotate") { try $0.rotated(radians: 0.3, fit: true, work: $1) },
    cancellationCase("blend") { try $0.blended(with: .white, mode: .multiply, work: $1) },
  ]
}

private func cancellationCase(
  _ name: String, _ operation: @escaping @Sendable (Bitmap, WorkContext) throws -> Bitmap
) -> BenchmarkCase {
  BenchmarkCase("cancelled \(name), 48 MP", group: "cancellation", against: "its full time", atMost: 0.05) {
    let bitmap = try picture(width: 8000 / debugDivisor, height: 6000 / debugDivisor, .rgba8)
    let start = ContinuousClock.now
    blackHole(try operation(bitmap, WorkContext()))
    let full = start.duration(to: .now)
    return BenchmarkPair(
      subject: .timed { repetitions in
        var seconds = 0.0
        for _ in 0..<repetitions { seconds += secondsAfterCancelling(bitmap, after: full / 6, operation) }
        return seconds
      },
      baseline: .call { blackHole(try operation(bitmap, WorkContext())) }
    )
  }
}

private func secondsAfterCancelling(
  _ bitmap: Bitmap, after pause: Duration, _ operation: @Sendable (Bitmap, WorkContext) throws -> Bitmap
) -> Double {
  let cancellation = Cancellation()
  let cancelledAt = Locked(ContinuousClock.now)
  let work = WorkContext(limits: Limits(), context: ImageContext(), cancellation: cancellation, clock: SystemClock())
  PlainThread.start {
    usleep(UInt32(pause / .microseconds(1)))
    cancelledAt.withLock { $0 = .now }
    cancellation.cancel()
  }
  do {
    blackHole(try operation(bitmap, work))
    // The machine was busier when the full time was measured, so the work ended before the cancellation. Try again with
    // a shorter pause.
    return secondsAfterCancelling(bitmap, after: pause / 2, operation)
  } catch {
    let end = ContinuousClock.now
    return cancelledAt.withLock { $0 }.duration(to: end) / .seconds(1)
  }
}
