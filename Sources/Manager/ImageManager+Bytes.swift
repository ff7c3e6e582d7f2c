import EaselCore
import EaselWorkers
import FoundationEssentials

/// Loading bytes without decoding them.
extension ImageManager {
  /// Loads the bytes behind a request, decrypted but not decoded.
  ///
  /// The bytes come from a cache if the cache has the original and the original may be used. Otherwise the loader
  /// fetches them, and they are stored on disk like any original. If the cached bytes are stale or must be refreshed,
  /// the manager asks the server first. It uses the cached bytes if the server confirms them. If the server fails, the
  /// same rules as for pictures decide.
  ///
  /// ```swift
  /// let original = try await manager.bytes(for: request)
  /// try original.data().write(to: file)
  /// ```
  public func bytes(for request: ImageRequest) async throws(ImageError) -> ImageBytes {
    try await original(of: Load(request)).bytes
  }

  /// Loads the bytes behind a request with the record of the original, which tells how long they may be used.
  package func original(for request: ImageRequest) async throws(ImageError) -> OriginalBytes {
    try await original(of: Load(request))
  }

  /// Loads bytes; `progress` gets the received and the expected number of bytes as the bytes arrive.
  package func bytes(
    for request: ImageRequest, progress: @escaping @Sendable (_ received: Int, _ expected: Int?) -> Void
  ) async throws(ImageError) -> ImageBytes {
    let channel = EventChannel()
    let events = channel.stream()
    let watcher = Task.detached {
      for await case .progress(let received, let expected) in events { progress(received, expected) }
    }
    defer { watcher.cancel() }
    return try await original(of: Load(request, events: channel)).bytes
  }

  private func original(of load: Load) async throws(ImageError) -> OriginalBytes {
    let product = try await Loading(manager: self, load: load).original()
    return OriginalBytes(bytes: product.parts.original, record: product.record, source: product.source)
  }
}

/// The bytes of an original, decrypted but not decoded.
package struct OriginalBytes: Sendable {
  package var bytes: ImageBytes
  package let record: CacheRecord
  package let source: ImageEvent.Source
}

/// Encoding pictures.
extension ImageManager {
  /// Encodes a picture on a worker thread, with the coder that was added last for the format.
  ///
  /// The coder finds its own settings in `context`. Cancelling the waiting task also cancels the coder. If a coder does
  /// not return within `Limits.decodeTime`, the manager abandons the coder and its thread, and the call fails with
  /// `limitExceeded`.
  ///
  /// ```swift
  /// let options = EncodeOptions(quality: 0.7)
  /// try await manager.encode(image, as: .webp, options: options).data().write(to: file)
  /// ```
  public func encode(
    _ image: Image, as format: ImageFormat, options: EncodeOptions = EncodeOptions(), context: ImageContext = []
  ) async throws(ImageError) -> ImageBytes {
    guard !options.quality.isNaN else {
      throw ImageError(.encodeFailed, "The quality is not a number. Set EncodeOptions.quality to a value from 0 to 1.")
    }
    let cancellation = Cancellation()
    let coder = configuration.coders
    let work = WorkContext(
      limits: configuration.limits, context: context, cancellation: cancellation, clock: configuration.clock)
    let terms = JobTerms(work.time) { PluginCall.encoder.failure(of: work, subject: nil) }
    do {
      return try await withTaskCancellationHandler {
        try await configuration.workers.run(terms) {
          try EncoderChecks(coder).bytes(of: image, as: format, by: coder, options, work: work)
        }
      } onCancel: {
        cancellation.cancel()
      }
    } catch {
      throw .wrapping(error, as: .encodeFailed, "The picture could not be written as \(format).")
    }
  }
}
