import EaselCore
import EaselPixels
import EaselTestCorpus
import EaselTestPixels
import FoundationEssentials
import Testing

@testable import EaselAVIF

struct DecodingTests {
  private typealias T = AVIFTesting

  @Test func onlyAListWithABrandOfAVIFIsRecognised() {
    func list(_ brands: String, size: Int? = nil) -> [UInt8] {
      let text = Array(brands.utf8)
      return [0, 0, 0, UInt8(size ?? text.count + 8)] + Array("ftyp".utf8) + text
    }
    for brands in ["avif\0\0\0\0", "avis\0\0\0\0mif1", "mif1\0\0\0\0miafavif", "msf1\0\0\0\0heicavis"] {
      #expect(T.coder.canDecode(prefix: list(brands)), "\(brands)")
    }
    for brands in [
      "mif1\0\0\0\0", "heic\0\0\0\0mif1heic", "mif1avif", "mif1\0\0\0\0xavifxxx", "isom\0\0\0\0mp41",
      "heix\0\0\0\0avif",
    ] {
      #expect(!T.coder.canDecode(prefix: list(brands)), "\(brands)")
    }
    // A brand outside the list does not count, and neither does one of which only a part is there.
    #expect(!T.coder.canDecode(prefix: list("mif1\0\0\0\0avif", size: 16)))
    #expect(!T.coder.canDecode(prefix: list("mif1\0\0\0\0avif").dropLast()))
    #expect(!T.coder.canDecode(prefix: list("avif\0\0\0\0").dropLast()))
    #expect(!T.coder.canDecode(prefix: []))
  }

  // MARK: Pixels

