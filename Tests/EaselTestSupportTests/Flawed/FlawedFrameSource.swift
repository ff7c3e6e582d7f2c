import EaselCore
import EaselSupport
import EaselTestSupport

/// A frame source that breaks one rule.
final class FlawedFrameSource: FrameSource {
  private let flaw: FrameSourceContract.Rule
  private let base = FakeFrameSource(durations: [.milliseconds(10), .milliseconds(20), .milliseconds(30)])
  private let asked = Locked(0)

  init(_ flaw: FrameSourceContract.Rule) { self.flaw = flaw }

  var count: Int { base.count }
  var loopCount: Int { flaw == .numbersMakeSense ? -1 : 0 }
  var canvasSize: PixelSize { flaw == .framesFillTheCanvas ? PixelSize(width: 9, height: 9) : base.canvasSize }
  var memoryCost: Int { 0 }

  func duration(at index: Int) -> Duration { flaw == .framesLast ? .milliseconds(-1) : base.duration(at: index) }

  func frame(at index: Int) throws -> Bitmap {
    let number = asked.withLock { asked in
      asked += 1
      return asked
    }
    if flaw == .ends { blockForever() }
    if flaw == .keepsAlphaHonest {
      var frame = try base.frame(at: index)
      frame.withUnsafeMutableBytes { $0[3] = 0 }
      return frame
    }
    // The suite asks for three frames in order, six out of order, and the rest on many threads.
    switch flaw {
    case .everyFrameIsThere where index == 2: throw ImageError(.badImageData, "It is not there.")
    case .framesAreRepeatable where number > 3: return try base.frame(at: 0)
    case .isSafeForManyThreads where number > 9: return try base.frame(at: number % 3)
    default: return try base.frame(at: index)
    }
  }
}
