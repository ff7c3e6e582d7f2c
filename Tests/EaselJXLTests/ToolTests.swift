import EaselCore
import EaselPNG
import EaselTestPixels
import EaselTestTags
import FoundationEssentials
import Testing

@testable import EaselJXL

/// Other programs read the files of this coder, and it reads theirs.
@Suite(.tags(.alone))
struct ToolTests {
  private typealias T = JXLTesting
  private static let hasTools = ["djxl", "cjxl"].allSatisfy {
    FileManager.default.isExecutableFile(atPath: "/usr/bin/" + $0)
  }
  private static let noTools: Comment = "There are no djxl and cjxl: install the package libjxl-tools."
  /// A Python with the plug-in of Pillow; nil if there is none.
  private static let python: String? = {
    guard let python = ProcessInfo.processInfo.environment["EASEL_PYTHON"],
      EaselTestPixels.Process.output(of: [python, "-c", "import pillow_jxl"], input: []) != nil
    else { return nil }
    return python
  }()

  /// The picture that djxl sees.
  private func read(_ bytes: ImageBytes) throws -> Image? {
    guard let png = try EaselTestPixels.Process.converted(bytes, from: "jxl", to: "png", by: [T.djxl]) else {
      return nil
    }
    return try PNGCoder().decode(
      png, options: DecodeOptions(convertsColor: false, keeps16Bits: true), work: WorkContext())
  }

  @Test(.enabled(if: hasTools, noTools), arguments: [PixelFormat.opaqueRGBA8, .rgba8, .gray8, .rgba16])
  func djxlReadsEveryPixel(format: PixelFormat) throws {
    let bitmap = try Bitmap.noise(101, 67, format)
    let seen = try #require(try read(T.encode(Image(bitmap), T.lossless)))
    let common = PixelFormat(format.layout == .rgba16 ? .rgba16 : .rgba8, alpha: .straight)
    #expect(try seen.bitmap.converted(to: common) == bitmap.converted(to: common))
  }

  @Test(.enabled(if: hasTools, noTools), arguments: [0.5, 0.9])
  func djxlSeesALossyPictureAsThisCoderDoes(quality: Double) throws {
    let bytes = try T.encode(Image(.waves(208, 128))) { $0.quality = quality }
    let seen = try #require(try read(bytes)).bitmap.converted(to: .opaqueRGBA8)
    #expect(try seen.signalToNoise(against: T.decode(bytes).bitmap) > 48)
  }

  @Test(.enabled(if: hasTools, noTools)) func djxlFindsTheJPEG() throws {
    let packed = try T.coder.packed(jpeg: T.jpeg(.waves(301, 203)))
    let seen = try #require(try read(packed)).bitmap.converted(to: .opaqueRGBA8)
    #expect(try seen.signalToNoise(against: T.decode(packed).bitmap) > 40)
  }

  @Test(
    .enabled(if: hasTools, noTools),
    arguments: [["-d", "0"], ["-d", "1"], ["-d", "1", "-p"], ["-d", "1", "-e", "7"]])
  func filesOfCjxlAreRead(options: [String]) throws {
    let bitmap = try Bitmap.waves(300, 280)
    let png = try PNGCoder().encode(Image(bitmap), as: .png, options: EncodeOptions(), work: WorkContext())
    let bytes = try #require(
      try EaselTestPixels.Process.converted(png, from: "png", to: "jxl", by: ["/usr/bin/cjxl"] + options))
    let image = try T.decode(bytes)
    if options[1] == "0" { #expect(image.bitmap == bitmap) }
    #expect(image.bitmap.signalToNoise(against: bitmap) > 30)
  }

  @Test(.enabled(if: python != nil, "EASEL_PYTHON names no Python with pillow-jxl-plugin."))
  func thePlugInOfPillowSeesTheSame() throws {
    // It knows no animations.
    let script = """
      import io, sys
      from PIL import Image
      import pillow_jxl
      image = Image.open(io.BytesIO(sys.stdin.buffer.read()))
      count = getattr(image, "n_frames", 1)
      head = [count, image.width, image.height, len(image.info.get("icc_profile") or b"") > 0, image.getexif().get(315, "-")]
      out = b""
      for index in range(count):
        image.seek(index)
        out += image.convert("RGBA").tobytes()
      sys.stdout.buffer.write(" ".join(map(str, head)).encode() + b";" + out)
      """
    let noise = try Bitmap.noise(31, 22, .rgba8)
    var metadata = ImageMetadata(storedSize: noise.size)
    metadata.iccProfile = LinearProfile.colors
    metadata.exif = Data("MM\0*\0\0\0\u{8}\0\u{1}\u{1}\u{3B}\0\u{2}\0\0\0\u{3}me\0\0\0\0\0\0".utf8)
    let files: [(ImageBytes, String, [Bitmap])] = [
      (try T.encode(Image(noise), T.lossless), "1 31 22", [noise]),
      (
        try T.encode(Image(noise, metadata: metadata)) {
          $0.lossless = true
          $0.keepsMetadata = true
        }, "1 31 22 True me", [noise]
      ),
    ]
    for (bytes, expected, frames) in files {
      let output = try #require(
        EaselTestPixels.Process.output(of: [Self.python!, "-c", script], input: try bytes.array), "\(expected)")
      let end = try #require(output.firstIndex(of: UInt8(ascii: ";")))
      let head = String(decoding: output[..<end], as: UTF8.self)
      #expect(head.hasPrefix(expected), "\(head)")
      let pixels = frames.flatMap { frame in
        (0..<frame.height).flatMap { y in (0..<frame.width).flatMap { frame.components($0, y).map(UInt8.init) } }
      }
      #expect(Array(output[(end + 1)...]) == pixels, "\(expected)")
    }
  }
}
