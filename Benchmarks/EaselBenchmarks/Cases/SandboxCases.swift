import EaselEverything
import EaselBenchmarkHarness

/// What it costs to decode in a process of its own: the same coder in the sandbox and outside.
func sandboxCases() -> [BenchmarkCase] {
  let photo = BenchmarkPicture(.photo, .jpeg, 4000, 3000)
  return [
    sandboxCase("12 MP JPEG to 320", photo, thumbnail: 320, atMost: 1.05),
    sandboxCase("12 MP JPEG", photo, thumbnail: nil, atMost: nil),
    sandboxCase("PNG of 320 pixels", BenchmarkPicture(.photo, .png, 320, 240), thumbnail: nil, atMost: nil),
    sandboxCase(
      "PNG of 320 pixels", BenchmarkPicture(.photo, .png, 320, 240), thumbnail: nil, extra: .milliseconds(1), atMost: 1),
  ]
}

private func sandboxCase(
  _ name: String, _ picture: BenchmarkPicture, thumbnail: Int?, extra: Duration? = nil, atMost bar: Double?
) -> BenchmarkCase {
  let baseline = extra == nil ? "this process" : "this process and 1 ms"
  return BenchmarkCase(name, group: "sandbox", against: baseline, atMost: bar) {
    let bytes = ImageBytes(try picture.data())
    var options = DecodeOptions()
    options.thumbnailSize = thumbnail.map { PixelSize(width: $0, height: $0) }
    let inside = CoderRegistry.everything.sandboxed(in: sandbox)
    try sandbox.start()
    return BenchmarkPair(
      subject: decoding(bytes, options, inside), baseline: decoding(bytes, options, .everything, extra: extra))
  }
}

private func decoding(
  _ bytes: ImageBytes, _ options: DecodeOptions, _ coder: CoderRegistry, extra: Duration? = nil
) -> BenchmarkSide {
  .call {
    let work = WorkContext()
    // As the manager does it: the header decides about the size.
    blackHole(try coder.probe(bytes, work: work))
    blackHole(try coder.decode(bytes, options: options, work: work))
    guard let extra else { return }
    let end = ContinuousClock.now + extra
    while ContinuousClock.now < end {}
  }
}

private let sandbox = Sandbox()
