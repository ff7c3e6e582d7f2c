import EaselCoding
import EaselCore
import EaselPixels
import EaselTestPixels
import EaselTestTags
import FoundationEssentials
import Glibc
import Testing

@testable import EaselTIFF

/// Other programs read the files of this coder, and it reads theirs.
@Suite(.tags(.alone))
struct ToolTests {
  private typealias T = TIFFTesting
  private static let python = ProcessInfo.processInfo.environment["EASEL_PYTHON"]
  private static let hasTools = ["tiffcp", "tiffinfo"].allSatisfy {
    FileManager.default.isExecutableFile(atPath: "/usr/bin/" + $0)
  }
  private static let noTools: Comment = "There are no tiffcp and tiffinfo: install the package libtiff-tools."

  /// The file that a program writes from another; nil if it fails.
  private func written(_ program: [String], of bytes: ImageBytes) throws -> ImageBytes? {
    try EaselTestPixels.Process.converted(bytes, from: "tif", to: "tif", by: program)
  }

  /// The ways in which tiffcp stores pixels without loss.
  static let ways: [[String]] = [
    ["-c", "none"], ["-c", "lzw"], ["-c", "lzw:2"], ["-c", "zip"], ["-c", "zip:2"], ["-c", "packbits"], ["-c", "zstd"],
    ["-c", "lzma"], ["-c", "none", "-r", "1"], ["-c", "zip", "-r", "100000"], ["-c", "lzw", "-p", "separate"],
    ["-c", "zip", "-p", "separate", "-r", "100000"], ["-c", "none", "-B"], ["-c", "zip:2", "-B", "-r", "7"],
    ["-c", "lzw", "-t", "-w", "64", "-l", "32"], ["-c", "zip:2", "-t", "-w", "16", "-l", "128", "-B"],
    ["-c", "none", "-t", "-w", "32", "-l", "32", "-p", "separate"], ["-c", "none", "-f", "lsb2msb"],
    ["-8", "-c", "lzw"],
    ["-8", "-c", "zip", "-t", "-w", "128", "-l", "128"],
  ]

  @Test(.enabled(if: hasTools, noTools), arguments: ways)
  func howeverTheyAreStoredThePixelsAreTheSame(_ way: [String]) throws {
    // tiffcp divides only bytes into planes.
    let wide: [PixelFormat] = way.contains("separate") ? [] : [.rgba16, .gray8]
    for format in [PixelFormat.opaqueRGBA8, .rgba8] + wide {
      let bitmap = try Bitmap.noise(201, 119, format)
      let plain = try T.encode(Image(bitmap))
      let bytes = try #require(try written(["/usr/bin/tiffcp"] + way, of: plain), "\(way)")
      let expected = try T.decode(plain) { $0.keeps16Bits = true }.bitmap
      #expect(try T.decode(bytes) { $0.keeps16Bits = true }.bitmap == expected, "\(way) \(format)")
      let small = try T.decode(bytes) { $0.thumbnailSize = PixelSize(width: 50, height: 50) }
      #expect(try small.bitmap == T.decode(plain).bitmap.resized(to: small.size, linearLight: true))
    }
  }

  @Test(
    .enabled(if: hasTools, noTools),
    arguments: [["-c", "jpeg:90"], ["-c", "jpeg:r:90"], ["-c", "webp"], ["-c", "lerc"]])
  func withLossTheyComeNear(_ way: [String]) throws {
    let bitmap = try Bitmap.waves(208, 128)
    let bytes = try #require(try written(["/usr/bin/tiffcp"] + way, of: T.encode(Image(bitmap))), "\(way)")
    #expect(try T.decode(bytes).bitmap.signalToNoise(against: bitmap) > 26, "\(way)")
  }

  @Test(.enabled(if: hasTools, noTools), arguments: ["g3", "g3:2d", "g3:1d:fill", "g4", "packbits", "lzw"])
  func blackAndWhiteIsReadFromEveryFax(_ way: String) throws {
    let bits = (0..<64 * 40 / 8).map { UInt8(truncatingIfNeeded: $0 * 37 ^ $0 >> 3) }
    let plain = ImageBytes(HandmadeTIFF(.init(64, 40, bits: [1], photometric: 0, strips: [bits])).bytes)
    let bytes = try #require(try written(["/usr/bin/tiffcp", "-c", way], of: plain))
    #expect(try T.decode(bytes).bitmap == T.decode(plain).bitmap)
    #expect(try T.decode(plain).bitmap.components(0, 0)[0] == (bits[0] & 128 != 0 ? 0 : 255))
  }

