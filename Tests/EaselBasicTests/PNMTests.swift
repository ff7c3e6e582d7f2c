import EaselCore
import EaselPixels
import EaselTestPixels
import EaselTestSupport
import Testing

@testable import EaselBasic

struct PNMTests {
  private let coder = PNMCoder()

  private func file(_ header: String, _ pixels: [UInt8] = []) -> [UInt8] { Array(header.utf8) + pixels }

  private func samples() throws -> [ImageSample] {
    let formats: [(PixelFormat, [Range<Int>])] = [(.rgba8, [0..<3]), (.opaqueRGBA8, [0..<3])]
    var made: [ImageSample] = try formats.map { format, signature in
      let bitmap = try Bitmap.noise(13, 9, format)
      return ImageSample(
        "\(format)", bytes: try written(Image(bitmap), by: coder), pixels: bitmap, signature: signature)
    }
    let plain = "P2 # a comment\n4 3\n9\n0 1 2 3\n4 5 6 7\n8 9 8 7\n"
    made += [
      ImageSample("bits", bytes: file("P4 9 2\n", [0xAA, 0x80, 0x55, 0])),
      ImageSample("plain bits", bytes: file("P1\n3 2\n101\n0 1 0\n")),
      ImageSample("plain numbers", bytes: file(plain)),
      ImageSample("wide samples", bytes: try written(Image(Bitmap.noise(7, 5, .rgba16)), by: coder)),
    ]
    return made
  }

  @Test func theCoderKeepsItsContract() async throws {
    let violations = try await ImageCoderContract(coder, samples: samples()).check()
    #expect(violations == [])
  }

  private func gray(_ values: UInt8...) -> [PixelColor] {
    values.map { PixelColor(red: $0, green: $0, blue: $0) }
  }

  @Test(
    arguments: [
      ("P1\n3 2\n1 0 1\n010\n", []), ("P1 3 2 # two rows\n 101 # one\n0#x\n10", []),
      ("P4\n3 2\n", [0b1010_0000, 0b0100_0000]), ("P4\n3\n2#end\n", [0b1011_1111, 0b0101_1111]),
      ("P2\n3 2\n1\n0 1 0 1 0 1", []), ("P5 3 2 1 ", [0, 1, 0, 1, 0, 1]),
      ("P7\nWIDTH 3\nHEIGHT 2\nDEPTH 1\nMAXVAL 1\nTUPLTYPE BLACKANDWHITE\nENDHDR\n", [0, 1, 0, 1, 0, 1]),
    ] as [(String, [UInt8])])
  func blackAndWhiteAreRead(header: String, pixels: [UInt8]) throws {
    let image = try read(file(header, pixels), by: coder)
    #expect(image.size == PixelSize(width: 3, height: 2))
    #expect(colors(image) == gray(0, 255, 0, 255, 0, 255))
    #expect(image.bitmap.format == .opaqueRGBA8)
  }

  @Test(
    arguments: [
      ("P3\n1 2\n255\n1 2 3\n4 5 6\n", []), ("P6\n# by hand\n1 2\n255\n", [1, 2, 3, 4, 5, 6]),
      ("P7\n\n# by hand\nMAXVAL 255\nDEPTH 3\n  WIDTH  1 \nHEIGHT 2\nENDHDR\n", [1, 2, 3, 4, 5, 6]),
      ("P7\nWIDTH 1\nHEIGHT 2\nDEPTH 3\nMAXVAL 65535\nTUPLTYPE RGB\nENDHDR\n", [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6]),
    ] as [(String, [UInt8])])
  func coloursAreRead(header: String, pixels: [UInt8]) throws {
    let image = try read(file(header, pixels), by: coder)
    #expect(colors(image) == [PixelColor(red: 1, green: 2, blue: 3), PixelColor(red: 4, green: 5, blue: 6)])
  }

  @Test func alphaIsRead() throws {
    let head = "P7\nWIDTH 1\nHEIGHT 1\nMAXVAL 255\n"
    let gray = try read(file(head + "DEPTH 2\nTUPLTYPE GRAYSCALE_ALPHA\nENDHDR\n", [7, 9]), by: coder)
    #expect(colors(gray) == [PixelColor(red: 7, green: 7, blue: 7, alpha: 9)])
    let color = try read(file(head + "DEPTH 4\nENDHDR\n", [1, 2, 3, 4]), by: coder)
    #expect(colors(color) == [PixelColor(red: 1, green: 2, blue: 3, alpha: 4)])
    #expect(color.bitmap.format == .rgba8)
  }

