import EaselCore
import EaselPixels
import EaselTestPixels
import EaselTestSupport
import EaselTestTags
import Foundation
import Testing

@testable import EaselBasic

struct RadianceTests {
  private let coder = RadianceCoder()

  /// Areas of light up to a number of times the white of paper, and a row of single pixels.
  private static func sky(_ width: Int, _ height: Int, most: Double = 8) -> HandmadeRadiance {
    HandmadeRadiance(width: width, height: height) { x, y in
      if y == 1 { return [Double(x % 7) / 8, Double(x % 5) / 4, 0.25] }
      let share = Double(x / 4 * 4) / Double(width)
      return [most * share, most * share / 2, y < height / 2 ? 0.125 : 0.5]
    }
  }

  private static func even(_ value: Double, _ width: Int = 16, _ height: Int = 8) -> HandmadeRadiance {
    HandmadeRadiance(width: width, height: height) { _, _ in [value, value, value] }
  }

  @Test func theCoderKeepsItsContract() async throws {
    var samples = HandmadeRadiance.Form.allCases.map { form in
      var picture = Self.sky(40, 9)
      picture.form = form
      return ImageSample("\(form)", bytes: picture.bytes, signature: [0..<11])
    }
    var turned = Self.sky(24, 10)
    turned.axes = ("-X", "-Y")
    turned.lines[0] = "#?RGBE"
    samples.append(ImageSample("turned", bytes: turned.bytes, signature: [0..<7]))
    samples.append(ImageSample("large", bytes: Self.sky(640, 520).bytes, signature: [0..<11]))
    let violations = await ImageCoderContract(coder, samples: samples).check()
    #expect(violations == [])
  }

  @Test func theCardsSampleIsAnEvening() throws {
    let sample = try #require(RadianceCoder.card.sample)
    let image = try read(sample, by: coder)
    #expect(image.size == PixelSize(width: 8, height: 2) && image.bitmap.components(0, 0)[0] >= 250)
    #expect(image.bitmap.components(0, 1)[0] > image.bitmap.components(7, 1)[0])
  }

  @Test func allFormsOfRowsGiveTheSamePixels() throws {
    let bitmaps = try HandmadeRadiance.Form.allCases.map { form in
      // Wide enough for runs that are longer than a byte can say.
      var picture = Self.sky(700, 5)
      picture.form = form
      return try read(picture.bytes, by: coder).bitmap
    }
    #expect(bitmaps[0].format == .opaqueRGBA8 && bitmaps[0].size == PixelSize(width: 700, height: 5))
    #expect(bitmaps[1] == bitmaps[0] && bitmaps[2] == bitmaps[0])
    // Narrow rows have no runs of the new form, even if their first pixel looks like it.
    var narrow = HandmadeRadiance(width: 2, height: 1, form: .flat) { _, _ in [0, 0, 0] }
    narrow.lines = ["#?RADIANCE"]
    #expect(try read(narrow.header + [2, 2, 0, 2, 2, 2, 0, 2], by: coder).size == PixelSize(width: 2, height: 1))
  }

  @Test(arguments: [(1.0, 255), (0.5, 188), (0.25, 137), (0, 0)])
  func lightUpToTheWhiteOfPaperIsShownAsItIs(_ light: Double, _ expected: Int) throws {
    for color in colors(try read(Self.even(light).bytes, by: coder)) {
      #expect(abs(Int(color.red) - expected) <= 1 && color.red == color.green && color.red == color.blue)
    }
  }

  @Test func brighterLightIsPressedIntoWhite() throws {
    let picture = HandmadeRadiance(width: 16, height: 4) { x, _ in
      let light = x < 8 ? 1.0 : 16
      return [light, light, light]
    }
    let image = try read(picture.bytes, by: coder)
    let (paper, sun) = (image.bitmap.components(0, 0)[0], image.bitmap.components(15, 0)[0])
    #expect(sun >= 254 && (150..<250).contains(paper))
    #expect(image.metadata.color == nil)
    // What PQ cannot say is as bright as it gets, and damages nothing.
    let star = HandmadeRadiance(width: 16, height: 4) { x, _ in [x == 3 ? 1e30 : 0.5, 0.5, 0.5] }
    #expect(try read(star.bytes, by: coder).bitmap.components(3, 0)[0] >= 250)
  }

