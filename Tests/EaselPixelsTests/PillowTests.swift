import EaselCore
import EaselPixels
import EaselTestPixels
import EaselTestTags
import FoundationEssentials
import Testing

/// Compares with Pillow, if the environment names a Python that has it.
@Suite(.tags(.alone))
struct PillowTests {
  private static let python = ProcessInfo.processInfo.environment["EASEL_PYTHON"]

  /// Runs an expression of Pillow on premultiplied pixels; the result is premultiplied too.
  private func pillow(_ bitmap: Bitmap, _ expression: String) -> [UInt8]? {
    guard let python = Self.python else {
      print("skipped: EASEL_PYTHON names no Python with Pillow and numpy")
      return nil
    }
    let script = """
      import sys
      from PIL import Image, ImageFilter
      image = Image.frombytes("RGBa", (\(bitmap.width), \(bitmap.height)), sys.stdin.buffer.read())
      bands = [\(expression) for band in image.split()]
      sys.stdout.buffer.write(Image.merge("RGBa", bands).tobytes())
      """
    let pixels = bitmap.withUnsafeBytes(Array.init)
    let result = EaselTestPixels.Process.output(of: [python, "-c", script], input: pixels)
    if result == nil { print("skipped: \(python) has no Pillow") }
    return result
  }

  private func largestDifference(_ ours: Bitmap, _ theirs: [UInt8]) -> Int {
    let bytes = ours.withUnsafeBytes(Array.init)
    guard bytes.count == theirs.count else { return .max }
    return zip(bytes, theirs).reduce(0) { max($0, abs(Int($1.0) - Int($1.1))) }
  }

  private static let premultiplied = PixelFormat(.rgba8, alpha: .premultiplied)

  @Test(arguments: Bitmap.ResampleFilter.allCases)
  func everyFilterIsWithinOneLevel(filter: Bitmap.ResampleFilter) throws {
    let name = ["NEAREST", "BOX", "BILINEAR", "BICUBIC", "LANCZOS"][filter.rawValue]
    let bitmap = try Bitmap.noise(97, 61, Self.premultiplied)
    for size in [PixelSize(width: 24, height: 15), PixelSize(width: 150, height: 201), PixelSize(width: 1, height: 9)] {
      let resized = try bitmap.resized(to: size, filter: filter)
      guard let theirs = pillow(bitmap, "band.resize((\(size.width), \(size.height)), Image.\(name))") else { return }
      // Pillow lets colours exceed alpha, which is invalid for premultiplied pixels; this library does not.
      let bounded = stride(from: 0, to: theirs.count, by: 4).flatMap { start in
        (0..<4).map { min(theirs[start + $0], theirs[start + 3]) }
      }
      #expect(largestDifference(resized, bounded) <= 1, "\(size)")
    }
  }

  @Test(arguments: [0.7, 2, 5.5])
  func aBlurIsWithinTwoLevels(radius: Double) throws {
    let bitmap = try Bitmap.noise(97, 61, Self.premultiplied)
    guard let theirs = pillow(bitmap, "band.filter(ImageFilter.GaussianBlur(\(radius)))") else { return }
    #expect(try largestDifference(bitmap.blurred(radius: radius), theirs) <= 2)
  }
}
