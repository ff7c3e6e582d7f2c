import EaselCore
import EaselTestStudio
import Testing

struct DecodeOptionsTests {
  private func header(_ width: Int, _ height: Int, _ orientation: ImageMetadata.Orientation = .up) -> ImageHeader {
    ImageHeader(format: .png, storedSize: PixelSize(width: width, height: height), orientation: orientation)
  }

  private func options(
    box: PixelSize? = nil, preservingRatio: Bool = true, bytes: Int? = nil, upright: Bool = true
  ) -> DecodeOptions {
    var options = DecodeOptions()
    options.thumbnailSize = box
    options.preservesAspectRatio = preservingRatio
    options.scaleDownLimitBytes = bytes
    options.appliesOrientation = upright
    return options
  }

  @Test(arguments: ImageMetadata.Orientation.allCases)
  func theSizeIsThatOfTheUprightPicture(orientation: ImageMetadata.Orientation) {
    let header = header(4000, 3000, orientation)
    let upright = orientation.rawValue >= 5 ? PixelSize(width: 3000, height: 4000) : header.storedSize
    #expect(header.uprightSize == upright)
    #expect(options().targetSize(for: header) == upright)
    let box = PixelSize(width: 400, height: 400)
    let thumbnail = orientation.rawValue >= 5 ? PixelSize(width: 300, height: 400) : PixelSize(width: 400, height: 300)
    #expect(options(box: box).targetSize(for: header) == thumbnail)
    #expect(options(box: box, preservingRatio: false).targetSize(for: header) == box)
  }

  @Test func aPictureThatIsNotSetUprightIsMeasuredAsStored() {
    let header = header(4000, 3000, .right)
    #expect(options(upright: false).targetSize(for: header) == header.storedSize)
    let size = options(box: PixelSize(width: 400, height: 400), upright: false).targetSize(for: header)
    #expect(size == PixelSize(width: 400, height: 300))
  }

  @Test func scalingDownAndTheThumbnailBothBind() {
    let header = header(2000, 2000)
    let box = PixelSize(width: 500, height: 500)
    #expect(options(box: box, bytes: 4_000_000).targetSize(for: header) == box)
    #expect(options(box: box, bytes: 40_000).targetSize(for: header) == PixelSize(width: 100, height: 100))
    #expect(options(bytes: 4_000_000).targetSize(for: header) == PixelSize(width: 1000, height: 1000))
    #expect(options(bytes: .max).targetSize(for: header) == header.storedSize)
  }

  @Test func aStretchedThumbnailKeepsTheShapeOfItsBoxWhenItIsScaledDown() {
    let size = options(box: PixelSize(width: 400, height: 100), preservingRatio: false, bytes: 40_000)
      .targetSize(for: header(1000, 1000))
    #expect(size == PixelSize(width: 200, height: 50))
  }

  @Test func randomPicturesFitTheBoxAndTheBytes() {
    var random = SeededRandom(seed: 5)
    for _ in 0..<repetitions(1_000_000, inDebug: 30_000) {
      let header = header(
        random.magnitude(upToBits: 20), random.magnitude(upToBits: 20),
        random.element(of: ImageMetadata.Orientation.allCases))
      let box = PixelSize(width: random.magnitude(upToBits: 12), height: random.magnitude(upToBits: 12))
      let bytes = random.magnitude(upToBits: 24)
      let size = options(box: box, preservingRatio: random.below(2) == 0, bytes: bytes).targetSize(for: header)
      let full = header.uprightSize
      let fits =
        size.width >= 1 && size.height >= 1 && size.width <= min(box.width, full.width)
        && size.height <= min(box.height, full.height) && (size.area <= bytes / 4 || size.area == 1)
      guard fits else {
        Issue.record("\(full) in \(box) and \(bytes) bytes became \(size)")
        return
      }
    }
  }
}
