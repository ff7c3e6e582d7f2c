import CEaselColorFixtures
import CEaselWebP
import CEaselWebPBaseline
import EaselColor
import EaselCore
import EaselPixels
import EaselSupport
import EaselTestPixels
import FoundationEssentials
import Testing

@testable import EaselWebP

struct DecodingTests {
  private typealias T = WebPTesting

  private func whatLibwebpMakes(of bytes: [UInt8], _ size: PixelSize) -> [UInt8] {
    var pixels = [UInt8](repeating: 0, count: size.area * 4)
    let isDecoded = easel_baseline_decode_webp(
      bytes, bytes.count, &pixels, Int32(size.width), Int32(size.height), 0, 0)
    return isDecoded ? pixels : []
  }

  @Test func onlyTheWholeSignatureIsRecognised() {
    let signature = Array("RIFF\u{1}\u{2}\u{3}\u{4}WEBP".utf8)
    #expect(T.coder.canDecode(prefix: signature))
    #expect(!T.coder.canDecode(prefix: Array(signature.dropLast())))
    #expect(!T.coder.canDecode(prefix: Array("RIFF\u{1}\u{2}\u{3}\u{4}WAVE".utf8)))
    #expect(!T.coder.canDecode(prefix: Array("RIFX\u{1}\u{2}\u{3}\u{4}WEBP".utf8)))
  }

  @Test(arguments: [false, true], [false, true])
  func pixelsAreThoseOfLibwebp(isLossless: Bool, hasAlpha: Bool) throws {
    let bitmap = hasAlpha ? try T.softAlpha(530, 61) : try Bitmap.waves(530, 61)
    let bytes = try T.encode(Image(bitmap)) { $0.lossless = isLossless }.array
    let image = try T.decode(ImageBytes(bytes))
    #expect(image.bitmap.withUnsafeBytes { Array($0) } == whatLibwebpMakes(of: bytes, bitmap.size))
    #expect(image.bitmap.format == bitmap.format)
    #expect(image.format == .webp)
    #expect(image.traits == [])
    let header = try T.coder.probe(ImageBytes(bytes), work: WorkContext())
    #expect(header.storedSize == bitmap.size && header.hasAlpha == hasAlpha && header.frameCount == 1)
    #expect(header.storedLoopCount == nil && header.storedDelays.isEmpty)
    for step in [1, 7, 4096] {
      let pieces = try T.decodeInPieces(bytes, of: step)
      #expect(pieces.bitmap == image.bitmap && pieces.traits == [], "pieces of \(step)")
    }
  }

  @Test func alphaOfWhichTheFileSaysThatItDoesNotCountIsLeftOut() throws {
    let bitmap = try Bitmap.noise(40, 20, .rgba8)
    var bytes = try T.riff(T.pixels(bitmap))
    #expect(bytes[24] & 0x10 != 0)
    bytes[24] &= ~0x10
    let image = try T.decode(ImageBytes(bytes))
    var opaque = try Bitmap(40, 20, .opaqueRGBA8) { x, y in bitmap.components(x, y).prefix(3) + [255] }
    #expect(image.bitmap == opaque)
    opaque.assumeAlpha(.straight)
    #expect(try T.decodeInPieces(bytes, of: 100).bitmap == image.bitmap)
  }

