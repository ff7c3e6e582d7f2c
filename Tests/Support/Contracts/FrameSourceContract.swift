import EaselCore

/// The rules of every frame source.
public struct FrameSourceContract: Sendable {
  /// A rule of the contract.
  public enum Rule: String, CaseIterable, Sendable {
    /// There is at least one frame, and no number is negative.
    case numbersMakeSense
    /// Every frame can be decoded.
    case everyFrameIsThere
    /// Every frame has the size of the canvas.
    case framesFillTheCanvas
    /// Every frame has a positive duration, or none as a page has, the same each time.
    case framesLast
    /// A frame is the same each time, no matter which frame was decoded before.
    case framesAreRepeatable
    /// A frame is the same when many threads ask at the same time.
    case isSafeForManyThreads
    /// The alpha flags of a frame are true.
    case keepsAlphaHonest
    /// Every call returns.
    case ends
  }

  private let source: any FrameSource
  private let patience: Duration

  /// Tests this source; `patience` is the longest time that one call may take.
  public init(_ source: any FrameSource, patience: Duration = .ofContracts) {
    self.source = source
    self.patience = patience
  }

  /// Returns the rules that the source breaks.
  public func check() async -> [ContractViolation] {
    let findings = Findings<Rule>()
    let steps = Steps(findings, .ends, patience: patience)
    let count = await steps.onThread("Counting") { checkNumbers(findings) } ?? 0
    guard count > 0, let frames = await steps.onThread("Playing in order", { checkInOrder(count, findings) }) else {
      return findings.violations
    }
    await steps.onThread("Playing out of order") { checkOutOfOrder(frames, findings) }
    await steps.run("Playing on many threads") { await checkThreads(frames, findings) }
    return findings.violations
  }

  /// Checks the numbers and returns how many frames to check.
  private func checkNumbers(_ findings: Findings<Rule>) -> Int {
    findings.require(
      source.count > 0 && source.loopCount >= 0 && source.memoryCost >= 0 && !source.canvasSize.isEmpty,
      .numbersMakeSense,
      "\(source.count) frames of \(source.canvasSize), \(source.loopCount) plays, \(source.memoryCost) bytes.")
    // Fifty frames suffice to find errors, even in a film.
    return min(source.count, 50)
  }

  private func checkInOrder(_ count: Int, _ findings: Findings<Rule>) -> [Bitmap?] {
    (0..<count).map { index in
      let duration = source.duration(at: index)
      findings.require(
        duration >= .zero && duration == source.duration(at: index), .framesLast,
        "Frame \(index) is shown for \(duration), and then for \(source.duration(at: index)).")
      let frame = findings.attempt(.everyFrameIsThere, "Frame \(index)") { try source.frame(at: index) }
      if let frame {
        findings.require(
          frame.size == source.canvasSize, .framesFillTheCanvas, "Frame \(index) is \(frame.size).")
        findings.require(
          BitmapSamples.keepsItsAlpha(frame), .keepsAlphaHonest,
          "Frame \(index) is not \(frame.format.alpha) as it says.")
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
    await Waiting.onThreads(4) { thread in
      for step in frames.indices {
        let index = (step * (thread + 1) + thread) % frames.count
        let frame = try? source.frame(at: index)
        findings.require(frame == frames[index], .isSafeForManyThreads, "Frame \(index) is another one.")
      }
    }
  }
}
