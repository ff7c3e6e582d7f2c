import EaselTestStudio
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager

/// Encoders that return something else than what they were asked for.
struct EncoderCheckTests {
  /// A coder of toy pictures, and one that writes whatever a test gives it.
  private struct LyingCoder: EncodingCoder {
    var identifier = "lying"
    let written: ImageFormat
    let file: @Sendable (Image, EncodeOptions) throws -> [UInt8]

    var formats: [ImageFormat] { [] }
    func canDecode(prefix: [UInt8]) -> Bool { false }
    func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader { throw unsupported }
    func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image { throw unsupported }
    func canEncode(_ format: ImageFormat) -> Bool { format == written }
    func encode(
      _ image: Image, as format: ImageFormat, options: EncodeOptions, work: WorkContext
    ) throws -> ImageBytes { ImageBytes(try file(image, options)) }

    private var unsupported: ImageError { ImageError(.unsupportedFormat, "This coder decodes nothing.") }
  }

  /// The file that a coder returns instead of the picture.
  enum Lie: CaseIterable, Sendable {
    case nothing, fourBytes, anotherFormat, smaller, larger, cutHeader

    func bytes(for image: Image) -> [UInt8] {
      let (width, height) = (image.size.width, image.size.height)
      return switch self {
      case .nothing: []
      case .fourBytes: [0xff, 0xd8, 0xff, 0xd9]
      case .anotherFormat: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13]
      case .smaller: ToyImage(width: max(1, width - 1), height: height).bytes
      case .larger: ToyImage(width: width, height: height + 1).bytes
      case .cutHeader: Array(ToyImage(width: width, height: height).bytes.prefix(12))
      }
    }
  }

  private func studio(writing format: ImageFormat = ToyImage.format, _ lie: Lie) -> Studio {
    Studio {
      $0.coder = $0.coder.adding(LyingCoder(written: format) { image, _ in lie.bytes(for: image) })
    }
  }

  private static let half: ImageContext = [.thumbnailSize(PixelSize(width: 4, height: 4))]

  @Test(arguments: Lie.allCases) func aFalseFileIsNeitherDeliveredNorStored(_ lie: Lie) async throws {
    let studio = studio(lie)
    let url = studio.place(.small)
    let error = await studio.encodedFailure(url, as: .toy, [], Self.half)
    #expect(error?.code == .encodeFailed && error?.message.contains("lying") == true)
    await studio.settle()
    #expect(studio.memory.entries.isEmpty && !studio.disk.entries.keys.contains { $0.isVariant })
    // The encoder is to blame and not the URL.
    #expect(try await studio.result(url).source == .network)
    await studio.settle()
    #expect(studio.isAtRest)
  }

  @Test(arguments: Lie.allCases) func bytesAtHandAndPicturesAreCheckedToo(_ lie: Lie) async throws {
    let manager = studio(lie).manager
    let bytes = ToyImage.small.imageBytes
    let direct = await #expect(throws: ImageError.self) {
      try await manager.encoded(from: bytes, as: .toy, context: Self.half)
    }
    #expect(direct?.code == .encodeFailed)
    let here = #expect(throws: ImageError.self) {
      try manager.encodedByThisThread(from: bytes, as: .toy, context: Self.half)
    }
    #expect(here?.code == .encodeFailed)
    let image = Image(try ToyImage.small.expectedBitmap())
    let alone = await #expect(throws: ImageError.self) { try await manager.encode(image, as: ToyImage.format) }
    #expect(alone?.code == .encodeFailed)
  }

  @Test(arguments: Lie.allCases) func aFalseFileDoesNotGoToTheDisk(_ lie: Lie) async throws {
    let studio = studio(lie)
    let url = studio.place(.small)
    let image = try await studio.warm(url, [], Self.half).image
    #expect(image.size == PixelSize(width: 4, height: 3))
    #expect(!studio.disk.entries.keys.contains { $0.isVariant } && studio.observer.names.contains("cacheFailed"))
    studio.memory.removeAll()
    #expect(try await studio.result(url, [], Self.half).image.bitmap == image.bitmap)
    await studio.settle()
  }

  @Test func theFirstBytesOfAnUsualFormatThatNobodyReadsAreChecked() async throws {
    let image = Image(try ToyImage.small.expectedBitmap())
    let formats: [ImageFormat] = [.png, .jpeg, .gif, .webp, .avif, .jxl]
    for format in formats {
      let manager = Studio {
        $0.coder = $0.coder.adding(LyingCoder(written: format) { _, _ in [1, 2, 3, 4] })
      }.manager
      let error = await #expect(throws: ImageError.self) { try await manager.encode(image, as: format) }
      #expect(error?.code == .encodeFailed)
    }
    let manager = Studio {
      $0.coder = $0.coder.adding(LyingCoder(written: .jpeg) { _, _ in [0xff, 0xd8, 0xff, 0xe0] })
    }.manager
    #expect(try await manager.encode(image, as: .jpeg).count == 4)
  }

  @Test func aFileOfTheKnownFormatUnderTheNameOfAnUnknownOneIsRefused() async throws {
    let print = ImageFormat(mimeType: "image/x-nobody-reads")
    let studio = Studio {
      $0.coder = $0.coder.adding(LyingCoder(written: print) { _, _ in ToyImage.small.bytes })
    }
    let error = await studio.encodedFailure(studio.place(.small), as: EncodeRecipe(print))
    #expect(error?.code == .encodeFailed && error?.message.contains(ToyImage.format.mimeType) == true)
  }

  @Test func turnedAndReducedPicturesAreWhatWasAskedFor() async throws {
    let studio = Studio()
    let turned = studio.place(ToyImage(width: 8, height: 6, seed: 2, orientation: .right))
    var options = DecodeOptions()
    options.appliesOrientation = false
    let kept = try await studio.encoded(turned, as: .toy, [], [.decodeOptions(options)])
    #expect(kept.size == PixelSize(width: 6, height: 8))
    let box = EncodeOptions(maxPixelSize: PixelSize(width: 3, height: 3))
    let small = try await studio.encoded(turned, as: EncodeRecipe(ToyImage.format, options: box))
    #expect(small.size == PixelSize(width: 2, height: 3))
    await studio.settle()
  }

  @Test func aBoxThatTheEncoderIgnoresIsAnError() async throws {
    let studio = Studio {
      $0.coder = $0.coder.adding(
        LyingCoder(written: ToyImage.format) { image, _ in
          ToyImage(width: image.size.width, height: image.size.height).bytes
        })
    }
    let url = studio.place(.small)
    let box = EncodeOptions(maxPixelSize: PixelSize(width: 3, height: 3))
    let error = await studio.encodedFailure(url, as: EncodeRecipe(ToyImage.format, options: box))
    #expect(error?.code == .encodeFailed)
  }
}
