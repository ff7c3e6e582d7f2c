import EaselCore
import EaselPixels
import EaselTestPixels
import EaselTestTags
import FoundationEssentials
import Testing

struct DifferenceTests {
  private static let formats: [PixelFormat] = [
    .gray8, .opaqueRGBA8, PixelFormat(.rgba8, alpha: .premultiplied), PixelFormat(.rgba16, alpha: .opaque),
    PixelFormat(.rgba16, alpha: .premultiplied),
  ]

  @Test(arguments: formats)
  func equalPicturesAreExactlyEqual(_ format: PixelFormat) throws {
    let bitmap = try Bitmap.noise(37, 29, format)
    let difference = bitmap.difference(from: bitmap)
    #expect(difference.largest == 0 && difference.pixels == 0 && difference.signalToNoise == .infinity)
    #expect(try bitmap.similarity(to: bitmap) == 1)
  }

  @Test func oneStepInOnePixel() throws {
    let first = try Bitmap(10, 10, .opaqueRGBA8) { _, _ in [100, 100, 100, 255] }
    let second = try Bitmap(10, 10, .opaqueRGBA8) { x, y in
      x == 9 && y == 9 ? [100, 102, 99, 255] : [100, 100, 100, 255]
    }
    let difference = first.difference(from: second)
    #expect(difference.largest == 2 && difference.pixels == 1 && difference.peak == 255)
    #expect(difference.squares == 5 && difference.components == 300)
    #expect(abs(difference.signalToNoise - 65.912) < 0.001)
    let similarity = try first.similarity(to: second)
    #expect(similarity < 1 && similarity > 0.99)
  }

  @Test func whatADeepPictureHasMoreIsSeen() throws {
    let shallow = try Bitmap(8, 8, .opaqueRGBA8) { _, _ in [10, 20, 30, 255] }
    let deep = try Bitmap(8, 8, PixelFormat(.rgba16, alpha: .opaque)) { _, _ in
      [10 * 257, 20 * 257 + 1, 30 * 257, 65_535]
    }
    let (left, right) = try Bitmap.comparable(shallow, deep)
    let difference = left.difference(from: right)
    #expect(difference.peak == 65_535 && difference.largest == 1 && difference.pixels == 64)
  }

  @Test func coloursUnderTransparentPixelsDoNotCount() throws {
    let red = try Bitmap(9, 9, .rgba8) { _, _ in [255, 0, 0, 0] }
    let blue = try Bitmap(9, 9, .rgba8) { _, _ in [0, 0, 255, 0] }
    let (left, right) = try Bitmap.comparable(red, blue)
    #expect(left.difference(from: right).largest == 0)
    let gray = try Bitmap(9, 9, .gray8) { _, _ in [0] }
    let (seen, other) = try Bitmap.comparable(gray, red)
    #expect(seen.difference(from: other).largest == 255, "Black is not transparent.")
  }

  @Test func aDifferenceOfAlphaAloneIsSeenOverWhite() throws {
    let solid = try Bitmap(16, 16, .rgba8) { _, _ in [0, 0, 0, 255] }
    let holes = try Bitmap(16, 16, .rgba8) { x, _ in [0, 0, 0, x < 8 ? 255 : 0] }
    let (left, right) = try Bitmap.comparable(solid, holes)
    #expect(try left.similarity(to: right) < 0.7)
  }

  @Test func theDrawingShowsWhatDiffers() throws {
    let first = try Bitmap(4, 1, .opaqueRGBA8) { _, _ in [90, 90, 90, 255] }
    let second = try Bitmap(4, 1, .opaqueRGBA8) { x, _ in [90, 90, [90, 91, 120, 255][x], 255] }
    let drawing = try first.drawnDifference(from: second)
    #expect(drawing.components(0, 0) == [29, 29, 29, 255] || drawing.components(0, 0) == [30, 30, 30, 255])
    #expect(drawing.components(1, 0) == [104, 0, 0, 255])
    #expect(drawing.components(2, 0) == [255, 81, 0, 255])
    #expect(drawing.components(3, 0) == [255, 255, 255, 255])
    let deep = try Bitmap.comparable(
      first,
      Bitmap(4, 1, PixelFormat(.rgba16, alpha: .opaque)) { _, _ in
        [90 * 257, 90 * 257, 90 * 257 + 3, 65_535]
      })
    #expect(try deep.0.drawnDifference(from: deep.1).components(0, 0) == [104, 0, 0, 255])
  }

