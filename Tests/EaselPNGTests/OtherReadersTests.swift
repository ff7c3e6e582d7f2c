import EaselCore
import EaselPixels
import EaselTestPixels
import EaselTestTags
import FoundationEssentials
import Testing

@testable import EaselPNG

/// Other programs read the files of this coder.
@Suite(.tags(.alone))
struct OtherReadersTests {
  private static let python = ProcessInfo.processInfo.environment["EASEL_PYTHON"]
  private static let hasPngcheck = FileManager.default.isExecutableFile(atPath: "/usr/bin/pngcheck")

  /// Pictures of every kind that the coder writes, with names for messages.
  private static func pictures() throws -> [(name: String, image: Image, options: EncodeOptions)] {
    let formats: [PixelFormat] = [.rgba8, .opaqueRGBA8, .gray8, .rgba16, PixelFormat(.rgba16, alpha: .opaque)]
    var pictures = try formats.map { ("\($0)", Image(try Bitmap.noise(23, 9, $0)), EncodeOptions()) }
    var options = EncodeOptions()
    options.allowsPalette = true
    for colors in [2, 4, 16, 200] {
      let bitmap = try Bitmap(40, 20, .rgba8) { x, y in
        let index = (y * 40 + x) % colors
        return [index, 255 - index, index / 2, index == 1 ? 100 : 255]
      }
      pictures.append(("\(colors) colours", Image(bitmap), options))
    }
    for colors in [2, 7, 16, 100] {
      options = EncodeOptions()
      options.settings[.pngPalette] = PNGPalette(colors: colors)
      let bitmap = try Bitmap(40, 20, .rgba8) { x, y in [x * 6, y * 12, x ^ y, x < 20 ? 255 : x * 6] }
      pictures.append(("palette of \(colors)", Image(bitmap), options))
    }
    for effort in [2, 3] {
      options = EncodeOptions()
      options.settings[.pngEffort] = effort
      pictures += try formats.map { ("\($0), effort \(effort)", Image(try Bitmap.noise(23, 9, $0)), options) }
    }
    var metadata = ImageMetadata(storedSize: PixelSize(width: 5, height: 5), orientation: .left)
    metadata.xmp = Data("<x:xmpmeta/>".utf8)
    metadata.density = ImageMetadata.Density(horizontal: 72, vertical: 72)
    options = EncodeOptions()
    options.keepsMetadata = true
    pictures.append(("metadata", Image(try Bitmap.noise(5, 5, .rgba8), metadata: metadata), options))
    let frames = Frames(
      bitmaps: try (0..<3).map { try Bitmap.noise(12, 8, .rgba8, seed: $0 + 1) },
      durations: Array(repeating: .milliseconds(50), count: 3))
    pictures.append(("moving", frames.image, EncodeOptions()))
    return pictures
  }

  private func file(_ image: Image, _ options: EncodeOptions) throws -> [UInt8] {
    try PNGCoder().encode(image, as: .png, options: options, work: WorkContext()).withUnsafeBytes(Array.init)
  }

  @Test(.enabled(if: hasPngcheck, "pngcheck is not installed: no file is checked with it."))
  func pngcheckFindsNothingWrong() throws {
    for (name, image, options) in try Self.pictures() {
      let file = try file(image, options)
      let directory = FileManager.default.temporaryDirectory.path
      let path = directory + "/easel-pngcheck-\(UInt64.random(in: 0 ... .max)).png"
      try Data(file).write(to: URL(fileURLWithPath: path))
      defer { try? FileManager.default.removeItem(atPath: path) }
      // pngcheck ends with status 0 only if everything is valid.
      let output = EaselTestPixels.Process.output(of: ["/usr/bin/pngcheck", "-v", path], input: [])
      #expect(output.map { String(decoding: $0, as: UTF8.self).contains("No errors detected") } == true, "\(name)")
    }
  }

  @Test(.enabled(if: python != nil, "EASEL_PYTHON names no Python with Pillow: nothing is compared with it."))
  func pillowSeesTheSamePixels() throws {
    let python = try #require(Self.python)
    let script = """
      import sys, io
      from PIL import Image
      image = Image.open(io.BytesIO(sys.stdin.buffer.read()))
      image.load()
      sys.stdout.buffer.write(image.convert("RGBA").tobytes())
      """
    for (name, image, options) in try Self.pictures() where image.bitmap.format.layout != .rgba16 {
      let bytes = try file(image, options)
      let pixels = EaselTestPixels.Process.output(of: [python, "-c", script], input: bytes)
      let alpha: PixelFormat.Alpha = image.bitmap.format.alpha == .opaque ? .opaque : .straight
      // Fewer colours are other pixels than before, so that those count which this coder reads.
      let isExact = options.settings[.pngPalette] == nil
      let written = try PNGCoder().decode(ImageBytes(bytes), options: DecodeOptions(), work: WorkContext())
      let expected = try (isExact ? image : written).bitmap.converted(to: PixelFormat(.rgba8, alpha: alpha))
      #expect(pixels == expected.withUnsafeBytes(Array.init), "\(name)")
    }
  }
}