  /// The picture is so large that it is read in pieces and made opaque concurrently.
  @Test func alphaOfALargePictureThatDoesNotCountIsLeftOut() throws {
    let bitmap = try Bitmap.noise(1800, 1760, .rgba8)
    var bytes = try T.riff(T.pixels(bitmap))
    bytes[24] &= ~0x10
    var expected = bitmap
    expected.withUnsafeMutableBytes { pixels in
      for place in stride(from: 3, to: pixels.count, by: 4) { pixels[place] = 255 }
    }
    expected.assumeAlpha(.opaque)
    for _ in 0..<3 { #expect(try T.decode(ImageBytes(bytes)).bitmap == expected) }
    #expect(try T.decodeInPieces(bytes, of: bytes.count / 3).bitmap == expected)
    // A cut picture ends with an error; no thread may still be working on its rows then.
    for _ in 0..<3 {
      #expect(throws: ImageError.self) { try T.decode(ImageBytes(Array(bytes.prefix(bytes.count / 2)))) }
    }
  }

  @Test(arguments: [1, 15, 16, 17, 33, 64])
  func rowsBecomeOpaqueWhereverAPixelIsNot(width: Int) {
    let (stride, height) = (width + 3, 3)
    let opaque = [UInt32](repeating: 0xFF12_3456, count: stride * height)
    for place in 0..<width {
      // The second row and what lies between the rows.
      var pixels = opaque
      pixels[stride + place] = 0x7F12_3456
      pixels[stride + width] = 0x0012_3456
      pixels.withUnsafeMutableBytes { easel_webp_make_opaque($0.baseAddress, 4 * stride, width, height) }
      #expect(pixels[stride + width] == 0x0012_3456)
      pixels[stride + width] = opaque[0]
      #expect(pixels == opaque, "pixel \(place)")
    }
  }

  @Test func aFileIsReadPieceByPiece() throws {
    let bitmap = try T.softAlpha(300, 200)
    let bytes = try T.encode(Image(bitmap))
    let path = "/tmp/easel-webp-\(UInt64.random(in: 0 ... .max)).webp"
    try bytes.data().write(to: URL(fileURLWithPath: path))
    defer { try? FileManager.default.removeItem(atPath: path) }
    let file = try ImageBytes(contentsOfFile: path)
    #expect(try T.decode(file).bitmap == T.decode(bytes).bitmap)
    #expect(try T.coder.probe(file, work: WorkContext()) == T.coder.probe(bytes, work: WorkContext()))
    // The body is in memory while it arrives and in a file at the end.
    let decoder = try #require(
      try T.coder.makeDecoder(prefix: bytes.prefix(64), options: DecodeOptions(), work: WorkContext()))
    try decoder.update(ImageBytes(Array(bytes.array.prefix(bytes.count / 2))))
    #expect(try decoder.finish(file).bitmap == T.decode(bytes).bitmap)
  }

