import EaselCore
import EaselManager
import EaselTransformers
import EaselWorkers
import FoundationEssentials

/// Facts about an original: those of its header, and what a page can show before the picture has arrived.
struct ImageFacts: Sendable {
  /// The record of the original.
  let record: CacheRecord
  /// True if the facts are those of a part of a damaged picture.
  let isPartial: Bool
  private let header: ImageHeader
  private let byteCount: Int
  private let generation: UInt64
  private let thumbHash: String
  private let blurHash: String
  private let dominant: Palette.Entry?
  private let palette: Palette

  /// Placeholders are made of a still smaller picture, so more pixels or more care would change nothing.
  private static let mostPixels = PixelSize(width: 400, height: 400)
  private static let colorCount = 6

  /// Loads the original, and decodes it no larger than needed.
  init(of request: ImageRequest, _ manager: ImageManager) async throws(ImageError) {
    let original = try await manager.original(for: request)
    let bytes = original.bytes
    record = original.record
    byteCount = bytes.count
    generation = original.record.generation
    var context: ImageContext = [.thumbnailSize(Self.mostPixels)]
    context[.limits] = request.context[.limits]
    context[.damaged] = request.context[.damaged]
    context[.decodeOptions] = DecodeOptions(damaged: manager.configuration.damaged, fidelity: .fast)
    let image = try await manager.image(from: bytes, options: .firstFrameOnly, context: context)
    isPartial = image.traits.contains(.partial)
    let configuration = manager.configuration
    let work = WorkContext(limits: context[.limits] ?? configuration.limits, clock: configuration.clock)
    let terms = JobTerms(work.time) {
      ImageError(.limitExceeded, "The facts about the picture took too long.")
    }
    do {
      (header, thumbHash, blurHash, dominant, palette) = try await configuration.workers.run(terms) {
        try (
          configuration.coder.probe(bytes, work: work),
          Data(ThumbHash(of: image, work: work).bytes).base64EncodedString(), BlurHash(of: image, work: work).text,
          Palette.dominantColor(of: image, work: work), Palette(of: image, count: Self.colorCount, work: work)
        )
      }
    } catch {
      throw .wrapping(error, as: .badImageData, "The facts about the picture could not be found.")
    }
  }

  /// A validator of the facts.
  var entityTag: String { "\"info-\(generation)\"" }

  func json(_ formats: FormatNames) -> String {
    let duration = header.storedDelays.reduce(Duration.zero, +).components
    return JSONText.object([
      ("format", .text(formats.fileExtension(of: header.format))), ("mimeType", .text(header.format.mimeType)),
      ("width", .number(header.uprightSize.width)), ("height", .number(header.uprightSize.height)),
      ("orientation", .number(Int(header.orientation.rawValue))), ("size", .number(byteCount)),
      ("frames", .number(header.frameCount)),
      ("duration", .decimal(Double(duration.seconds) + Double(duration.attoseconds) * 1e-18)),
      ("hasAlpha", .truth(header.hasAlpha)), ("bitDepth", .number(header.bitDepth)),
      ("hasColorProfile", .truth(header.iccProfileBytes > 0)), ("hasEXIF", .truth(header.exifBytes > 0)),
      ("thumbHash", .text(thumbHash)), ("blurHash", .text(blurHash)),
      ("dominantColor", dominant.map { .text(Self.text($0.color)) } ?? .text("")),
      (
        "palette",
        .list(
          palette.entries.map {
            .object([("color", .text(Self.text($0.color))), ("share", .decimal($0.share))])
          })
      ),
    ])
  }

  private static func text(_ color: PixelColor) -> String {
    "#"
      + [color.red, color.green, color.blue].map { byte in
        let digits = String(byte, radix: 16)
        return digits.count == 1 ? "0" + digits : digits
      }.joined()
  }
}