  @Test(.enabled(if: hasTools, noTools)) func tiffinfoReadsEveryByteOfWhatIsWritten() throws {
    var metadata = ImageMetadata(storedSize: PixelSize(width: 24, height: 18), orientation: .right)
    metadata.iccProfile = LinearProfile.colors
    metadata.xmp = Data("<x:xmpmeta/>".utf8)
    metadata.density = ImageMetadata.Density(horizontal: 300, vertical: 300)
    for compression in TIFFCompression.allCases {
      for format in [PixelFormat.rgba8, PixelFormat(.rgba16, alpha: .opaque)] {
        var image = try T.pages(2, format).image
        image.metadata = metadata
        let bytes = try T.encode(image) {
          $0.keepsMetadata = true
          $0.settings[.tiffCompression] = compression
        }
        let text = try T.inFolder { folder in
          try bytes.data().write(to: URL(fileURLWithPath: folder + "/in.tif"))
          let command = "/usr/bin/tiffinfo -D \(folder)/in.tif 2>&1"
          return EaselTestPixels.Process.output(of: ["/bin/sh", "-c", command], input: [])
        }
        let said = String(decoding: try #require(text), as: UTF8.self)
        for expected in ["Image Width: 24 Image Length: 18", "Resolution: 300, 300", "ICC Profile", "XMLPacket"] {
          #expect(said.contains(expected), "\(expected) is missing in: \(said)")
        }
        #expect(!said.contains("arning") && !said.contains("rror"), "\(said)")
      }
    }
  }

  @Test(.enabled(if: python != nil, "EASEL_PYTHON names no Python with Pillow."))
  func pillowSeesTheSamePages() throws {
    let script = """
      import io, sys
      from PIL import Image
      image = Image.open(io.BytesIO(sys.stdin.buffer.read()))
      count = getattr(image, "n_frames", 1)
      head = [count, image.width, image.height, len(image.info.get("icc_profile") or b""), image.getexif().get(0x112, 1)]
      out = b""
      for index in range(count):
        image.seek(index)
        out += image.convert("RGBA").tobytes()
      sys.stdout.buffer.write(" ".join(map(str, head)).encode() + b";" + out)
      """
    let noise = try Bitmap.noise(31, 22, .rgba8)
    let gray = try Bitmap.noise(31, 22, .gray8)
    var metadata = ImageMetadata(storedSize: noise.size)
    metadata.iccProfile = Data((0..<301).map { UInt8($0 % 251) })
    let pages = try T.pages(3, .rgba8)
    for compression in TIFFCompression.allCases {
      func write(_ image: Image) throws -> ImageBytes {
        try T.encode(image) { $0.settings[.tiffCompression] = compression }
      }
      let files: [(ImageBytes, String, [Bitmap])] = [
        (try write(Image(noise)), "1 31 22 0 1", [noise]),
        (try write(Image(gray)), "1 31 22 0 1", [try gray.converted(to: .opaqueRGBA8)]),
        (try write(Image(noise, metadata: metadata)), "1 31 22 301 1", [noise]),
        (try write(pages.image), "3 24 18 0 1", pages.bitmaps),
      ]
      for (bytes, expected, frames) in files {
        let output = EaselTestPixels.Process.output(of: [Self.python!, "-c", script], input: try bytes.array)
        let seen = try #require(output, "\(expected)")
        let end = try #require(seen.firstIndex(of: UInt8(ascii: ";")))
        #expect(String(decoding: seen[..<end], as: UTF8.self) == expected)
        #expect(Array(seen[(end + 1)...]) == frames.flatMap { frame in frame.withUnsafeBytes { Array($0) } })
      }
    }
  }

  private static let magick = "/usr/bin/convert"

  @Test(
    .enabled(
      if: FileManager.default.isExecutableFile(atPath: magick),
      "There is no ImageMagick: install the package imagemagick."))
  func imageMagickSeesTheSamePixels() throws {
    for compression in TIFFCompression.allCases {
      for format in [PixelFormat.opaqueRGBA8, .gray8, .rgba16] {
        let bitmap = try Bitmap.noise(32, 17, format)
        let bytes = try T.encode(Image(bitmap)) { $0.settings[.tiffCompression] = compression }
        let depth = format.layout == .rgba16 ? "16" : "8"
        let command = [Self.magick, "tiff:-", "-depth", depth, "-endian", "LSB", "rgba:-"]
        let seen = try #require(EaselTestPixels.Process.output(of: command, input: try bytes.array))
        let pixels = format.layout == .gray8 ? try bitmap.converted(to: .opaqueRGBA8) : bitmap
        #expect(pixels.bytesPerRow == 32 * pixels.format.bytesPerPixel)
        #expect(seen == pixels.withUnsafeBytes { Array($0) }, "\(compression) \(format)")
      }
    }
  }

  @Test func nothingIsPrinted() async throws {
    let child = try await #require(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let picture = try T.encode(T.pages(2).image).array
      for place in 0..<picture.count {
        var damaged = picture
        damaged[place] ^= 0x55
        _ = try? T.decode(ImageBytes(damaged)) { $0.damaged = .show }
      }
    }
    #expect(String(decoding: child.standardErrorContent, as: UTF8.self) == "")
  }
}
