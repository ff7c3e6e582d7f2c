import EaselCore
import EaselHTTP
import EaselWorkers

/// Delivers the bytes of an original unchanged if they satisfy the request.
struct Passing: Sendable {
  let run: Run
  let rules: PassThrough

  /// The bytes to deliver unchanged, or to repack; nil when the picture must be encoded.
  func original(of source: PixelSource) async throws -> PassThrough.Original? {
    switch source {
    case .image, .firstFrame, .finished: return nil
    case .cached(let bytes, let record):
      // Only received bytes can be delivered unchanged; these bytes were encoded by the manager.
      return record.picture == nil ? try await original(bytes) : nil
    case .transfer(let transfer):
      guard try await mayPass(transfer), case .body(let body) = try await run.value(of: transfer) else { return nil }
      let original = try await original(body.bytes)
      if original != nil { body.releaseRoom() }
      return original
    }
  }

  private func original(_ bytes: ImageBytes) async throws -> PassThrough.Original? {
    let work = run.newWork()
    return try await run.onWorker(.reading, work) { () -> PassThrough.Original? in
      let original = try rules.original(bytes, work: work)
      // Delivered bytes must not change, but a loader's file may change at any time, so the file is read now.
      guard case .wanted(let passed) = original, passed.bytes.isInLoadersFile,
        passed.bytes.count <= Self.mostBytesToRead
      else { return original }
      return .wanted(try passed.loaded())
    }
  }

  /// The repacked bytes of an original that satisfy the request; nil when the picture must be encoded.
  func repacked(_ original: PassThrough.Original?) async throws -> EncodingResult? {
    guard case .repackable = original else { return nil }
    let work = run.newWork()
    return try await run.onWorker(.encoder, work) { try rules.result(of: original, work: work) }
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
