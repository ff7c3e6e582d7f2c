import EaselCore
import EaselPixels
import EaselTestPixels
import EaselTestTags
import FoundationEssentials
import Testing

@testable import EaselBasic

/// Other programs read the files of these coders pixel for pixel, and the coders read theirs.
@Suite(.tags(.alone))
struct ToolTests {
  private static let python = ProcessInfo.processInfo.environment["EASEL_PYTHON"]
  private static let noPython: Comment = "EASEL_PYTHON names no Python with Pillow."
  private static let magick = "/usr/bin/convert"
  private static let hasMagick = FileManager.default.isExecutableFile(atPath: magick)
  private static let noMagick: Comment = "There is no \(magick): install the package imagemagick."

  /// A coder and the names of its format in the programs; nil where one does not know it.
  struct Format: Sendable, CustomTestStringConvertible {
    let coder: any EncodingCoder
    let pillow: String?
    let magick: String?

    var testDescription: String { coder.identifier }
  }

  static let formats = [
    Format(coder: BMPCoder(), pillow: "BMP", magick: "bmp"), Format(coder: PNMCoder(), pillow: "PPM", magick: "pnm"),
    // Debian builds ImageMagick without QOI.
    Format(coder: QOICoder(), pillow: "QOI", magick: nil), Format(coder: ICOCoder(), pillow: "ICO", magick: "ico"),
  ]

  private static func pictures() throws -> [Bitmap] {
    // All alpha is at least 1: of transparent pixels programs may forget the colour.
    let soft = try Bitmap(31, 22, .rgba8) { x, y in [8 * x, 11 * y, (x * y) % 256, 1 + (x * 7 + y) % 255] }
    return [
      soft, try .noise(31, 22, .opaqueRGBA8), try .noise(32, 1, .opaqueRGBA8), try .noise(1, 33, .gray8),
      try .waves(256, 200),
    ]
  }

  private func bytes(_ bitmap: Bitmap) throws -> [UInt8] {
    let format: PixelFormat = bitmap.format.alpha == .opaque ? .opaqueRGBA8 : .rgba8
    return try bitmap.converted(to: format).withUnsafeBytes { bytes in
      (0..<bitmap.height).flatMap { y in
        bytes[y * (bytes.count / bitmap.height)..<y * (bytes.count / bitmap.height) + 4 * bitmap.width]
      }
    }
  }