  /// A picture and a changed copy of it.
  private static func pair(_ format: PixelFormat, _ size: (Int, Int)) throws -> [Bitmap] {
    let first = try Bitmap.noise(size.0, size.1, format, seed: 3)
    var second = first
    second.withUnsafeMutableBytes { bytes in
      let samples = format.bytesPerPixel
      for index in stride(from: 0, to: bytes.count, by: 5) {
        // The alpha of opaque pixels stays.
        if format.alpha == .opaque, samples > 1, index % samples >= samples * 3 / 4 { continue }
        bytes[index] ^= UInt8((index * 7 + 3) & 31)
      }
    }
    if format.alpha == .premultiplied {
      second.assumeAlpha(.straight)
      second = try second.converted(to: format)
    }
    return [first, second]
  }

  /// The same figures by numpy, of pictures whose sides are no multiples of a block, and of tiny ones.
  @Test(.tags(.alone)) func numpyAgrees() throws {
    guard let python = ProcessInfo.processInfo.environment["EASEL_PYTHON"] else {
      print("skipped: EASEL_PYTHON names no Python with numpy")
      return
    }
    let cases = Self.formats.flatMap { format in
      [(64, 48), (37, 29), (11, 7), (3, 20), (2, 1)].map { (format: format, size: $0) }
    }
    let pairs = try cases.map { try Self.pair($0.format, $0.size) }
    let bytes = pairs.joined().flatMap { bitmap in
      bitmap.withUnsafeBytes { raw in
        (0..<bitmap.height).flatMap {
          raw[($0 * bitmap.bytesPerRow)...].prefix(bitmap.width * bitmap.format.bytesPerPixel)
        }
      }
    }
    let words = cases.flatMap { format, size in
      let numbers = [size.0, size.1, format.layout == .gray8 ? 1 : 4, format.layout == .rgba16 ? 2 : 1]
      return (numbers + [format.alpha == .opaque ? 1 : 0]).map { "\($0)" }
    }
    let output = EaselTestPixels.Process.output(of: [python, "-c", Self.script] + words, input: bytes)
    let figures = try #require(output.map { String(decoding: $0, as: UTF8.self) }, "numpy did not run")
      .split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
    try #require(figures.count == 3 * cases.count)
    for (index, (pair, (format, size))) in zip(pairs, cases).enumerated() {
      let (difference, name) = (pair[0].difference(from: pair[1]), "\(format) \(size)")
      #expect(abs(difference.signalToNoise - figures[3 * index]) < 1e-9, "\(name)")
      #expect(Double(difference.largest) == figures[3 * index + 1], "\(name)")
      #expect(abs(try pair[0].similarity(to: pair[1]) - figures[3 * index + 2]) < 1e-9, "\(name)")
    }
  }

  private static let script = """
    import sys, numpy as np
    numbers, rest = list(map(int, sys.argv[1:])), sys.stdin.buffer.read()

    def luma(p, white):
        if samples == 1: return p[..., 0]
        y = np.floor((19595 * p[..., 0] + 38470 * p[..., 1] + 7471 * p[..., 2] + 32768) / 65536)
        return np.minimum(y + (peak - p[..., 3] if white else 0), peak)

    def starts(side):
        count = max(1, side // 4)
        ends = [4 * (i + 1) for i in range(count)]
        ends[-1] = side
        return [(4 * i, ends[min(i + 1, count - 1)]) for i in range(max(1, count - 1))]

    def ssim(x, y):
        c1, c2, results = (0.01 * peak) ** 2, (0.03 * peak) ** 2, []
        for top, bottom in starts(height):
            for left, right in starts(width):
                p, q = x[top:bottom, left:right].ravel(), y[top:bottom, left:right].ravel()
                if p.size > 1:
                    (vp, c), (_, vq) = np.cov(p, q)
                else:
                    vp = vq = c = 0
                mp, mq = p.mean(), q.mean()
                results.append((2 * mp * mq + c1) * (2 * c + c2) / ((mp ** 2 + mq ** 2 + c1) * (vp + vq + c2)))
        return np.mean(results)

    for index in range(0, len(numbers), 5):
        width, height, samples, depth, opaque = numbers[index:index + 5]
        count = 2 * height * width * samples * depth
        data = np.frombuffer(rest[:count], np.uint8 if depth == 1 else np.uint16).astype(np.float64)
        rest = rest[count:]
        a, b = data.reshape(2, height, width, samples)
        peak = 255 if depth == 1 else 65535
        seen = slice(0, 3) if opaque and samples == 4 else slice(0, samples)
        error = (a[..., seen] - b[..., seen])
        psnr = 10 * np.log10(peak ** 2 / np.mean(error ** 2))
        whites = [False] if opaque else [False, True]
        least = min(ssim(luma(a, w), luma(b, w)) for w in whites)
        print(repr(float(psnr)), float(np.abs(error).max()), repr(float(least)))
    """
}
