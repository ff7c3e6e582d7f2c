import EaselCore
import EaselPixels
import EaselTestPixels
import EaselTestTags
import FoundationEssentials
import Testing

@testable import EaselGIF

/// Other programs read the files of this coder.
@Suite(.tags(.alone))
struct OtherReadersTests {
  private static let python = ProcessInfo.processInfo.environment["EASEL_PYTHON"]
  private static let hasGiftext = FileManager.default.isExecutableFile(atPath: "/usr/bin/giftext")

  private func frames(hasAlpha: Bool) throws -> Frames {
    let bitmaps = try (0..<5).map { step in
      try Bitmap(31, 17, hasAlpha ? .rgba8 : .opaqueRGBA8) { x, y in
        hasAlpha && (x + step * 3) % 11 < 4 ? [0, 0, 0, 0] : [x * 8, (y + step) % 5 * 50, step * 20, 255]
      }
    }
    return Frames(bitmaps: bitmaps, durations: (0..<5).map { .milliseconds(40 + 10 * $0) }, loopCount: 4)
  }

  private func file(_ image: Image) throws -> [UInt8] {
    try GIFCoder().encode(image, as: .gif, options: EncodeOptions(), work: WorkContext()).withUnsafeBytes(Array.init)
  }

  @Test(
    .enabled(if: python != nil, "EASEL_PYTHON names no Python with Pillow: nothing is compared with it."),
    arguments: [false, true])
  func pillowSeesTheSameFrames(hasAlpha: Bool) throws {
    let frames = try frames(hasAlpha: hasAlpha)
    let script = """
      import sys, io
      from PIL import Image
      image = Image.open(io.BytesIO(sys.stdin.buffer.read()))
      out = bytes([image.n_frames, image.info["loop"]])
      for index in range(image.n_frames):
          image.seek(index)
          out += bytes([image.info["duration"]])
          pixels = image.convert("RGBA").tobytes()
          out += b"".join(bytes(4) if pixels[i + 3] == 0 else pixels[i:i + 4] for i in range(0, len(pixels), 4))
      sys.stdout.buffer.write(out)
      """
    let python = try #require(Self.python)
    let output = try #require(
      EaselTestPixels.Process.output(of: [python, "-c", script], input: file(frames.image)))
    // Pillow reports the number of repeats.
    var expected: [UInt8] = [5, 3]
    for index in 0..<5 {
      expected.append(UInt8(frames.duration(at: index) / .milliseconds(1)))
      expected += frames.bitmaps[index].withUnsafeBytes(Array.init)
    }
    #expect(output == expected)
  }

  @Test(.enabled(if: hasGiftext, "giftext of giflib-tools is not installed: nothing is read with it."))
  func giflibReadsWhatIsWritten() throws {
    let text = { (image: Image) in
      EaselTestPixels.Process.output(of: ["/usr/bin/giftext"], input: try file(image)).map {
        String(decoding: $0, as: UTF8.self)
      }
    }
    let moving = try #require(try text(frames(hasAlpha: true).image))
    #expect(moving.contains("Screen Size - Width = 31, Height = 17."))
    #expect(moving.contains("Image #5:") && !moving.contains("Image #6:"))
    #expect(moving.contains("GIF file terminated normally."))
    let photo = try #require(try text(Image(Bitmap.waves(50, 40))))
    #expect(photo.contains("GIF file terminated normally."))
  }
}