  @Test(.enabled(if: python != nil, noPython), arguments: formats)
  func pillowSeesTheSamePixels(_ format: Format) throws {
    let script = """
      import io, sys
      from PIL import Image
      image = Image.open(io.BytesIO(sys.stdin.buffer.read()))
      sys.stdout.buffer.write(f"{image.format} {image.width} {image.height};".encode() + image.convert("RGBA").tobytes())
      """
    // Pillow does not know the PAMs as which pictures with alpha are written.
    for bitmap in try Self.pictures() where format.pillow != "PPM" || bitmap.format.alpha == .opaque {
      let file = try written(Image(bitmap), by: format.coder)
      let seen = try #require(
        EaselTestPixels.Process.output(of: [Self.python!, "-c", script], input: file), "\(bitmap.size)")
      let end = try #require(seen.firstIndex(of: UInt8(ascii: ";")))
      #expect(
        String(decoding: seen[..<end], as: UTF8.self) == "\(format.pillow!) \(bitmap.width) \(bitmap.height)")
      #expect(try Array(seen[(end + 1)...]) == bytes(bitmap), "\(bitmap.size) \(bitmap.format)")
    }
  }

  @Test(.enabled(if: python != nil, noPython), arguments: formats)
  func whatPillowWritesIsReadPixelForPixel(_ format: Format) throws {
    let modes = ["BMP": ["1", "L", "P", "RGB", "RGBA"], "PPM": ["1", "L", "RGB"], "QOI": ["RGB", "RGBA"]]
    // Of an icon with a palette, Pillow forgets the alpha.
    for mode in modes[format.pillow!] ?? ["RGB", "RGBA"] {
      let script = """
        import io, sys
        from PIL import Image
        image = Image.new("RGBA", (37, 19))
        image.putdata([((x * 7) % 256, (y * 13) % 256, (x * y) % 256, 1 + (x + y) % 255) for y in range(19) for x in range(37)])
        image = image.convert("\(mode)")
        file = io.BytesIO()
        image.save(file, "\(format.pillow!)", \(format.pillow == "ICO" ? "sizes=[image.size]" : ""))
        pixels = Image.open(io.BytesIO(file.getvalue())).convert("RGBA").tobytes()
        sys.stdout.buffer.write(len(pixels).to_bytes(4, "big") + pixels + file.getvalue())
        """
      let output = try #require(
        EaselTestPixels.Process.output(of: [Self.python!, "-c", script], input: []), "\(format.pillow!) \(mode)")
      let count = output[..<4].reduce(0) { $0 << 8 | Int($1) }
      let image = try read(Array(output[(4 + count)...]), by: format.coder)
      #expect(try bytes(image.bitmap) == Array(output[4..<4 + count]), "\(format.pillow!) \(mode)")
    }
  }

  @Test(.enabled(if: hasMagick, noMagick), arguments: formats.filter { $0.magick != nil })
  func imageMagickSeesTheSamePixels(_ format: Format) throws {
    for bitmap in try Self.pictures() {
      let file = try written(Image(bitmap), by: format.coder)
      let command = [Self.magick, "\(format.magick!):-", "-depth", "8", "rgba:-"]
      let seen = try #require(EaselTestPixels.Process.output(of: command, input: file), "\(bitmap.size)")
      #expect(try seen == bytes(bitmap), "\(bitmap.size) \(bitmap.format)")
    }
  }

  @Test(.enabled(if: hasMagick, noMagick))
  func whatImageMagickWritesIsReadPixelForPixel() throws {
    let source = try Bitmap(37, 19, .rgba8) { x, y in [(x * 7) % 256, (y * 13) % 256, (x * y) % 256, 1 + (x + y) % 255]
    }
    let cases: [(name: String, options: [String], coder: any EncodingCoder)] = [
      ("bmp", [], BMPCoder()), ("bmp2", [], BMPCoder()), ("bmp3", [], BMPCoder()),
      ("bmp3", ["-colors", "200", "-compress", "RLE"], BMPCoder()), ("ppm", [], PNMCoder()),
      ("ppm", ["-compress", "none"], PNMCoder()), ("pgm", [], PNMCoder()), ("pbm", [], PNMCoder()),
      ("pam", [], PNMCoder()), ("ico", [], ICOCoder()), ("cur", [], ICOCoder()),
    ]
    for (name, options, coder) in cases {
      let start = [Self.magick, "-size", "37x19", "-depth", "8", "rgba:-"]
      let file = try #require(
        EaselTestPixels.Process.output(of: start + options + ["\(name):-"], input: bytes(source)), "\(name)")
      let seen = try #require(
        EaselTestPixels.Process.output(of: [Self.magick, "\(name):-", "-depth", "8", "rgba:-"], input: file))
      #expect(try bytes(read(file, by: coder).bitmap) == seen, "\(name) \(options)")
    }
  }

  @Test(.enabled(if: hasMagick, noMagick)) func samplesOf16BitsAreTheSameToImageMagick() throws {
    for format in [PixelFormat.rgba16, PixelFormat(.rgba16, alpha: .opaque)] {
      let bitmap = try Bitmap.noise(23, 11, format)
      let file = try written(Image(bitmap), by: PNMCoder())
      let command = [Self.magick, "pnm:-", "-depth", "16", "-endian", "LSB", "rgba:-"]
      let seen = try #require(EaselTestPixels.Process.output(of: command, input: file))
      let expected = bitmap.withUnsafeBytes { Array($0.prefix(23 * 11 * 8)) }
      if bitmap.bytesPerRow == 23 * 8 { #expect(seen == expected, "\(format)") }
      #expect(seen.count == 23 * 11 * 8)
    }
  }
}
