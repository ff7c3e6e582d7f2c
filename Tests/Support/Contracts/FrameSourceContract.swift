import EaselCore

/// What every frame source must do.
public struct FrameSourceContract: Sendable {
  /// The rules.
  public enum Rule: String, CaseIterable, Sendable {
    /// There is at least one frame, and no number is negative.
    case numbersMakeSense
    /// Every frame is there.
    case everyFrameIsThere
    /// Every frame is as large as the canvas.
    case framesFillTheCanvas
    /// Every frame is shown for some time.
    case framesLast
    /// A frame is the same whenever, and after whatever other frame, it is asked for.
    case framesAreRepeatable
    /// A frame is the same when many threads ask at once.
    case isSafeForManyThreads
  }

  private let source: any FrameSource

  /// Creates the suite.
  public init(_ source: any FrameSource) { self.source = source }

  /// The rules that the source breaks.
  public func check() async -> [ContractViolation] {
    let findings = Findings<Rule>()
    findings.require(
      source.count > 0 && source.loopCount >= 0 && source.memoryCost >= 0 && !source.canvasSize.isEmpty,
      .numbersMakeSense,
      "\(source.count) frames of \(source.canvasSize), \(source.loopCount) plays, \(source.memoryCost) bytes.")
    // Enough to see what is wrong, also of a film.
    let count = min(source.count, 50)
    guard count > 0 else { return findings.violations }
    let frames = await Waiting.onThread { checkInOrder(count, findings) }
    await Waiting.onThread { checkOutOfOrder(frames, findings) }
    await checkThreads(frames, findings)
    return findings.violations
  }

  private func checkInOrder(_ count: Int, _ findings: Findings<Rule>) -> [Bitmap?] {
    (0..<count).map { index in
      let duration = source.duration(at: index)
      findings.require(duration > .zero, .framesLast, "Frame \(index) is shown for \(duration).")
      let frame = findings.attempt(.everyFrameIsThere, "Frame \(index)") { try source.frame(at: index) }
      if let frame {
        findings.require(
          frame.size == source.canvasSize, .framesFillTheCanvas, "Frame \(index) is \(frame.size).")
      }
      return frame
    }
  }

  private func checkOutOfOrder(_ frames: [Bitmap?], _ findings: Findings<Rule>) {
    var random = SeededRandom(seed: 1)
    let indices =
      frames.indices.reversed() + (0..<frames.count).map { _ in frames.indices.randomElement(using: &random)! }
    for index in indices {
      let frame = try? source.frame(at: index)
      findings.require(frame == frames[index], .framesAreRepeatable, "Frame \(index) is another one this time.")
    }
  }

  private func checkThreads(_ frames: [Bitmap?], _ findings: Findings<Rule>) async {
    await withTaskGroup(of: Void.self) { group in
      for thread in 0..<4 {
        group.addTask {
          await Waiting.onThread {
            for step in frames.indices {
              let index = (step * (thread + 1) + thread) % frames.count
              let frame = try? source.frame(at: index)
              findings.require(frame == frames[index], .isSafeForManyThreads, "Frame \(index) is another one.")
            }
          }
        }
      }
    }
  }
}
