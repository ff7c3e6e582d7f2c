import EaselCore
import EaselPixels
import EaselTestPixels
import EaselTestTags
import FoundationEssentials
import Glibc
import Testing

@testable import EaselWebP

/// Other programs read the files of this coder.
@Suite(.tags(.alone))
struct ToolTests {
  private typealias T = WebPTesting
  private static let python = ProcessInfo.processInfo.environment["EASEL_PYTHON"]
  private static let hasWebPInfo = FileManager.default.isExecutableFile(atPath: "/usr/bin/webpinfo")

  /// A file of every kind, and its expected frames.
  private static func files() throws -> [(name: String, bytes: ImageBytes, frames: [Bitmap])] {
    let noise = try Bitmap.noise(31, 22, .rgba8)
    let opaque = try Bitmap.waves(40, 30)
    let covering = try Bitmap(9, 9, .white)
    var metadata = ImageMetadata(storedSize: noise.size, orientation: .left)
    metadata.iccProfile = Data((0..<301).map { UInt8($0 % 251) })
    metadata.xmp = Data("<x:xmpmeta/>".utf8)
    let bitmaps = try (0..<4).map { try Bitmap.noise(24, 10, .rgba8, seed: UInt64($0 / 2)) }
    let frames = Frames(
      bitmaps: bitmaps, durations: [20, 30, 40, 50].map { .milliseconds($0) }, loopCount: 5)
    return [
      ("lossless", try T.encode(Image(noise), T.lossless), [noise]),
      ("opaque", try T.encode(Image(opaque), T.lossless), [opaque]),
      ("covering", try T.encode(Image(covering), T.lossless), [covering]),
      ("covering and lossy", try T.encode(Image(covering)), []),
      ("lossy", try T.encode(Image(opaque)), []), ("lossy with alpha", try T.encode(Image(noise)), []),
      (
        "metadata",
        try T.encode(Image(noise, metadata: metadata)) {
          T.lossless(&$0)
          $0.keepsMetadata = true
        }, [noise]
      ),
      ("moving", try T.encode(frames.image, T.lossless), bitmaps), ("moving and lossy", try T.encode(frames.image), []),
    ]
  }

  @Test(.enabled(if: hasWebPInfo, "There is no webpinfo: install the package webp."))
  func webpinfoFindsNothingWrong() throws {
    for (name, bytes, _) in try Self.files() {
      let path = "/tmp/easel-webp-\(UInt64.random(in: 0 ... .max)).webp"
      try bytes.data().write(to: URL(fileURLWithPath: path))
      defer { try? FileManager.default.removeItem(atPath: path) }
      let output = EaselTestPixels.Process.output(of: ["/usr/bin/webpinfo", "-bitstream_info", path], input: [])
      let text = String(decoding: try #require(output, "\(name)"), as: UTF8.self)
      #expect(text.contains("No error detected."), "\(name): \(text)")
      #expect(!text.contains("Warning"), "\(name): \(text)")
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
        delays.append(str(image.info.get("duration", 0)))
      profile = image.info.get("icc_profile") or b""
      turn = image.getexif().get(0x112, 1)
      head = [count, image.width, image.height, image.info.get("loop", 0), len(profile), turn, ",".join(delays)]
      sys.stdout.buffer.write(" ".join(map(str, head)).encode() + b";" + out)
      """
    for (name, bytes, frames) in try Self.files() {
      let output = EaselTestPixels.Process.output(of: [Self.python!, "-c", script], input: try bytes.array)
      let seen = try #require(output, "\(name)")
      let end = try #require(seen.firstIndex(of: UInt8(ascii: ";")))
      let head = String(decoding: seen[..<end], as: UTF8.self)
      switch name {
      case "metadata": #expect(head == "1 31 22 1 301 8 0", "\(name)")
      case "moving": #expect(head == "4 24 10 5 0 1 20,30,40,50", "\(name)")
      case "moving and lossy": #expect(head == "4 24 10 5 0 1 20,30,40,50", "\(name)")
      default: #expect(head.hasPrefix("1 "), "\(name)")
      }
      let pixels = frames.flatMap { frame in frame.withUnsafeBytes { Array($0) } }
      if !frames.isEmpty { #expect(Array(seen[(end + 1)...]) == pixels, "\(name)") }
    }
  }

  @Test func libwebpPrintsNothing() async throws {
    let child = try await #require(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let noise = try T.encode(Image(Bitmap.noise(31, 22, .rgba8))).array
      for count in stride(from: 0, to: noise.count, by: 3) {
        _ = try? T.decode(ImageBytes(Array(noise[..<count])))
        var damaged = noise
        damaged[count] ^= 0x55
        _ = try? T.decode(ImageBytes(damaged)) { $0.damaged = .show }
      }
    }
    #expect(String(decoding: child.standardErrorContent, as: UTF8.self) == "")
  }
}
