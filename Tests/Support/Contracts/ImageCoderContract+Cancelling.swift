import EaselCore

extension ImageCoderContract {
  func checkCancellation(_ sample: ImageSample, _ findings: Findings<Rule>) {
    guard (try? decode(sample.imageBytes)) != nil else { return }
    let work = WatchingClock(cancellingAtLook: 0).work()
    do {
      _ = try coder.decode(sample.imageBytes, options: DecodeOptions(), work: work)
      findings.add(.stopsWhenCancelled, "\(sample.name) was decoded all the same.")
    } catch {
      findings.require(
        WatchingClock.isCancellation(error), .stopsWhenCancelled, "\(sample.name) ended with \(error).")
    }
    let fault = WatchingClock.fault { work in
      _ = try coder.decode(sample.imageBytes, options: DecodeOptions(), work: work)
    }
    findings.require(fault == nil, .stopsInTheMiddle, "The decoding of \(sample.name) \(fault ?? "").")
  }

  func checkEncodingCancellation(_ sample: ImageSample, _ findings: Findings<Rule>) {
    guard let image = try? decode(sample.imageBytes) else { return }
    for format in writable {
      let write = { (work: WorkContext) in
        _ = try encode(image, as: format, options: EncodeOptions(), work: work)
      }
      let what = "The writing of \(sample.name) as \(format)"
      do {
        try write(WatchingClock(cancellingAtLook: 0).work())
        findings.add(.stopsWhenCancelled, "\(what) went on to its end after it was given up.")
      } catch {
        findings.require(WatchingClock.isCancellation(error), .stopsWhenCancelled, "\(what) ended with \(error).")
      }
      let fault = WatchingClock.fault(cancelling: write)
      findings.require(fault == nil, .stopsInTheMiddle, "\(what) \(fault ?? "").")
    }
  }

  /// Large work must check for cancellation more than once.
  func checkLargeWork(_ findings: Findings<Rule>) {
    let side = 512
    var files = samples.filter { sample in
      let size = try? coder.probe(sample.imageBytes, work: WorkContext()).storedSize
      return (size?.area ?? 0) >= side * side
    }.map { ($0.name, $0.imageBytes) }
    if let bitmap = try? BitmapSamples.large(width: side, height: side) {
      for format in writable {
        let clock = WatchingClock()
        let bytes = try? encode(Image(bitmap), as: format, options: EncodeOptions(), work: clock.work())
        guard let bytes else { continue }
        let what = "a picture of \(side)x\(side) as \(format)"
        requireManyLooks(clock, "Writing \(what)", findings)
        files.append((what, bytes))
      }
    }
    for (name, bytes) in files {
      let clock = WatchingClock()
      guard (try? coder.decode(bytes, options: DecodeOptions(), work: clock.work())) != nil else { continue }
      requireManyLooks(clock, "Decoding \(name)", findings)
    }
  }

  private func requireManyLooks(_ clock: WatchingClock, _ what: String, _ findings: Findings<Rule>) {
    let unwatched = WatchingClock()
    _ = unwatched.work()
    let asked = clock.count - unwatched.count
    findings.require(
      asked >= 2, .stopsInTheMiddle, "\(what) asked \(asked) times whether it is still wanted; ask every few rows.")
  }
}
