import EaselCore
import EaselTestSupport
import Testing

struct ToyCoderTests {
  private let coder = ToyCoder()
  private let work = WorkContext()

  @Test(arguments: ImageMetadata.Orientation.allCases)
  func aDecodedPictureStandsUpright(orientation: ImageMetadata.Orientation) throws {
    let picture = ToyImage(width: 5, height: 3, orientation: orientation)
    let image = try coder.decode(picture.imageBytes, options: DecodeOptions(), work: work)
    #expect(image.bitmap == (try picture.expectedBitmap()))
    #expect(image.metadata.orientation == .up)
    #expect(image.metadata.storedSize == PixelSize(width: 5, height: 3))
  }

  @Test func anUnsupportedVariantPassesToOtherCoders() throws {
    var picture = ToyImage(width: 2, height: 2)
    picture.isUnsupportedVariant = true
    let error = #expect(throws: ImageError.self) {
      try coder.decode(picture.imageBytes, options: DecodeOptions(), work: work)
    }
    #expect(error?.code == .unsupportedFormat)
  }

  @Test func aHeaderThatClaimsMoreThanAnyMemoryIsRefused() throws {
    var limits = Limits()
    limits.side = .max
    limits.framePixels = .max
    limits.totalPixels = .max
    let bytes = ImageBytes(ToyImage.header(size: PixelSize(width: 4_000_000_000, height: 4_000_000_000)))
    #expect(throws: ImageError.self) {
      try coder.decode(bytes, options: DecodeOptions(), work: WorkContext(limits: limits))
    }
  }
}