  @Test func previewsStandUprightFromTheStart() throws {
    let stored = try Bitmap.noise(90, 60, .opaqueRGBA8)
    let metadata = ImageMetadata(storedSize: stored.size, orientation: .right)
    let bytes = try T.encode(Image(stored, metadata: metadata), T.lossless).array
    let decoder = try #require(
      try T.coder.makeDecoder(prefix: Array(bytes.prefix(64)), options: DecodeOptions(), work: WorkContext()))
    try decoder.update(ImageBytes(Array(bytes.prefix(bytes.count / 2))))
    // EXIF comes last, so the orientation is still unknown.
    #expect(try decoder.preview() == nil)
    try decoder.update(ImageBytes(bytes))
    #expect(try decoder.preview()?.bitmap == stored.oriented(.right))
    var raw = DecodeOptions()
    raw.appliesOrientation = false
    let other = try #require(
      try T.coder.makeDecoder(prefix: Array(bytes.prefix(64)), options: raw, work: WorkContext()))
    try other.update(ImageBytes(Array(bytes.prefix(bytes.count / 2))))
    #expect(try other.preview()?.size == stored.size)
  }

  /// libwebp drops the rows of the call that ends in an error.
  @Test(arguments: [false, true])
  func ofDamagedPixelsThereIsTheSamePartHoweverTheyArrive(isLossless: Bool) throws {
    // Repetitions are stored as references, which damage breaks; noise would only become other noise.
    let bitmap = try isLossless ? Bitmap.waves(60, 400) : Bitmap.noise(60, 400, .opaqueRGBA8)
    let bytes = try T.encode(Image(bitmap)) { $0.lossless = isLossless }.array
    var parts = 0
    for place in stride(from: 40, to: bytes.count, by: bytes.count / 23) {
      var damaged = bytes
      for index in place..<min(bytes.count, place + 300) { damaged[index] = 0xFF }
      let whole = try? T.decode(ImageBytes(damaged)) { $0.damaged = .show }
      let pieces = try? T.decodeInPieces(damaged, of: 777) { $0.damaged = .show }
      #expect(whole?.bitmap == pieces?.bitmap && whole?.traits == pieces?.traits, "damaged at \(place)")
      if whole?.traits == .partial { parts += 1 }
    }
    if isLossless { #expect(parts > 0) }
  }

  @Test func whatLibwebpAcceptsOnlyInSmallPiecesIsAPictureHoweverItComes() throws {
    // Its pixels end early. Given all bytes at once, libwebp asks for more.
    let text = "UklGRkAAAABXRUJQVlA4IDQAAADwAQCdASoQABAAAkBMJbACsAEPDBLyyoAA//lSfVicGuK+UwadR4Pr3c/7soz/QMUDmeAAAA=="
    let file = Array(try #require(Data(base64Encoded: text)).dropLast())
    let whole = try T.decode(ImageBytes(file))
    for length in [1, 7, 64] { #expect(try T.decodeInPieces(file, of: length).bitmap == whole.bitmap, "\(length)") }
  }

  @Test(arguments: [false, true])
  func aDamagedPictureIsRefusedOrTheSameHoweverItComes(isLossless: Bool) throws {
    let file = try T.encode(Image(Bitmap.waves(16, 16))) { $0.lossless = isLossless }.array
    var random = SeededRandom(seed: 7)
    var accepted = 0
    for _ in 0..<400 {
      var damaged = file
      for _ in 0..<3 {
        damaged[Int.random(in: 20..<file.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      let whole = try? T.decode(ImageBytes(damaged))
      let pieces = try? T.decodeInPieces(damaged, of: Int.random(in: 1...64, using: &random))
      #expect(whole?.bitmap == pieces?.bitmap)
      if whole != nil { accepted += 1 }
    }
    #expect((1..<400).contains(accepted))
  }

  @Test func coloursOfAProfileBecomeSRGBOrStay() throws {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = easel_make_icc_profile([0.680, 0.320, 0.265, 0.690, 0.150, 0.060], 2.2, &buffer, buffer.count)
    let profile = Data(buffer[..<count])
    let stored = try Bitmap.noise(20, 20, .rgba8)
    let metadata = ImageMetadata(storedSize: stored.size, iccProfile: profile)
    let bytes = try T.encode(Image(stored, metadata: metadata), T.lossless)
    #expect(try T.coder.probe(bytes, work: WorkContext()).iccProfileBytes == count)
    let image = try T.decode(bytes)
    #expect(try image.bitmap == stored.converted(from: .icc(profile)))
    #expect(image.metadata.iccProfile == nil)
    let raw = try T.decode(bytes) { $0.convertsColor = false }
    #expect(raw.bitmap == stored && raw.metadata.iccProfile == profile)
  }

  @Test func timeIsLookedAtWhileAPictureIsRead() throws {
    // Four megapixels are four pieces.
    let bytes = try T.encode(Image(Bitmap(2048, 2048, .white))) {
      $0.compressionLevel = 0
      $0.lossless = true
    }
    let clock = SteppingClock()
    let work = WorkContext(
      limits: Limits(), context: ImageContext(), cancellation: Cancellation(), clock: clock)
    work.time.begin()
    let error = #expect(throws: ImageError.self) { try T.decode(bytes, work: work) }
    #expect(error?.code == .limitExceeded && error?.message.contains("Limits.decodeTime") == true)
    #expect(clock.looks == 5)
  }
}

/// A clock that moves by ten seconds with every read.
private final class SteppingClock: ImageClock {
  private let count = Locked(0)

  var looks: Int { count.withLock { $0 } }
  var date: Date { Date(timeIntervalSince1970: 0) }
  var uptime: Duration {
    count.withLock { count in
      count += 1
      return .seconds(10 * (count - 1))
    }
  }
  func sleep(for duration: Duration) async throws {}
  func block(for duration: Duration) {}
}