  @Test(arguments: [PixelFormat.opaqueRGBA8, .rgba8, .rgba16], [EncodeOptions.ChromaSubsampling.quarter, .full])
  func rowsReadIntoAPictureAreThoseOfTheWhole(
    format: PixelFormat, chroma: EncodeOptions.ChromaSubsampling
  ) throws {
    let bytes = try T.encode(Image(Bitmap.noise(33, 71, format))) { $0.chromaSubsampling = chroma }
    let reader = try AVIFReader(bytes, work: WorkContext())
    try reader.decode(0)
    let isWide = format.layout == .rgba16
    let bytesPerRow = 33 * (isWide ? 8 : 4)
    func pixels(_ rowsAtOnce: Int) throws -> [UInt8] {
      // Beyond the rows that are read lies something else.
      var pixels = [UInt8](repeating: 7, count: 71 * bytesPerRow)
      for row in stride(from: 0, to: 71, by: rowsAtOnce) {
        try pixels.withUnsafeMutableBytes {
          try reader.readRows(
            row..<min(71, row + rowsAtOnce), isWide: isWide, isInPicture: true,
            into: $0.baseAddress! + row * bytesPerRow, bytesPerRow: bytesPerRow)
        }
      }
      return pixels
    }
    let whole = try pixels(71)
    for rowsAtOnce in [2, 16, 18, 36, 68, 70] { #expect(try pixels(rowsAtOnce) == whole, "\(rowsAtOnce)") }
  }

  @Test func greyPicturesFollowTheirProfile() throws {
    var metadata = ImageMetadata(storedSize: PixelSize(width: 9, height: 4))
    let grey = try Bitmap(9, 4, .gray8) { _, _ in [100] }
    let plain = try T.decode(T.encode(Image(grey, metadata: metadata), T.lossless)).bitmap
    #expect(plain.components(4, 2) == [100, 100, 100, 255])
    for (profile, name) in [(LinearProfile.gray, "grey"), (LinearProfile.colors, "colours")] {
      metadata.iccProfile = profile
      let light = try T.decode(T.encode(Image(grey, metadata: metadata), T.lossless)).bitmap.components(4, 2)
      // 100 of 255 in linear light.
      #expect(light.prefix(3).allSatisfy { abs($0 - 168) < 2 }, "for \(name): \(light)")
    }
  }

  /// Ten bits of high range become eight in a pattern around the values of sixteen, whole and made smaller.
  @Test(arguments: [nil, PixelSize(width: 64, height: 64)])
  func ofHighRangeEightBitsAreDithered(thumbnail: PixelSize?) throws {
    let ramp = try Bitmap(256, 64, PixelFormat(.rgba16, alpha: .opaque)) { x, _ in
      [24_000 + 8 * x, 24_000 + 8 * x, 24_000 + 8 * x, 65_535]
    }
    var metadata = ImageMetadata(storedSize: ramp.size)
    metadata.color = ColorDescription(coding: ColorDescription.Coding(primaries: 9, transfer: 16))
    let bytes = try T.encode(Image(ramp, metadata: metadata), T.lossless)
    func decoded(keeps16Bits: Bool) throws -> Bitmap {
      try T.decode(bytes) {
        $0.thumbnailSize = thumbnail
        $0.keeps16Bits = keeps16Bits
      }.bitmap
    }
    let (exact, narrow) = (try decoded(keeps16Bits: true), try decoded(keeps16Bits: false))
    #expect(narrow.format == .opaqueRGBA8 && exact.format.layout == .rgba16)
    var (sum, most, unrounded) = (0.0, 0.0, 0)
    for y in 0..<narrow.height {
      for x in 0..<narrow.width {
        let (seen, wanted) = (Double(narrow.components(x, y)[1]), Double(exact.components(x, y)[1]) / 257)
        sum += seen - wanted
        most = max(most, abs(seen - wanted))
        if seen != wanted.rounded() { unrounded += 1 }
      }
    }
    #expect(abs(sum) / Double(narrow.size.area) < 0.05 && most < 1.01)
    #expect(unrounded > narrow.size.area / 10, "It is no rounding.")
    #expect(try decoded(keeps16Bits: false) == narrow)
  }

  // MARK: Turns

  @Test func turnsAndMirrorsComeToOneOrientation() throws {
    let bitmap = try Bitmap.noise(5, 3, .opaqueRGBA8)
    for turns in 0..<4 {
      var turned = bitmap
      for _ in 0..<turns { turned = try turned.oriented(.left) }
      let plain = ImageMetadata.Orientation(quarterTurnsLeft: turns, swapsLeftAndRight: false, swapsTopAndBottom: false)
      #expect(try bitmap.oriented(plain) == turned)
      let mirrored = ImageMetadata.Orientation(
        quarterTurnsLeft: turns, swapsLeftAndRight: true, swapsTopAndBottom: false)
      #expect(try bitmap.oriented(mirrored) == turned.oriented(.upMirrored))
      let flipped = ImageMetadata.Orientation(
        quarterTurnsLeft: turns, swapsLeftAndRight: false, swapsTopAndBottom: true)
      #expect(try bitmap.oriented(flipped) == turned.oriented(.downMirrored))
    }
  }

  // MARK: Facts of the corpus

  private static let corpus = Corpus.otherFormats

  private func corpusFile(_ name: String) throws -> ImageBytes {
    let corpus = try #require(Self.corpus)
    return try corpus.bytes(of: #require(corpus.entries.first { $0.path.hasSuffix(name) }))
  }

  @Test(.enabled(if: corpus != nil, "\(Corpus.skipReason)"))
  func theLightOfAPictureIsThatOfItsBoxes() throws {
    let name = "av1-avif--Chimera_10bit_cropped_to_1920x1008_with_HDR_metadata.avif"
    let color = try #require(try T.decode(corpusFile(name)) { $0.convertsColor = false }.metadata.color)
    #expect(color.coding.primaries == 9 && color.coding.transfer == 16)
    #expect(color.contentLight == ColorDescription.ContentLight(greatest: 2000, greatestAverage: 1500))
    let display = try #require(color.masteringDisplay)
    #expect(display.greatestLuminance == 10_000 && display.leastLuminance == 20)
    // The box has green, blue and red in this order.
    #expect(display.green == SIMD2(0.3, 0.4) && display.blue == SIMD2(0.5, 0.6))
    #expect(display.red == SIMD2(0.1, 0.2) && display.white == SIMD2(0.7, 0.8))
    let other = try T.decode(corpusFile("libavif--colors_hdr_p3.avif")) { $0.convertsColor = false }.metadata.color
    #expect(other?.contentLight != nil && other?.masteringDisplay == nil && other?.coding.primaries == 12)
  }

  @Test(.enabled(if: corpus != nil, "\(Corpus.skipReason)"))
  func aBoxThatReachesToTheEndIsRead() throws {
    let mended = try T.decode(corpusFile("libavif--draw_points_idat_metasize0.avif"))
    #expect(try mended.bitmap == T.decode(corpusFile("libavif--draw_points_idat.avif")).bitmap)
  }

  @Test(.enabled(if: corpus != nil, "\(Corpus.skipReason)"))
  func aDepthMapIsNoAlpha() throws {
    let bytes = try corpusFile("libavif--colors-animated-8bpc-depth-exif-xmp.avif")
    #expect(try !T.probe(bytes).hasAlpha && T.decode(bytes).bitmap.format == .opaqueRGBA8)
  }
}
