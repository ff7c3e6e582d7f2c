import EaselCore
import EaselPixels
import EaselTestPixels
import FoundationEssentials
import Synchronization
import Testing

/// A clock that cancels the work when it has been read a number of times.
private final class CancellingClock: ImageClock {
  private let looks: Atomic<Int>
  private let cancellation: Cancellation
  private let clock = SystemClock()

  init(after looks: Int, _ cancellation: Cancellation) {
    self.looks = Atomic(looks)
    self.cancellation = cancellation
  }

  var uptime: Duration {
    if looks.subtract(1, ordering: .relaxed).newValue <= 0 { cancellation.cancel() }
    return clock.uptime
  }

  var date: Date { clock.date }
  func sleep(for duration: Duration) async throws { try await clock.sleep(for: duration) }
  func block(for duration: Duration) { clock.block(for: duration) }
}

struct CancellationTests {
  static let operations: [(String, @Sendable (Bitmap, WorkContext) throws -> Bitmap)] = [
    ("shrink", { try $0.resized(to: PixelSize(width: 200, height: 150), work: $1) }),
    ("enlarge", { try $0.resized(to: PixelSize(width: 2000, height: 1500), work: $1) }),
    ("flip", { try $0.flipped(horizontally: true, vertically: true, work: $1) }),
    ("turn", { try $0.rotated(quarterTurns: 1, work: $1) }),
    ("rotate", { try $0.rotated(radians: 0.3, fit: true, work: $1) }),
    ("blur", { try $0.blurred(radius: 4, work: $1) }),
    ("blend", { try $0.blended(with: .white, mode: .multiply, work: $1) }),
    ("matrix", { try $0.applying(.identity, work: $1) }),
    (
      "border",
      {
        let part = try $0.partInsideBorder(of: nil, tolerance: 0, work: $1)
        return try part.map($0.cropped) ?? $0
      }
    ),
    ("convert", { try $0.converted(to: .rgba16, work: $1) }),
  ]

  /// The number of checks bounds the time after a cancellation on any machine.
  @Test(arguments: operations.indices)
  func longWorkAsksOftenWhetherItIsWanted(index: Int) throws {
    let (name, operation) = Self.operations[index]
    let bitmap = try Bitmap(2500, 1000, PixelColor(red: 1, green: 2, blue: 3), .rgba8)
    for looks in [2, 5, 9] {
      let cancellation = Cancellation()
      let work = WorkContext(
        limits: Limits(), context: ImageContext(), cancellation: cancellation,
        clock: CancellingClock(after: looks, cancellation))
      work.time.begin()
      let error = #expect(throws: ImageError.self, "\(name) after \(looks)") { try operation(bitmap, work) }
      #expect(error?.code == .cancelled)
    }
  }
}
