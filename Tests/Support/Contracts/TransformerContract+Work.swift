import EaselCore

extension TransformerContract {
  func checkLimits(_ transformer: any Transformer, _ findings: Findings<Rule>) {
    guard let image = Self.image(13, 7, .rgba8) else { return }
    var limits = Limits()
    limits.side = 13
    limits.framePixels = 13 * 7
    do {
      let size = try transformer.transform(image, work: WorkContext(limits: limits)).size
      findings.require(
        max(size.width, size.height) <= limits.side && size.area <= limits.framePixels, .limitsHold,
        "\(transformer.cacheKey) makes \(size) where \(limits.framePixels) pixels are allowed.")
    } catch {
      guard (try? transformer.transform(image, work: WorkContext())) != nil else { return }
      let code = (error as? ImageError)?.code
      findings.require(
        code == .limitExceeded, .limitsHold, "\(transformer.cacheKey) over the limits ended with \(error).")
    }
  }

  func checkCancellation(_ transformer: any Transformer, _ findings: Findings<Rule>) {
    guard let image = Self.image(64, 48, .rgba8),
      (try? transformer.transform(image, work: WorkContext())) != nil
    else { return }
    for place in 0...8 {
      let work = WatchingClock(cancellingAtLook: place).work()
      do {
        _ = try transformer.transform(image, work: work)
      } catch {
        findings.require(
          WatchingClock.isCancellation(error), .cancellationIsNoFailure,
          "\(transformer.cacheKey) ended with \(error) when it was given up.")
      }
    }
  }

  func checkFrames(_ transformer: any Transformer, _ findings: Findings<Rule>) {
    let durations = [Duration.milliseconds(20), .milliseconds(70), .seconds(1)]
    let source = FakeFrameSource(durations: durations, loopCount: 3, canvasSize: PixelSize(width: 13, height: 7))
    guard let first = try? source.frame(at: 0), (try? transformer.transform(Image(first), work: WorkContext())) != nil
    else { return }
    let what = "\(transformer.cacheKey) of a moving picture"
    findings.attempt(.framesStay, what) {
      let result = try transformer.transformAllFrames(of: Image(first, frames: source), work: WorkContext())
      guard let frames = result.frames else { return findings.add(.framesStay, "\(what) does not move.") }
      let left = (0..<frames.count).map(frames.duration)
      findings.require(
        left == durations && frames.loopCount == 3, .framesStay, "\(what) has \(left.count) frames, shown for \(left).")
      for index in 0..<frames.count {
        let size = try frames.frame(at: index).size
        findings.require(
          size == frames.canvasSize && size == result.size, .framesStay,
          "\(what) of \(result.size) has a frame of \(size).")
      }
    }
  }
}
