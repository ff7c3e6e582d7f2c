import FoundationEssentials

/// Asking for bytes without a picture.
extension ImageManager {
  /// Loads the bytes behind a request, decrypted but not decoded.
  ///
  /// They come from a cache that keeps the original where it may be used, and go to disk as an original would. Those that
  /// are stale, or to be refreshed, are asked about first, and used where the server confirms them or, by the same rules
  /// as for pictures, where it fails.
  public func bytes(for request: ImageRequest) async throws(ImageError) -> ImageBytes {
    let load = Load(request)
    do {
      let (bytes, source) = try await fromFirstSource(of: load) { request in
        let slot = try register(load, request)
        defer { loads.remove(slot) }
        return try await load.runAlone(for: request) { [self] shared in
          let turn = storeLanes.begin(request.originalKey)
          return try await BytesRun(manager: self, request: request, turn: turn, shared: shared).make()
        }
      }
      load.end(.succeeded(source))
      return bytes
    } catch {
      throw failed(load, error)
    }
  }
}

/// Turning pictures into bytes.
extension ImageManager {
  /// Writes a picture with the coder that was added last for the format, on a worker thread.
  ///
  /// The coder finds settings of its own in `context`. When the waiting task is cancelled, the coder gives up. A coder
  /// that does not end within `Limits.decodeTime` is left behind with its thread, and the call fails with
  /// `limitExceeded`.
  public func encode(
    _ image: Image, as format: ImageFormat, options: EncodeOptions = EncodeOptions(), context: ImageContext = []
  ) async throws(ImageError) -> ImageBytes {
    let cancellation = Cancellation()
    let coder = configuration.coder
    let work = WorkContext(
      limits: configuration.limits, context: context, cancellation: cancellation, clock: configuration.clock)
    let terms = JobTerms(work.time) { PluginCall.encoder.failure(of: work, subject: nil) }
    do {
      return try await withTaskCancellationHandler {
        try await configuration.workers.run(terms) {
          try coder.encode(image, as: format, options: options, work: work)
        }
      } onCancel: {
        cancellation.cancel()
      }
    } catch {
      throw .wrapping(error, as: .encodeFailed, "The picture could not be written as \(format).")
    }
  }
}
