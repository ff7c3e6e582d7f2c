import EaselCore
import EaselSupport

/// Shows a picture while its bytes arrive, by a process of the sandbox.
///
/// The process begins with the first preview that somebody wants. Without one, the whole picture is decoded as usual.
final class SandboxedArrival: ProgressiveDecoder {
  private struct State {
    var bytes: ImageBytes?
    var process: DecoderProcess?
    /// The number of bytes in the file of the process.
    var copied = 0
  }

  private let coder: Sandbox.Coder
  private let options: DecodeOptions
  private let work: WorkContext
  /// Calls do not overlap, but they may come from several threads.
  private let state = Locked(State())

  init(_ coder: Sandbox.Coder, options: DecodeOptions, work: WorkContext) {
    (self.coder, self.options, self.work) = (coder, options, work)
  }

  func update(_ bytes: ImageBytes) throws { state.withLock { $0.bytes = bytes } }

  func preview() throws -> Image? {
    guard let bytes = state.withLock({ $0.bytes }) else { return nil }
    return try ask(.preview(bytes.count, options), about: bytes) { reply, process in
      switch reply {
      case .nothing: return nil
      case .picture(let stored): return try self.image(stored, by: process, of: bytes)
      default: throw process.brokenRules("answered another question than the one for a preview")
      }
    }
  }

  func finish(_ bytes: ImageBytes) throws -> Image {
    guard state.withLock({ $0.process }) != nil else { return try coder.decode(bytes, options: options, work: work) }
    let image = try ask(.finish(bytes.count), about: bytes) { reply, process in
      guard case .picture(let stored) = reply else {
        throw process.brokenRules("answered another question than the one for a picture")
      }
      return try self.image(stored, by: process, of: bytes)
    }
    state.withLock { $0.process = nil }
    return try image ?? coder.decode(bytes, options: options, work: work)
  }

  private func ask(
    _ question: ChildRequest, about bytes: ImageBytes, _ body: (ChildReply, DecoderProcess) throws -> Image?
  ) throws -> Image? {
    let (known, copied) = state.withLock { ($0.process, $0.copied) }
    let picture = coder.picture(bytes, work.limits)
    // If the process fails, it ends, and the caller decodes the whole picture.
    state.withLock { ($0.process, $0.copied) = (nil, 0) }
    let most = Self.room(work.limits)
    let shown = try coder.sandbox.withProcess(arriving: picture, known, most: most, work: work) { process in
      try process.append(bytes, from: copied)
      let image = try body(try process.ask(question, work: work), process)
      state.withLock { ($0.process, $0.copied) = (process, bytes.count) }
      return image
    }
    return shown ?? nil
  }

  /// The address space for bytes, which are mapped anew for each preview, while the decoder still has older ones.
  private static func room(_ limits: Limits) -> Int { 3 * min(limits.downloadBytes, 256 << 20) }

  private func image(_ stored: StoredImage, by process: DecoderProcess, of bytes: ImageBytes) throws -> Image {
    try coder.image(stored, by: process, of: coder.picture(bytes, work.limits), options, work)
  }
}

extension Sandbox.Coder: ProgressiveImageCoder {
  /// Makes a decoder that shows the picture while it arrives, from a process of its own, if the coder inside can.
  public func makeDecoder(
    prefix: [UInt8], options: DecodeOptions, work: WorkContext
  ) throws -> (any ProgressiveDecoder)? {
    let isPossible = sandbox.configuration.makesPreviews && base.capability((any ProgressiveImageCoder).self) != nil
    return isPossible && canDecode(prefix: prefix) ? SandboxedArrival(self, options: options, work: work) : nil
  }
}
