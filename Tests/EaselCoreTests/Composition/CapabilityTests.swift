import EaselTestSupport
import Testing

@testable import EaselCore

/// What a coder can do besides decoding is what it adopts, also behind another coder and in a registry.
struct CapabilityTests {
  /// The smallest coder there is.
  private struct SmallCoder: ImageCoder {
    let identifier = "small"
    let formats = [ImageFormat.png]

    func canDecode(prefix: [UInt8]) -> Bool { prefix == [1] }

    func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader {
      ImageHeader(format: .png, storedSize: PixelSize(width: 2, height: 1))
    }

    func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image {
      Image(try Bitmap(size: PixelSize(width: 2, height: 1), format: .opaqueRGBA8), format: .png)
    }
  }

  /// Stands before another coder, and for one that encodes.
  private struct Front: EnclosingCoder, EncodingCoder {
    let enclosed: any ImageCoder

    var identifier: String { enclosed.identifier }
    var formats: [ImageFormat] { enclosed.formats }
    func canDecode(prefix: [UInt8]) -> Bool { enclosed.canDecode(prefix: prefix) }

    func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader { try enclosed.probe(bytes, work: work) }

    func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image {
      try enclosed.decode(bytes, options: options, work: work)
    }

    func canEncode(_ format: ImageFormat) -> Bool { true }

    func encode(
      _ image: Image, as format: ImageFormat, options: EncodeOptions, work: WorkContext
    ) throws -> ImageBytes { ImageBytes([1]) }
  }

  private let small = SmallCoder()
  private let toy = ToyCoder()

  private func encodes(_ coder: any ImageCoder) -> Bool { coder.capability((any EncodingCoder).self) != nil }

  private func isProgressive(_ coder: any ImageCoder) -> Bool {
    coder.capability((any ProgressiveImageCoder).self) != nil
  }

  @Test func theSmallestCoderOnlyDecodes() {
    #expect(!encodes(small) && !isProgressive(small))
    #expect(small.capability((any MetadataCountingCoder).self) == nil)
    #expect(small.capability((any RepackingCoder).self) == nil)
    #expect(small.capability((any SandboxGuest).self) == nil)
    #expect(!small.makesDrawings(of: .png))
    #expect(small.usualExtensions(of: .png) == ["png"])
  }

  @Test func aSizeThatIsNotReadAloneIsThatOfTheHeader() throws {
    #expect(try small.usualSize(of: ImageBytes([1]), work: WorkContext()) == PixelSize(width: 2, height: 1))
  }

  @Test func aCoderIsWhatItAdopts() {
    #expect(encodes(toy) && isProgressive(toy))
    #expect(toy.capability((any MetadataCountingCoder).self) != nil)
  }

  @Test func aCoderBeforeAnotherIsWhatBothAre() {
    #expect(encodes(Front(enclosed: toy)))
    #expect(!encodes(Front(enclosed: small)), "The one behind it does not encode.")
    #expect(!isProgressive(Front(enclosed: toy)), "The one before it does not stand in for that.")
    #expect(encodes(Front(enclosed: Front(enclosed: toy))) && !encodes(Front(enclosed: Front(enclosed: small))))
  }

  @Test func aRegistryAsksOnlyCodersThatEncode() {
    let registry = CoderRegistry([toy, small, Front(enclosed: small)])
    #expect(registry.coder(encoding: .png) == nil && !registry.canEncode(.png))
    #expect(registry.coder(encoding: ToyImage.format)?.identifier == toy.identifier)
    #expect(CoderRegistry([Front(enclosed: toy)]).canEncode(.png))
  }

  @Test func aRegistryAnswersForCodersThatCanDoNothingMore() throws {
    let (registry, bytes, work) = (CoderRegistry([toy, small]), ImageBytes([1]), WorkContext())
    #expect(try registry.metadataBytes(of: bytes, work: work) == nil)
    #expect(registry.repackedFormats(of: .png) == [])
    #expect(try registry.repacked(bytes, as: .jpeg, withMetadata: true, work: work) == nil)
    #expect(!registry.drawsLarger(.png))
    #expect(try registry.storedSize(of: bytes, work: work) == PixelSize(width: 2, height: 1))
    #expect(registry.fileExtensions(of: .png) == ["png"])
    #expect(try registry.makeDecoder(prefix: [1], options: DecodeOptions(), work: work) == nil)
    #expect(registry.effort(of: bytes, limits: Limits()) == nil)
  }
}
