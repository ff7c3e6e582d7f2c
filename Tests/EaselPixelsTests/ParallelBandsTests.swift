import EaselCore
import EaselSupport
import EaselTestPixels
import Testing

@testable import EaselPixels

/// Work on rows that two threads share.
struct ParallelBandsTests {
  @Test(arguments: [0, 1, 15, 16, 1000, 4099])
  func everyRowIsWorkedOnOnce(count: Int) throws {
    for length in [1, 10_000, 1_000_000] {
      let rows = Locked([Int](repeating: 0, count: count))
      try ParallelBands.run(of: count, length: length, work: WorkContext()) { band in
        rows.withLock { rows in for row in band { rows[row] += 1 } }
      }
      #expect(rows.withLock { $0.allSatisfy { $0 == 1 } }, "\(count) rows of \(length)")
    }
  }

  @Test func cancelledWorkBeginsNoBand() {
    for length in [1, 1_000_000] {
      let calls = Locked(0)
      let error = #expect(throws: ImageError.self) {
        try ParallelBands.run(of: 1000, length: length, work: WorkContext(isCancelled: true)) { _ in
          calls.withLock { $0 += 1 }
        }
      }
      #expect(error?.code == .cancelled)
      #expect(calls.withLock { $0 } == 0)
    }
  }

  @Test func noBandGoesOnAfterTheEnd() throws {
    for _ in 0..<200 {
      let running = Locked(0)
      try ParallelBands.run(of: 64, length: ParallelBands.fewestPixels, work: WorkContext()) { _ in
        running.withLock { $0 += 1 }
        running.withLock { $0 -= 1 }
      }
      #expect(running.withLock { $0 } == 0)
    }
  }

  @Test func largePicturesAreLikeTheirParts() throws {
    let bitmap = try Bitmap.noise(1000, 1100, .rgba8)
    let row = [0.2126, 0.7152, 0.0722, 0, 0]
    let matrix = Bitmap.ColorMatrix(rows: [row, row, row, [0, 0, 0, 1, 0]])
    let (gray, flipped) = (try bitmap.applying(matrix), try bitmap.flipped(horizontally: true, vertically: false))
    for top in stride(from: 0, to: 1100, by: 100) {
      let rect = PixelRect(x: 0, y: top, width: 1000, height: 100)
      let part = try bitmap.cropped(to: rect)
      #expect(try part.applying(matrix) == gray.cropped(to: rect))
      #expect(try part.flipped(horizontally: true, vertically: false) == flipped.cropped(to: rect))
    }
  }
}
