import EaselCore
import EaselHTTP
import EaselWorkers

/// Delivers the bytes of an original unchanged if they satisfy the request.
struct Passing: Sendable {
  let run: Run
  let rules: PassThrough

  /// The bytes to deliver unchanged; nil when the picture must be encoded.
  func bytes(of source: PixelSource) async throws -> EncodingResult? {
    switch source {
    case .image, .firstFrame, .finished: return nil
    case .cached(let bytes, let record):
      // Only received bytes can be delivered unchanged; these bytes were encoded by the manager.
      return record.picture == nil ? try await passed(bytes) : nil
    case .transfer(let transfer):
      guard try await mayPass(transfer), case .body(let body) = try await run.value(of: transfer),
        let passed = try await passed(body.bytes)
      else { return nil }
      body.releaseRoom()
      return passed
    }
  }

  private func passed(_ bytes: ImageBytes) async throws -> EncodingResult? {
    let work = run.newWork()
    return try await run.onWorker(.reading, work) { () -> EncodingResult? in
      guard let passed = try rules.passed(bytes, work: work) else { return nil }
      // Delivered bytes must not change, but a loader's file may change at any time, so the file is read now.
      guard passed.bytes.isInLoadersFile, passed.bytes.count <= Self.mostBytesToRead else { return passed }
      return try passed.loaded()
    }
  }

  private static let mostBytesToRead = 16 << 20

  /// True when the body may be delivered unchanged.
  ///
  /// Returns false as soon as the beginning of the body rules it out, so that decoding begins while the rest arrives.
  private func mayPass(_ transfer: JoinedRun<TransferResult>) async throws -> Bool {
    let first = BodyPrefix()
    let joined = run.join(transfer) { if case .arrived(let arrival) = $0 { first.bytesArrived(arrival) } }
    async let isOver: Void = {
      defer { first.end() }
      _ = try? await joined.value
    }()
    var count = CoderRegistry.shortSniffLength
    while let beginning = await first.wait(for: count) {
      let work = run.newWork()
      guard try await run.onWorker(.reading, work, { rules.isPossible(for: beginning, work: work) }) else {
        return false
      }
      count = max(4096, 2 * beginning.count)
    }
    await isOver
    return true
  }
}
