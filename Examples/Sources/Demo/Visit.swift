import Easel
import FoundationEssentials

/// One load of one exhibit: its source and its duration.
struct Visit {
  let image: Image
  let source: ImageEvent.Source
  let total: Duration
  let stages: StageTimes.Times

  init(_ exhibit: Exhibit, at url: URL, by manager: ImageManager, decryptor: DemoDecryptor) async throws {
    let times = StageTimes()
    var context: ImageContext = [.transformer(exhibit.pipeline), .observer(times)]
    if exhibit.isSealed { context[.decryptor] = decryptor }
    let clock = ContinuousClock()
    let start = clock.now
    let result = try await manager.result(for: ImageRequest(url: url, options: .waitStore, context: context))
    total = clock.now - start
    image = result.image
    source = result.source
    stages = times.all
  }

  /// The source, the total time, and the time of each stage.
  var summary: String {
    let parts = [
      stages.transfer.map { "load \(Self.text($0))" }, stages.decode.map { "decode \(Self.text($0))" },
      stages.transform.map { "transform \(Self.text($0))" },
    ]
    let details = parts.compactMap { $0 }.joined(separator: ", ")
    return "\(source) \(Self.text(total))" + (details.isEmpty ? "" : " (\(details))")
  }

  private static func text(_ duration: Duration) -> String {
    let tenths = Int((duration / .milliseconds(1) * 10).rounded())
    return "\(tenths / 10).\(tenths % 10) ms"
  }
}
