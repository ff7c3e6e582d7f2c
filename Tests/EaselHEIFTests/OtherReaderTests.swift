import EaselCore
import EaselTestCorpus
import EaselTestPixels
import EaselTestTags
import FoundationEssentials
import Testing

@testable import EaselHEIF

/// libheif, by way of pillow-heif, sees nearly the same pixels.
///
/// Its colours are those of the nearest sample, or mixed in another way, so pixels at edges differ.
@Suite(.tags(.alone))
struct OtherReaderTests {
  private typealias T = HEIFTesting
  private typealias B = HEIFBuilder
  /// A Python with pillow-heif; nil if there is none.
  private static let python: String? = {
    guard let python = ProcessInfo.processInfo.environment["EASEL_PYTHON"],
      EaselTestPixels.Process.output(of: [python, "-c", "import pillow_heif"], input: []) != nil
    else { return nil }
    return python
  }()
  private static let noPython: Comment = "EASEL_PYTHON names no Python with pillow-heif."

  private static let script = """
    import io, sys
    from PIL import Image
    import pillow_heif
    pillow_heif.register_heif_opener()
    image = Image.open(io.BytesIO(sys.stdin.buffer.read())).convert("RGBA")
    sys.stdout.buffer.write(f"{image.width} {image.height};".encode() + image.tobytes())
    """

  private func seenByOthers(_ bytes: [UInt8]) throws -> Bitmap? {
    guard let output = EaselTestPixels.Process.output(of: [Self.python!, "-c", Self.script], input: bytes),
      let end = output.firstIndex(of: UInt8(ascii: ";"))
    else { return nil }
    let sides = String(decoding: output[..<end], as: UTF8.self).split(separator: " ").compactMap { Int($0) }
    let pixels = Array(output[(end + 1)...])
    guard sides.count == 2, pixels.count == 4 * sides[0] * sides[1] else { return nil }
    var bitmap = try Bitmap(size: PixelSize(width: sides[0], height: sides[1]), format: .rgba8)
    let stride = bitmap.bytesPerRow
    bitmap.withUnsafeMutableBytes { room in
      pixels.withUnsafeBytes { pixels in
        for y in 0..<sides[1] {
          UnsafeMutableRawBufferPointer(rebasing: room[(y * stride)...])
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: pixels[(4 * y * sides[0])...].prefix(4 * sides[0])))
        }
      }
    }
    return bitmap
  }

  private func compare(_ bytes: [UInt8], least decibels: Double, _ name: String) throws {
    let own = try T.decode(bytes) { $0.convertsColor = false }.bitmap.converted(to: .rgba8)
    let other = try #require(try seenByOthers(bytes), "pillow-heif refuses \(name).")
    #expect(own.size == other.size, "\(name)")
    guard own.size == other.size else { return }
    let ratio = own.signalToNoise(against: other)
    #expect(ratio > decibels, "\(name): \(ratio) dB")
  }

  @Test(.enabled(if: python != nil, noPython)) func smallPicturesAreSeenAlike() throws {
    let all = [
      ("4:2:0", T.single().bytes), ("4:2:2", T.single(.quartersHalfWidth).bytes),
      ("4:4:4", T.single(.quartersFull).bytes), ("10 bits", T.single(.quartersTenBits).bytes),
      ("grey", T.single(.halves).bytes), ("a grid", T.grid(128, 100).bytes),
      ("turned", T.single(.quarters, B.turn(1), B.mirror(1)).bytes),
      ("cropped", T.single(.quarters, B.crop(32, 1, 48, 1, 0, 1, 0, 1)).bytes),
      (
        "another matrix",
        T.single(.quarters, B.codePoints(1, 13, 1, isFullRange: false)).bytes
      ),
    ]
    // Half of their pixels are at edges of colours.
    for (name, bytes) in all { try compare(bytes, least: 26, name) }
  }

  @Test(.enabled(if: python != nil, noPython), .enabled(if: Corpus.otherFormats != nil, "\(Corpus.skipReason)"))
  func photosAreSeenAlike() throws {
    let corpus = try #require(Corpus.otherFormats)
    for name in [
      "icc/sdwebimage--TestImage.heic", "icc/libheif--with-alpha-512x512.heic", "icc/coil--basic.heic",
      "valid/nokia-conformance--C013.heic", "valid/nokia-conformance--C022.heic",
    ] {
      let entry = try #require(corpus.entries.first { $0.path.hasSuffix(name) }, "\(name)")
      try compare(corpus.bytes(of: entry).withUnsafeBytes { Array($0) }, least: 34, name)
    }
  }
}