  @Test func theRangeIsKeptWhereItIsWanted() throws {
    let picture = HandmadeRadiance(width: 16, height: 4) { x, _ in
      let light = x < 8 ? 1.0 : 64
      return [light, light / 2, 0]
    }
    let image = try read(picture.bytes, by: coder, DecodeOptions(keepsHighRange: true))
    #expect(image.bitmap.format == PixelFormat(.rgba16, alpha: .opaque))
    let color = try #require(image.metadata.color)
    #expect(color.coding == ColorDescription.Coding(primaries: 1, transfer: 16))
    #expect(color.contentLight == ColorDescription.ContentLight(greatest: 10_000, greatestAverage: 5102))
    // 203 candela per square metre have the number 0.5807 in PQ, half of it 0.5096.
    let pixel = image.bitmap.components(0, 0)
    #expect(abs(pixel[0] - 38055) <= 3 && abs(pixel[1] - 33395) <= 3 && pixel[2] == 0 && pixel[3] == 65_535)
    #expect(image.bitmap.components(15, 0)[0] == 65_535)
    let header = try coder.probe(ImageBytes(picture.bytes), work: WorkContext())
    #expect(header.bitDepth == 16 && header.color?.coding.isHighRange == true && !header.hasAlpha)
    let narrow = try read(picture.bytes, by: coder, DecodeOptions(keeps16Bits: true))
    #expect(narrow.bitmap.format.layout == .rgba16 && narrow.metadata.color == nil)
  }

  /// The upright picture has another colour at each of its places.
  @Test(arguments: [
    ("-Y", "+X"), ("-Y", "-X"), ("+Y", "-X"), ("+Y", "+X"), ("+X", "-Y"), ("-X", "-Y"), ("-X", "+Y"), ("+X", "+Y"),
  ])
  func everyOrderOfPixelsIsSetUpright(_ first: String, _ second: String) throws {
    let (width, height) = (3, 2)
    func colors(_ x: Int, _ y: Int) -> [Double] { [Double(x) / 4, Double(y) / 2, 0.25] }
    let isTurned = first.hasSuffix("X")
    var picture = HandmadeRadiance(
      width: isTurned ? height : width, height: isTurned ? width : height, form: .flat
    ) { column, row in
      let (along, across) = isTurned ? (row, column) : (column, row)
      // The axis Y goes up, as in mathematics.
      let x = [first, second].contains("+X") ? along : width - 1 - along
      let y = [first, second].contains("-Y") ? across : height - 1 - across
      return colors(x, y)
    }
    picture.axes = (first, second)
    let image = try read(picture.bytes, by: coder)
    let expected = try read(
      HandmadeRadiance(width: width, height: height, form: .flat, light: colors).bytes, by: coder)
    #expect(image.size == PixelSize(width: 3, height: 2))
    // The pattern of dithering lies on the stored pixels.
    #expect(image.bitmap.largestDifference(from: expected.bitmap) <= 1)
    let header = try coder.probe(ImageBytes(picture.bytes), work: WorkContext())
    #expect(header.uprightSize == image.size && header.storedSize.width == picture.width)
  }

  @Test func theHeaderIsReadLineByLine() throws {
    var picture = Self.even(0.5)
    picture.lines = ["#?RGBE", "# FORMAT=none", "EXPOSURE=4.0", "VIEW= -vtv -vh 45", "FORMAT= 32-bit_rle_rgbe", "odd"]
    picture.lineEnd = "\r\n"
    let plain = try read(Self.even(0.5).bytes, by: coder)
    let image = try read(picture.bytes, by: coder)
    #expect(image.bitmap == plain.bitmap && image.metadata.notes == [])
    picture.lines.append("PRIMARIES=0.708 0.292 0.170 0.797 0.131 0.046 0.3127 0.3290")
    #expect(try coder.probe(ImageBytes(picture.bytes), work: WorkContext()).color?.coding.primaries == 9)
    picture.lines.append("PRIMARIES=0.7 0.2 0.1")
    let notes = try read(picture.bytes, by: coder).metadata.notes
    #expect(notes == ["Radiance: primaries without code points are taken for those of BT.709."])
  }

  @Test(arguments: [
    ("FORMAT=32-bit_rle_xyze", "-Y 8 +X 16", ImageError.Code.unsupportedFormat, "32-bit_rle_xyze"),
    ("FORMAT=32-bit_rle_rgbe", "-Y 8 +X", .badImageData, "-Y 768 +X 1024"),
    ("FORMAT=32-bit_rle_rgbe", "-Y 8 -Y 16", .badImageData, "-Y 768 +X 1024"),
    ("FORMAT=32-bit_rle_rgbe", "-Y 8 +X -16", .badImageData, "-Y 768 +X 1024"),
    ("FORMAT=32-bit_rle_rgbe", "-Y 8 +X 99999999999999999999", .badImageData, "-Y 768 +X 1024"),
    ("FORMAT=32-bit_rle_rgbe", "-Y 0 +X 16", .badImageData, "no pixels"),
    ("FORMAT=32-bit_rle_rgbe", "-Y 60000 +X 60000", .limitExceeded, "60000"),
    ("FORMAT=32-bit_rle_rgbe", "-Y 1 +X 70000", .limitExceeded, "70000"),
  ])
  func headersThatCannotBeAreErrors(_ format: String, _ size: String, _ code: ImageError.Code, _ part: String) {
    let error = failure(Array("#?RADIANCE\n\(format)\n\n\(size)\n".utf8) + [0, 0, 0, 0], by: coder)
    #expect(error?.code == code && error?.message.contains(part) == true, "\(error?.message ?? "none")")
  }

