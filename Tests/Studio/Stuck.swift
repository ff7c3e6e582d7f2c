import EaselSupport
import EaselTestSupport
import FoundationEssentials

@testable import EaselCore

/// Plug-ins that stop at a gate and never check for cancellation.
package enum Stuck {
  /// A coder of the toy format.
  package final class Coder: EncodingCoder, ProgressiveImageCoder {
    package let identifier = "stuck"
    package let gate: Gate
    /// True when the coder stops while bodies arrive, but not when it decodes whole bodies.
    package let stopsWhileLoading: Bool
    private let base = ToyCoder(identifier: "base")

    package init(at gate: Gate = Gate(), whileLoading: Bool = false) {
      self.gate = gate
      stopsWhileLoading = whileLoading
    }

    package var formats: [ImageFormat] { base.formats }
    package func canDecode(prefix: [UInt8]) -> Bool { base.canDecode(prefix: prefix) }
    package func canEncode(_ format: ImageFormat) -> Bool { base.canEncode(format) }
    package func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader {
      try base.probe(bytes, work: work)
    }

    package func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image {
      if !stopsWhileLoading { gate.pass() }
      return try base.decode(bytes, options: options, work: work)
    }

    package func encode(
      _ image: Image, as format: ImageFormat, options: EncodeOptions, work: WorkContext
    ) throws -> ImageBytes {
      gate.pass()
      return try base.encode(image, as: format, options: options, work: work)
    }

    package func makeDecoder(
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
  package struct Transformer: EaselCore.Transformer, Hashable {
    package let cacheKey: String
    package let gate: Gate

    package init(_ cacheKey: String = "Stuck(1)", at gate: Gate) {
      self.cacheKey = cacheKey
      self.gate = gate
    }

    package func transform(_ image: Image, work: WorkContext) throws -> Image {
      gate.pass()
      return image
    }

    package static func == (left: Self, right: Self) -> Bool { left.cacheKey == right.cacheKey }
    package func hash(into hasher: inout Hasher) { hasher.combine(cacheKey) }
  }

  /// A loader that ignores cancellation.
  package struct Loader: ImageLoader {
    package let cacheIdentity = CacheIdentity.plain
    package let gate = Gate()

    package init() {}

    package func canLoad(_ url: URL) -> Bool { true }

    package func load(_ request: LoadRequest, into sink: any LoadSink) async throws -> LoadResult {
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
package func waitUntil(_ isReached: @Sendable () -> Bool) async {
  while !isReached() { await Task.yield() }
}
