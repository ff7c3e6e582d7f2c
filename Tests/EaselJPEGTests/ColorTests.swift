import CEaselJPEG
import EaselCore
import EaselPixels
import EaselTestCorpus
import EaselTestPixels
import EaselTestTags
import FoundationEssentials
import Testing

@testable import EaselJPEG

/// Compares colours with the calculator of Little CMS.
@Suite(.tags(.alone), .enabled(if: Transicc.isThere, "There is no transicc here to compare with."))
struct ColorTests {
  private func compare(_ stored: [[Double]], _ shown: [[Int]], _ profile: Data) throws {
    let expected = try #require(Transicc.convert(stored, from: profile))
    for (place, color) in expected.enumerated() {
      for component in 0..<3 {
        // The calculator's values exceed the range of sRGB.
        #expect(
          abs(min(255, max(0, color[component])) - Double(shown[place][component])) <= 2,
          "\(stored[place]) became \(shown[place]) and not \(color)")
      }
    }
  }

  private static let places = (0..<64).map { ($0 % 8 * 8 + 3, $0 / 8 * 8 + 5) }

  @Test(arguments: [Profiles.displayP3, Profiles.adobeRGB])
  func coloursBecomeSRGB(profile: Data) throws {
    var image = try Image(Bitmap(64, 64, .opaqueRGBA8) { x, y in [x * 4, y * 4, 255 - (x + y) * 2, 255] })
    image.metadata.iccProfile = profile
    for progressive in [false, true] {
      let file = try Pictures.file(image) {
        $0.quality = 0.95
        $0.progressive = progressive
      }
      let raw = try Pictures.decode(file) { $0.convertsColor = false }
      #expect(raw.metadata.iccProfile == profile)
      let shown = try Pictures.decode(file)
      #expect(shown.metadata.iccProfile == nil)
      let places = Self.places
      try compare(
        places.map { raw.bitmap.components($0.0, $0.1).prefix(3).map(Double.init) },
        places.map { shown.bitmap.components($0.0, $0.1) }, profile)
    }
  }

  @Test func greyFollowsItsProfile() throws {
    let curve = Profiles.gray
    var image = try Image(Bitmap(64, 64, .gray8) { x, y in [x * 2 + y * 2] })
    image.metadata.iccProfile = curve
    let file = try Pictures.file(image) { $0.quality = 0.95 }
    let raw = try Pictures.decode(file) { $0.convertsColor = false }
    #expect(raw.metadata.iccProfile == curve)
    let shown = try Pictures.decode(file)
    let places = Self.places
    try compare(
      places.map { [Double(raw.bitmap.components($0.0, $0.1)[0])] },
      places.map { shown.bitmap.components($0.0, $0.1) }, curve)
  }

  // MARK: Inks

  private static let inkFile = "sharp--Channel_digital_image_CMYK_color_no_profile.jpg"

  /// The inverted inks of a file, in the library's form.
  private func inks(of file: [UInt8]) throws -> (width: Int, [UInt8]) {
    let reader = try #require(easel_jpeg_reader_create())
    defer { easel_jpeg_reader_destroy(reader) }
    return try file.withUnsafeBufferPointer { bytes in
      var input = easel_jpeg_input(bytes: bytes.baseAddress, count: bytes.count, is_end: true, consumed: 0)
      var info = easel_jpeg_info()
      try #require(easel_jpeg_reader_header(reader, &input, &info) == EASEL_JPEG_OK)
      #expect(info.kind == EASEL_JPEG_INKS)
      input.bytes? += input.consumed
      input.count -= input.consumed
      var (width, height): (UInt32, UInt32) = (0, 0)
      try #require(easel_jpeg_reader_begin(reader, 8, &width, &height) == EASEL_JPEG_OK)
      var pixels = [UInt8](repeating: 0, count: Int(width * height) * 4)
      var count: UInt32 = 0
      let status = easel_jpeg_reader_rows(reader, &input, &pixels, Int(width) * 4, height, &count)
      #expect(status == EASEL_JPEG_ENDED && count == height)
      return (Int(width), pixels)
    }
  }

  @Test(.enabled(if: Corpus.shared != nil, "\(Corpus.skipReason)"))
  func inksFollowTheirProfile() throws {
    let corpus = try #require(Corpus.shared)
    let entry = try #require(corpus.entries.first { $0.path.hasSuffix(Self.inkFile) })
    let plain = try corpus.bytes(of: entry)
    let profile = Profiles.inks
    let file = try Profiles.inserting(profile, into: plain)
    let (width, pixels) = try inks(of: Pictures.array(file))
    let shown = try Pictures.decode(file)
    #expect(shown.metadata.iccProfile == nil && shown.bitmap.format == .opaqueRGBA8)
    let places = (0..<100).map { ($0 % 10 * 47 + 3, $0 / 10 * 31 + 7) }
    let stored = places.map { x, y in
      (0..<4).map { 100 - Double(pixels[(y * width + x) * 4 + $0]) / 2.55 }
    }
    try compare(stored, places.map { shown.bitmap.components($0.0, $0.1) }, profile)
    // Without its profile, or with an ignored profile, the inks are mixed by the simple formula.
    let mixed = try Pictures.decode(plain)
    let raw = try Pictures.decode(file) { $0.convertsColor = false }
    #expect(raw.bitmap == mixed.bitmap && raw.metadata.iccProfile == nil)
    #expect(mixed.bitmap != shown.bitmap)
    for (x, y) in places {
      let ink = (0..<4).map { Int(pixels[(y * width + x) * 4 + $0]) }
      let expected = (0..<3).map { Int((Double(ink[$0] * ink[3]) / 255).rounded()) } + [255]
      #expect(mixed.bitmap.components(x, y) == expected)
    }
    let small = try Pictures.decode(file) { $0.thumbnailSize = PixelSize(width: 50, height: 50) }
    let reduced = try shown.bitmap.resized(to: small.size, linearLight: true)
    #expect(small.bitmap.signalToNoise(against: reduced) > 30)
  }
}