  @Test func anEndlessHeaderEndsAtTheLimit() {
    var limits = Limits()
    limits.metadataBytes = 4096
    let file = Array("#?RADIANCE\n".utf8) + [UInt8](repeating: UInt8(ascii: "a"), count: 100_000)
    #expect(failure(file, by: coder, limits: limits)?.code == .limitExceeded)
    #expect(failure(file, by: coder)?.code == .badImageData)
  }

  private static let wrongRows: [(row: [UInt8], part: String)] = [
    ([2, 2, 0, 15], "15 pixels instead of 16"), ([2, 2, 0, 16, 145, 1], "beyond its end"),
    ([2, 2, 0, 16, 17, 1], "beyond its end"), ([2, 2, 0, 16, 0], "no pixels"), ([2, 2, 0, 16, 144], "the file ends"),
    ([1, 1, 1, 4], "repeats no pixel"), ([9, 9, 9, 129, 1, 1, 1, 16], "beyond its end"),
    ([9, 9, 9, 129, 1, 1, 1, 1, 1, 1, 1, 1], "beyond its end"),
    ([9, 9, 9, 129, 1, 1, 1, 0, 1, 1, 1, 0, 1, 1, 1, 0, 1, 1, 1, 0, 1, 1, 1, 1], "beyond its end"),
    ([], "the file ends"),
  ]

  @Test(arguments: wrongRows)
  func rowsThatCannotBeAreErrors(_ row: [UInt8], _ part: String) {
    let error = failure(Self.even(1).header + row, by: coder)
    #expect(error?.code == .badImageData && error?.message.contains(part) == true, "\(error?.message ?? "none")")
    #expect(error?.message.contains("row 0 of 8") == true)
  }

  @Test func theRowsBeforeDamageAreShownWhereThatIsWanted() throws {
    let picture = Self.even(0.5)
    let rows = (picture.bytes.count - picture.header.count) / 8
    let cut = Array(picture.bytes.dropLast(3 * rows + 1))
    #expect(failure(cut, by: coder)?.message.contains("the file ends in row 4 of 8") == true)
    let image = try read(cut, by: coder, DecodeOptions(damaged: .show))
    #expect(image.traits.contains(.partial) && image.size == PixelSize(width: 16, height: 8))
    #expect(image.bitmap.components(0, 3)[3] == 255 && image.bitmap.components(0, 4)[3] == 0)
  }

  @Test func aThumbnailIsMadeWhileRowsAreRead() throws {
    let image = try read(
      Self.even(0.5, 640, 480).bytes, by: coder,
      DecodeOptions(thumbnailSize: PixelSize(width: 64, height: 64)))
    #expect(image.size == PixelSize(width: 64, height: 48) && image.traits == .thumbnail)
    for color in colors(image) { #expect(abs(Int(color.red) - 188) <= 1) }
  }

  @Test(.tags(.alone), .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/convert")))
  func imageMagickSeesTheSameColours() throws {
    // Paper white is the brightest, and nothing is near the edge of sRGB, so that no tones and no colours are mapped.
    let picture = HandmadeRadiance(width: 64, height: 32) { x, y in
      [0.25 + 0.75 * Double(x) / 63, 0.25 + 0.75 * Double(y) / 31, 0.5]
    }
    let command = ["/usr/bin/convert", "hdr:-", "-colorspace", "sRGB", "-depth", "8", "rgba:-"]
    let seen = try #require(EaselTestPixels.Process.output(of: command, input: picture.bytes))
    #expect(seen.count == 64 * 32 * 4)
    let image = try read(picture.bytes, by: coder)
    let ours = colors(image).flatMap { [$0.red, $0.green, $0.blue, $0.alpha] }
    #expect(zip(ours, seen).allSatisfy { abs(Int($0) - Int($1)) <= 2 })
    // What it writes of the same light is read as the same.
    let start = ["/usr/bin/convert", "-size", "64x32", "-depth", "8", "rgba:-", "-alpha", "off"]
    let file = try #require(EaselTestPixels.Process.output(of: start + ["-colorspace", "RGB", "hdr:-"], input: ours))
    let again = try colors(read(file, by: coder)).flatMap { [$0.red, $0.green, $0.blue, $0.alpha] }
    #expect(again.count == ours.count && zip(ours, again).allSatisfy { abs(Int($0) - Int($1)) <= 3 })
  }
}