  @Test func anyHighestValueIsScaled() throws {
    #expect(colors(try read(file("P5 4 1 3 ", [0, 1, 2, 9]), by: coder)) == gray(0, 85, 170, 255))
    #expect(colors(try read(file("P5 2 1 1000 ", [0x01, 0xF4, 0x03, 0xE8]), by: coder)) == gray(128, 255))
    let wide = try read(file("P5 2 1 1000 ", [0x01, 0xF4, 0x03, 0xE8]), by: coder, DecodeOptions(keeps16Bits: true))
    #expect(wide.bitmap.format == PixelFormat(.rgba16, alpha: .opaque))
    let words = wide.bitmap.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 0, as: UInt16.self) }
    #expect(words == 32_768)
    let narrow = try read(file("P5 1 1 255 ", [7]), by: coder, DecodeOptions(keeps16Bits: true))
    #expect(narrow.bitmap.format == .opaqueRGBA8)
  }

  @Test func theHeaderStatesTheDepth() throws {
    func depth(_ text: String) throws -> Int {
      try coder.probe(ImageBytes(file(text)), work: WorkContext()).bitDepth
    }
    #expect(try depth("P4 1 1 ") == 1)
    #expect(try depth("P5 1 1 15 ") == 8)
    #expect(try depth("P6 1 1 256 ") == 16)
  }

  @Test(
    arguments: [
      "", "P", "P6", "P6\n", "P6 1", "P6 1 1", "P6 1 1 255", "P0 1 1 255 ", "P8 1 1 255 ", "PF 1 1 -1.0 ",
      "Pf 1 1 -1.0 ", "P61 1 255 ", "P6 x 1 255 ", "P6 1 -1 255 ", "P6 1 1 255x", "P6 0 1 255 ", "P6 1 1 0 ",
      "P6 1 1 65536 ", "P6 99999999999999999999 1 255 ", "P1 is no picture. ", "P7 332 0 0\n", "P7\nENDHDR\n",
      "P7\nWIDTH 1\nWIDTH 1\n", "P7\nHello world\n", "P7\nWIDTH 1 1\n", "P7\nWIDTH 1\nHEIGHT 1\nDEPTH 2\nMAXVAL 255\n",
      "P7\nWIDTH 1\nHEIGHT 1\nDEPTH 2\nMAXVAL 255\nTUPLTYPE RGB\nENDHDR\n",
    ])
  func whatIsNoHeaderIsNotRecognized(text: String) {
    #expect(!coder.canDecode(prefix: file(text)))
    let error = failure(file(text), by: coder)
    #expect(error?.code == .badImageData)
    #expect(error?.message.hasPrefix("PNM: ") == true)
  }

  @Test func aLongCommentMayHideTheSize() throws {
    let bytes = file("P6\n#" + String(repeating: "x", count: 300) + "\n1 1\n255\n", [1, 2, 3])
    #expect(coder.canDecode(prefix: Array(bytes.prefix(PNMCoder.sniffLength))))
    #expect(!coder.canDecode(prefix: Array(bytes.prefix(PNMCoder.sniffLength - 1))))
    #expect(colors(try read(bytes, by: coder)) == [PixelColor(red: 1, green: 2, blue: 3)])
    var limits = Limits()
    limits.metadataBytes = 50
    #expect(failure(bytes, by: coder, limits: limits)?.code == .limitExceeded)
  }

  @Test(arguments: ["\n", "\r", "\r\n"])
  func commentsEndWithTheLineOfEverySystem(end: String) throws {
    let raw = file("P6\(end)# c\(end)1 1\(end)# d\(end)255#e\(end)", [97, 98, 99])
    #expect(coder.canDecode(prefix: raw))
    #expect(colors(try read(raw, by: coder)) == [PixelColor(red: 97, green: 98, blue: 99)])
    let plain = file("P2\(end)2 1\(end)9#c\(end)0 # d\(end)9\(end)")
    #expect(colors(try read(plain, by: coder)).map(\.red) == [0, 255])
    #expect(try MetadataCount.of(raw, by: coder) == 8 + 3 * end.utf8.count)
  }

  @Test func otherTupleTypesAreLeftToOtherCoders() {
    let types = [
      (4, "TUPLTYPE CMYK\n", "CMYK"), (5, "", "5 samples"), (4, "TUPLTYPE RGB\n", "RGB with a DEPTH of 4"),
      (3, "TUPLTYPE RGB\nTUPLTYPE  of  light\n", "RGB of light"),
    ]
    for (depth, type, reason) in types {
      let bytes = file("P7\nWIDTH 1\nHEIGHT 1\nDEPTH \(depth)\nMAXVAL 255\n\(type)ENDHDR\n", [0, 0, 0, 0, 0])
      #expect(coder.canDecode(prefix: bytes))
      let error = failure(bytes, by: coder)
      #expect(error?.code == .unsupportedFormat)
      #expect(error?.message.contains(reason) == true, "\(error as Any)")
    }
  }

  @Test func aTupleTypeMayStandOnSeveralLines() throws {
    let head = "P7\nWIDTH 1\nHEIGHT 1\nDEPTH 3\nMAXVAL 255\n"
    for lines in ["TUPLTYPE\nTUPLTYPE RGB \n", "TUPLTYPE RGB\n# none\nTUPLTYPE\t\n"] {
      let image = try read(file(head + lines + "ENDHDR\n", [97, 98, 99]), by: coder)
      #expect(colors(image) == [PixelColor(red: 97, green: 98, blue: 99)])
    }
    let endless = head + String(repeating: "TUPLTYPE RGB\n", count: 1000) + "ENDHDR\n"
    #expect(failure(file(endless, [97, 98, 99]), by: coder)?.code == .badImageData)
  }

  @Test func sizesAreCheckedBeforeAnythingIsRead() {
    for size in ["65536 1", "20000 20000", "2147483647 2147483647"] {
      #expect(failure(file("P4 \(size)\n"), by: coder)?.code == .limitExceeded)
    }
  }

  @Test(
    arguments: [
      ("P5 2 2 255 ", [1, 2, 3], "PNM: the file ends before its last row, in row 1."),
      ("P2 2 2 255\n1 2 3", [], "PNM: the file ends before its last row, in row 1."),
      ("P2 2 2 255\n1 2 3 x", [], "PNM: a sample is not a number, in row 1."),
      ("P2 2 2 255\n1 2 3 -1", [], "PNM: a sample is not a number, in row 1."),
      ("P2 2 2 255\n1 2 3 999999999999999999999", [], "PNM: a sample is over the highest value of 255, in row 1."),
      ("P1 2 2\n1 0 1 2", [], "PNM: a bit is neither 0 nor 1, in row 1."),
    ] as [(String, [UInt8], String)])
  func damageIsNamed(header: String, pixels: [UInt8], message: String) throws {
    let bytes = file(header, pixels)
    #expect(failure(bytes, by: coder)?.message == message)
    let part = try read(bytes, by: coder, DecodeOptions(damaged: .show))
    #expect(part.traits == .partial)
    #expect(colors(part).dropFirst(2) == [.clear, .clear])
    #expect(try MetadataCount.of(bytes, by: coder) == nil)
  }

  @Test func everyKindOfPictureComesBack() throws {
    let cases: [(PixelFormat, String)] = [
      (.rgba8, "P7\nWIDTH 40\nHEIGHT 31\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n"),
      (.opaqueRGBA8, "P6\n40 31\n255\n"), (.gray8, "P5\n40 31\n255\n"),
      (.rgba16, "P7\nWIDTH 40\nHEIGHT 31\nDEPTH 4\nMAXVAL 65535\nTUPLTYPE RGB_ALPHA\nENDHDR\n"),
      (PixelFormat(.rgba16, alpha: .opaque), "P6\n40 31\n65535\n"),
    ]
    for (format, header) in cases {
      let bitmap = try Bitmap.noise(40, 31, format)
      let bytes = try written(Image(bitmap), by: coder)
      #expect(bytes.starts(with: header.utf8), "\(format)")
      let again = try read(bytes, by: coder, DecodeOptions(keeps16Bits: true)).bitmap
      #expect(again == (format == .gray8 ? try bitmap.converted(to: .opaqueRGBA8) : bitmap), "\(format)")
      #expect(try MetadataCount.of(bytes, by: coder) == 0)
    }
  }

  @Test func greyIsFoundInColours() throws {
    let translucent = try Bitmap(3, 2, .rgba8) { x, y in [x, x, x, 100 + y] }
    let bytes = try written(Image(translucent), by: coder)
    #expect(String(decoding: bytes.prefix(80), as: UTF8.self).contains("TUPLTYPE GRAYSCALE_ALPHA\n"))
    #expect(try read(bytes, by: coder).bitmap == translucent)
    let opaque = try Bitmap(3, 2, .opaqueRGBA8) { x, y in [x, x, y == 1 ? 9 : x, 255] }
    #expect(try written(Image(opaque), by: coder).starts(with: "P6".utf8))
  }

  @Test func commentsAndWhatFollowsAreMetadata() throws {
    #expect(try MetadataCount.of(file("P2 1 1 255\n7\n\n"), by: coder) == 0)
    #expect(try MetadataCount.of(file("P2 1 1 255\n7\nhello"), by: coder) == 5)
    #expect(try MetadataCount.of(file("P2 1 1 255\n# hi\n7\n"), by: coder) == 5)
    #expect(try MetadataCount.of(file("P5 1 1 # hi\n255 ", [9, 10]), by: coder) == 6)
    // The next byte could still belong to the number.
    #expect(try MetadataCount.of(file("P2 1 1 255\n7"), by: coder) == nil)
  }

  @Test func blanksWithoutEndCanBeGivenUp() {
    let bytes = file("P1 2 2\n" + String(repeating: " ", count: 300_000))
    let work = WorkContext(isCancelled: true)
    #expect(throws: ImageError.self) { try coder.metadataBytes(of: ImageBytes(bytes), work: work) }
    #expect(failure(bytes, by: coder)?.code == .badImageData)
  }

  @Test func exactlyTheLimitsOfTheSizeHaveAnEffect() throws {
    let names: Set = ["maxPixelSize", "maxFileBytes"]
    #expect(try EncodeOptionWalk.result(of: coder) == .init(onFiles: names, onEffectiveOptions: names))
    #expect(!coder.writesFrames(as: .pnm))
  }
}
