import Testing

@testable import EaselCore
@testable import EaselService

struct WorkFootprintTests {
  private func bytes(
    _ source: ImageFormat? = .jpeg, pixels: Int = 12_000_000, decoded: Int = 1_000_000, result: Int = 250_000,
    isWide: Bool = false, isMoving: Bool = false, format: ImageFormat = .jpeg
  ) -> Int {
    WorkFootprint(
      source: source, sourcePixels: pixels, decodedPixels: decoded, resultPixels: result, isWide: isWide,
      isMoving: isMoving, format: format, formats: .tested
    ).bytes
  }

  @Test func everythingThatTakesMemoryCounts() {
    let usual = bytes()
    #expect(bytes(pixels: 24_000_000) > usual && bytes(decoded: 12_000_000) > usual)
    #expect(bytes(isWide: true) > usual && bytes(isMoving: true) > usual && bytes(nil) < usual)
    let large = bytes(result: 8_000_000)
    #expect(large > usual && bytes(result: 8_000_000, format: .webp) > large)
    #expect(bytes(result: 8_000_000, format: .avif) > bytes(result: 8_000_000, format: .webp))
  }

  @Test func aWholePictureTakesAtLeastItsPixels() {
    let pixels = 17_000_000
    for format in [ImageFormat.jpeg, .png, .webp, .avif, ImageFormat(mimeType: "image/x-plugin")] {
      #expect(bytes(format, pixels: pixels, decoded: pixels) >= 4 * pixels, "\(format)")
    }
    #expect(bytes(.png, pixels: pixels, decoded: pixels, isWide: true) >= 8 * pixels)
  }

  @Test func aThumbnailOfALargePictureTakesLess() {
    let whole = bytes(.jpeg, pixels: 48_000_000, decoded: 48_000_000, result: 50_000)
    #expect(bytes(.jpeg, pixels: 48_000_000, decoded: 100_000, result: 50_000) < whole / 2 + 10_000_000)
  }

  @Test func numbersOfHostileHeadersDoNoHarm() {
    #expect(bytes(pixels: .max, decoded: .max, result: .max) > 1 << 40)
    #expect(bytes(pixels: -5, decoded: -5, result: -5) > 0)
    #expect(WorkFootprint(bytes: -1).bytes == 0)
  }

  @Test func theFactsOfTheManagerAreUsed() {
    var header = ImageHeader(format: .webp, storedSize: PixelSize(width: 4000, height: 3000))
    func footprint(_ change: (inout PixelWork) -> Void = { _ in }) -> Int {
      var work = PixelWork(header: header, resultSize: PixelSize(width: 400, height: 300), format: .webp)
      change(&work)
      return WorkFootprint(work).bytes
    }
    let whole = footprint()
    #expect(whole > 4 * 12_000_000)
    #expect(footprint { $0.decodedSize = PixelSize(width: 800, height: 600) } < whole)
    header.bitDepth = 16
    #expect(footprint() > 8 * 12_000_000)
    // A drawing that has not been measured.
    var work = PixelWork(header: nil, resultSize: PixelSize(width: 40, height: 30), format: .webp)
    let pixels = WorkFootprint(work).bytes
    work.effort = .milliseconds(50)
    #expect(WorkFootprint(work).bytes > pixels + 20_000_000)
  }

  /// The thumbnail of a JPEG of 17 megapixels takes 8 MB, or 60 MB if libjpeg-turbo keeps its coefficients.
  @Test func whatTheCoderKnowsComesBeforeWhatIsUsual() throws {
    func megabytes(_ decoderBytes: Int?) -> Int {
      var header = ImageHeader(format: .jpeg, storedSize: PixelSize(width: 4760, height: 3570))
      header.decoderBytes = decoderBytes
      var work = PixelWork(header: header, resultSize: PixelSize(width: 300, height: 225), format: .jpeg)
      work.decodedSize = PixelSize(width: 595, height: 447)
      return WorkFootprint(work).bytes / 1_000_000
    }
    #expect((8...15).contains(megabytes(4760 * 256)))
    #expect((60...80).contains(megabytes(4760 * 256 + 57_000_000)))
    #expect((60...80).contains(megabytes(nil)))
    #expect(megabytes(-1) >= 8 && megabytes(.max) > 1000)
  }

  @Test func theLargestPictureFollowsFromTheLimits() {
    let all = WorkFootprint.largest(sourcePixels: 100_000_000, resultPixels: 100_000_000, formats: .tested).bytes
    let small = WorkFootprint.largest(sourcePixels: 100_000_000, resultPixels: 1_000_000, formats: .tested).bytes
    #expect(all > small && small > 400_000_000)
    #expect(
      WorkFootprint.largest(sourcePixels: 1_000_000, resultPixels: 100_000_000, formats: .tested).bytes < 100_000_000)
  }
}
