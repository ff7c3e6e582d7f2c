import EaselCore
import EaselTestPixels

@testable import EaselTIFF

/// Common helpers of this module's tests.
enum TIFFTesting: CoderTesting {
  static let coder = TIFFCoder()

  /// Pages of one size, each noise of its own.
  static func pages(_ count: Int = 3, _ format: PixelFormat = .opaqueRGBA8) throws -> Frames {
    let bitmaps = try (0..<count).map { try Bitmap.noise(24, 18, format, seed: UInt64($0 + 1)) }
    return Frames(bitmaps: bitmaps, durations: Array(repeating: .zero, count: count), loopCount: 1)
  }
}
