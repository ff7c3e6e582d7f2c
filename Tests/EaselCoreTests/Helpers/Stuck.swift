import EaselTestSupport
import FoundationEssentials

@testable import EaselCore

/// Plug-ins that stop at a gate and never check for cancellation.
enum Stuck {
  /// A coder of the toy format.
  final class Coder: ProgressiveImageCoder {
    let identifier = "stuck"
    let gate: Gate
    /// True when the coder stops while bodies arrive, but not when it decodes whole bodies.
    let stopsWhileLoading: Bool
    private let base = ToyCoder(identifier: "base")

    init(at gate: Gate = Gate(), whileLoading: Bool = false) {
      self.gate = gate
      stopsWhileLoading = whileLoading
    }

    var formats: [ImageFormat] { base.formats }
    func canDecode(prefix: [UInt8]) -> Bool { base.canDecode(prefix: prefix) }
    func canEncode(_ format: ImageFormat) -> Bool { base.canEncode(format) }
    func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader { try base.probe(bytes, work: work) }

    func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image {
      if !stopsWhileLoading { gate.pass() }
      return try base.decode(bytes, options: options, work: work)
    }

    func encode(
      _ image: Image, as format: ImageFormat, options: EncodeOptions, work: WorkContext
    ) throws -> ImageBytes {
      gate.pass()
      return try base.encode(image, as: format, options: options, work: work)
    }

    func makeDecoder(
      prefix: [UInt8], options: DecodeOptions, work: WorkContext
    ) throws -> (any ProgressiveDecoder)? {
      guard stopsWhileLoading else { return nil }
      return try base.makeDecoder(prefix: prefix, options: options, work: work).map { Decoder(base: $0, gate: gate) }
    }

    private struct Decoder: ProgressiveDecoder {
      let base: any ProgressiveDecoder
      let gate: Gate

      func update(_ bytes: ImageBytes) throws {
        gate.pass()
        try base.update(bytes)
      }

      func preview() throws -> Image? { try base.preview() }
      func finish(_ bytes: ImageBytes) throws -> Image { try base.finish(bytes) }
    }
  }

  /// A transformer that changes nothing.
  struct Transformer: EaselCore.Transformer, Hashable {
    let cacheKey: String
    let gate: Gate

    init(_ cacheKey: String = "Stuck(1)", at gate: Gate) {
      self.cacheKey = cacheKey
      self.gate = gate
    }

    func transform(_ image: Image, work: WorkContext) throws -> Image {
      gate.pass()
      return image
    }

    static func == (left: Self, right: Self) -> Bool { left.cacheKey == right.cacheKey }
    func hash(into hasher: inout Hasher) { hasher.combine(cacheKey) }
  }

  /// A loader that ignores cancellation.
  struct Loader: ImageLoader {
    let cacheIdentity: String? = ""
    let gate = Gate()

    func canLoad(_ url: URL) -> Bool { true }

    func load(_ request: LoadRequest, into sink: any LoadSink) async throws -> LoadResult {
      let arrived = Watched(false)
      PlainThread.start {
        gate.pass()
        arrived.withLock { $0 = true }
      }
      await Task.detached { await arrived.wait { $0 } }.value
      throw ImageError(.network, "It ends when it likes.")
    }
  }
}

/// Polls until a condition holds that nothing signals.
func waitUntil(_ isReached: @Sendable () -> Bool) async {
  while !isReached() { await Task.yield() }
}
