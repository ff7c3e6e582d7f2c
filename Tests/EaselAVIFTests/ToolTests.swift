import EaselCore
import EaselPNG
import EaselPixels
import EaselTestPixels
import EaselTestTags
import FoundationEssentials
import Glibc
import Testing

@testable import EaselAVIF

/// Other programs read the files of this coder, and it reads theirs.
@Suite(.tags(.alone))
struct ToolTests {
  private typealias T = AVIFTesting
  private static let python = ProcessInfo.processInfo.environment["EASEL_PYTHON"]
  private static let hasTools = ["avifdec", "avifenc"].allSatisfy {
    FileManager.default.isExecutableFile(atPath: "/usr/bin/" + $0)
  }
  private static let noTools: Comment = "There are no avifdec and avifenc: install the package libavif-bin."

  /// The pixels that avifdec reads from a file, with 16 bits if the file has more than 8.
  private func pixelsOfAvifdec(_ bytes: [UInt8]) throws -> Bitmap {
    let command = ["/usr/bin/avifdec", "--codec", "dav1d"]
    let png = try #require(
      try EaselTestPixels.Process.converted(ImageBytes(bytes), from: "avif", to: "png", by: command))
    let options = DecodeOptions(convertsColor: false, keeps16Bits: true)
    return try PNGCoder().decode(png, options: options, work: WorkContext()).bitmap
  }

  private static func png(_ bitmap: Bitmap) throws -> ImageBytes {
    try PNGCoder().encode(Image(bitmap), as: .png, options: EncodeOptions(), work: WorkContext())
  }

  /// With odd sides, and with more rows than are converted at a time.
  private static let pictures = Result { try [Bitmap.waves(1031, 519), T.softAlpha(131, 77)].map(png) }

  @Test(
    .enabled(if: hasTools, noTools), arguments: ["420", "422", "444"],
    [
      ["-d", "8"], ["-d", "10"], ["-d", "12"], ["-d", "8", "-r", "limited"], ["-d", "8", "-p"], ["-d", "10", "-p"],
    ])
  func pixelsAreThoseOfAvifdec(chroma: String, options: [String]) throws {
    for png in try Self.pictures.get() {
      let command = ["/usr/bin/avifenc", "-s", "10", "-y", chroma] + options
      let bytes = try #require(try Avifenc.written(command, of: png))
      let image = try T.decode(ImageBytes(bytes)) { $0.keeps16Bits = true }
      let expected = try pixelsOfAvifdec(bytes)
      #expect(image.bitmap.format == expected.format)
      #expect(image.bitmap.largestDifference(from: expected) == 0, "\(chroma) \(options)")
    }
  }

  @Test(.enabled(if: hasTools, noTools), arguments: ["8", "10", "12"], ["full", "limited"])
  func greyIsStretchedToItsRange(depth: String, range: String) throws {
    let gray = try Bitmap(64, 16, .gray8) { x, _ in [x * 4] }
    let command = ["/usr/bin/avifenc", "-l", "-y", "400", "-d", depth, "-r", range]
    let image = try T.decode(ImageBytes(try #require(try Avifenc.written(command, of: Self.png(gray)))))
    let expected = try gray.converted(to: .opaqueRGBA8)
    #expect(image.bitmap.largestDifference(from: expected) <= (range == "full" ? 0 : 1))
  }

  @Test(.enabled(if: hasTools, noTools))
  func aCropIsAlwaysApplied() throws {
    let bitmap = try Bitmap.noise(64, 48, .opaqueRGBA8)
    let part = PixelRect(x: 6, y: 10, width: 30, height: 20)
    let command = ["/usr/bin/avifenc", "-l", "--crop", "6,10,30,20", "--irot", "1", "--imir", "1"]
    let bytes = ImageBytes(try #require(try Avifenc.written(command, of: Self.png(bitmap))))
    let header = try T.probe(bytes)
    #expect(header.storedSize == part.size && header.orientation == .rightMirrored)
    let raw = try T.decode(bytes) { $0.appliesOrientation = false }
    let expected = try Bitmap(30, 20, .opaqueRGBA8) { x, y in bitmap.components(x + 6, y + 10) }
    #expect(raw.bitmap == expected && raw.metadata.orientation == .rightMirrored)
    #expect(try T.decode(bytes).bitmap == expected.oriented(.rightMirrored))
    let small = try T.decode(bytes) { $0.thumbnailSize = PixelSize(width: 7, height: 7) }
    let smallExpected = try expected.resized(to: PixelSize(width: 7, height: 5), linearLight: true).oriented(
      .rightMirrored)
    #expect(small.bitmap.largestDifference(from: smallExpected) <= 1)
    // A crop that reaches outside is ignored.
    var lying = try bytes.array
    let place = try #require(lying.firstRange(of: Array("clap".utf8))).upperBound
    lying.replaceSubrange(place..<place + 4, with: [0, 0, 1, 0])
    #expect(try T.probe(ImageBytes(lying)).storedSize == bitmap.size)
  }

  @Test(.enabled(if: hasTools, noTools))
  func cellsOfAGridArePutTogether() throws {
    let bitmap = try T.softAlpha(256, 192)
    let bytes = try #require(try Avifenc.written(["/usr/bin/avifenc", "-l", "--grid", "2x2"], of: Self.png(bitmap)))
    #expect(try T.decode(ImageBytes(bytes)).bitmap == bitmap)
  }

  /// Encoders of video state the curve of television where nobody thinks of it; a box means it.
  @Test(.enabled(if: hasTools, noTools))
  func theCurveOfTelevisionCountsOnlyInABox() throws {
    let gray = try Bitmap(64, 48, PixelColor(red: 100, green: 100, blue: 100), .opaqueRGBA8)
    func file(_ codes: String) throws -> [UInt8] {
      try #require(try Avifenc.written(["/usr/bin/avifenc", "--cicp", codes, "-y", "444"], of: Self.png(gray)))
    }
    func middle(_ bytes: [UInt8]) throws -> Int { try T.decode(ImageBytes(bytes)).bitmap.components(9, 9)[0] }
    for codes in ["1/6/6", "6/6/6", "1/1/1"] {
      let bytes = try file(codes)
      #expect(try middle(bytes) > 110, "\(codes)")
      let bare = T.replacing("colr", by: Array("free".utf8), in: bytes)
      #expect(try abs(middle(bare) - 100) < 3, "\(codes)")
      #expect(try T.probe(ImageBytes(bare)).color?.coding == .sRGB)
    }
    let bare = try T.replacing("colr", by: Array("free".utf8), in: file("9/16/9"))
    #expect(try T.probe(ImageBytes(bare)).color?.coding.transfer == 16, "Others count.")
  }

  /// Cells are shown in the order of the grid, whatever the order in which the file describes them.
  @Test(.enabled(if: hasTools, noTools))
  func cellsMayBeListedInAnyOrder() throws {
    for bitmap in [try Bitmap.waves(192, 128), try T.softAlpha(192, 128)] {
      var bytes = try #require(try Avifenc.written(["/usr/bin/avifenc", "-l", "--grid", "3x2"], of: Self.png(bitmap)))
      // Of the colours and of the alpha: a number, the number of cells, and the cells.
      let cut = 2 + 2
      var place = 0
      while let found = bytes[place...].firstRange(of: Array("dimg".utf8)) {
        let cells = found.upperBound + cut..<found.upperBound + cut + 12
        let numbers = stride(from: cells.lowerBound, to: cells.upperBound, by: 2).map { Array(bytes[$0..<$0 + 2]) }
        bytes.replaceSubrange(cells, with: numbers.reversed().joined())
        place = cells.upperBound
      }
      #expect(place > 0)
      let expected = try Bitmap(192, 128, bitmap.format) { x, y in
        bitmap.components(x % 64 + 128 - x / 64 * 64, y % 64 + 64 - y / 64 * 64)
      }
      #expect(try T.decode(ImageBytes(bytes)).bitmap == expected)
    }
  }

  @Test(.enabled(if: hasTools, noTools))
  func avifdecReadsWhatIsWritten() throws {
    let noise = try Bitmap.noise(31, 22, .rgba8)
    #expect(try pixelsOfAvifdec(T.encode(Image(noise), T.lossless).array) == noise)
    let waves = try Bitmap.waves(200, 120)
    for depth in [8, 10, 12] {
      let bytes = try T.encode(Image(waves)) { $0.settings[.avifDepth] = depth }
      let seen = try pixelsOfAvifdec(bytes.array)
      #expect(try seen == T.decode(bytes) { $0.keeps16Bits = true }.bitmap)
    }
  }

  @Test(.enabled(if: python != nil, "EASEL_PYTHON names no Python with Pillow."))
  func pillowSeesTheSameFrames() throws {
    let script = """
      import io, sys
      from PIL import Image
      image = Image.open(io.BytesIO(sys.stdin.buffer.read()))
      count = getattr(image, "n_frames", 1)
      delays = []
      out = b""
      for index in range(count):
        image.seek(index)
        out += image.convert("RGBA").tobytes()
        delays.append(str(round(image.info.get("duration", 0))) if count > 1 else "0")
      profile = image.info.get("icc_profile") or b""
      turn = image.getexif().get(0x112, 1)
      head = [count, image.width, image.height, len(profile), len(image.info.get("xmp") or b""), turn, ",".join(delays)]
      sys.stdout.buffer.write(" ".join(map(str, head)).encode() + b";" + out)
      """
    let noise = try Bitmap.noise(31, 22, .rgba8)
    var metadata = ImageMetadata(storedSize: noise.size, orientation: .left)
    metadata.iccProfile = Data((0..<301).map { UInt8($0 % 251) })
    metadata.xmp = Data("<x:xmpmeta/>".utf8)
    let moving = try T.moving(.rgba8, plays: 5)
    let files: [(ImageBytes, String, [Bitmap])] = [
      (try T.encode(Image(noise), T.lossless), "1 31 22 0 0 1 0", [noise]),
      (
        try T.encode(Image(noise, metadata: metadata)) {
          T.lossless(&$0)
          $0.keepsMetadata = true
        }, "1 31 22 301 12 8 0", [noise]
      ), (try T.encode(moving.image, T.lossless), "4 24 18 0 0 1 20,30,500,70", moving.bitmaps),
    ]
    for (bytes, expected, frames) in files {
      let output = EaselTestPixels.Process.output(of: [Self.python!, "-c", script], input: try bytes.array)
      let seen = try #require(output, "\(expected)")
      let end = try #require(seen.firstIndex(of: UInt8(ascii: ";")))
      #expect(String(decoding: seen[..<end], as: UTF8.self) == expected)
      #expect(Array(seen[(end + 1)...]) == frames.flatMap { frame in frame.withUnsafeBytes { Array($0) } })
    }
  }

  @Test func nothingIsPrinted() async throws {
    let child = try await #require(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let picture = try T.encode(Image(Bitmap.noise(31, 22, .rgba8))).array
      for place in PlacesInTurn(upTo: picture.count) {
        var damaged = picture
        damaged[place] ^= 0x55
        _ = try? T.decode(ImageBytes(damaged)) { $0.damaged = .show }
      }
    }
    #expect(String(decoding: child.standardErrorContent, as: UTF8.self) == "")
  }
}
