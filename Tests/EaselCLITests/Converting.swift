import Easel
import Foundation
import Testing

/// Converts a picture with the program; returns its output and the picture that it wrote.
func convert(
  _ data: Data, _ options: [String], to name: String = "out.png"
) throws -> (outcome: EaselProcess.Outcome, data: Data?) {
  try Scratch.with { scratch in
    let path = try scratch.write(data, "in.png")
    let outcome = try EaselProcess.run(["convert", path, "-o", scratch.path(name)] + options)
    return (outcome, try? scratch.data(name))
  }
}

/// The picture that the program makes of another; fails if it makes none.
func converted(_ data: Data, _ options: String...) throws -> Image {
  let result = try convert(data, options)
  #expect(result.outcome.status == 0, "\(result.outcome.errors)")
  return try Pictures.decoded(try #require(result.data))
}

extension Bitmap {
  /// Pixels that cannot be compressed.
  static func noise(_ width: Int, _ height: Int) throws -> Bitmap {
    var bitmap = try Bitmap(size: PixelSize(width: width, height: height), format: .opaqueRGBA8)
    var state: UInt64 = 42
    bitmap.withUnsafeMutableBytes { bytes in
      for index in bytes.indices {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        bytes[index] = index % 4 == 3 ? 255 : UInt8(truncatingIfNeeded: state >> 56)
      }
    }
    return bitmap
  }
}
