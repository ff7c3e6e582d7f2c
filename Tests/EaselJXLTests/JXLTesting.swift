import CEaselColorFixtures
import EaselCore
import EaselJPEG
import EaselTestPixels
import FoundationEssentials
import Testing

@testable import EaselJXL

/// Common helpers of this module's tests.
enum JXLTesting {
  static let coder = JXLCoder()

  static func encode(
    _ image: Image, work: WorkContext = WorkContext(), _ change: (inout EncodeOptions) -> Void = { _ in }
  ) throws -> ImageBytes {
    var options = EncodeOptions()
    change(&options)
    return try coder.encode(image, as: .jxl, options: options, work: work)
  }

  static func decode(
    _ bytes: ImageBytes, work: WorkContext = WorkContext(), _ change: (inout DecodeOptions) -> Void = { _ in }
  ) throws -> Image {
    var options = DecodeOptions()
    change(&options)
    return try coder.decode(bytes, options: options, work: work)
  }

  static func probe(_ bytes: ImageBytes) throws -> ImageHeader { try coder.probe(bytes, work: WorkContext()) }

  static func jpeg(_ bitmap: Bitmap, progressive: Bool = false) throws -> ImageBytes {
    let options = EncodeOptions(quality: 0.8, progressive: progressive)
    return try JPEGCoder().encode(Image(bitmap), as: .jpeg, options: options, work: WorkContext())
  }

  static let djxl = "/usr/bin/djxl"

  static func lossless(_ options: inout EncodeOptions) { options.lossless = true }

  /// A picture of soft colours under a slowly changing alpha.
  static func softAlpha(_ width: Int, _ height: Int) throws -> Bitmap {
    let colors = try Bitmap.waves(width, height)
    return try Bitmap(width, height, .rgba8) { x, y in
      colors.components(x, y).prefix(3) + [min(255, (x * 300 / width + y * 60 / height))]
    }
  }

  /// Moving noise of four frames.
  static func moving(
    _ format: PixelFormat = .opaqueRGBA8, plays: Int = 0, width: Int = 24, height: Int = 18
  ) throws -> Frames {
    let bitmaps = try (0..<4).map { try Bitmap.noise(width, height, format, seed: UInt64($0)) }
    return Frames(
      bitmaps: bitmaps, durations: [20, 30, 500, 70].map { .milliseconds($0) }, loopCount: plays)
  }

  /// The bytes with others in place of those that begin with a text.
  static func replacing(_ text: String, by other: [UInt8], after distance: Int = 0, in bytes: [UInt8]) -> [UInt8] {
    var result = bytes
    guard let found = bytes.firstRange(of: Array(text.utf8)) else { return result }
    let start = found.lowerBound + distance
    result.replaceSubrange(start..<start + other.count, with: other)
    return result
  }

  /// The file of a program that reads pixels from a PNG; nil if it fails.
  static func written(_ program: [String], of png: ImageBytes) throws -> [UInt8]? {
    let folder = "/tmp/easel-jxl-\(UInt64.random(in: 0 ... .max))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try png.data().write(to: URL(fileURLWithPath: folder + "/in.png"))
    guard EaselTestPixels.Process.output(of: program + [folder + "/in.png", folder + "/out.jxl"], input: []) != nil
    else { return nil }
    return try? Array(Data(contentsOf: URL(fileURLWithPath: folder + "/out.jxl")))
  }
}

/// A profile of linear light, so that every middle value becomes lighter in sRGB.
func linearProfile() -> Data {
  var bytes = [UInt8](repeating: 0, count: 4096)
  let primaries = [0.64, 0.33, 0.3, 0.6, 0.15, 0.06]
  let count = easel_make_icc_profile(primaries, 1, &bytes, bytes.count)
  return Data(bytes.prefix(count))
}

extension ImageBytes {
  var array: [UInt8] { get throws { try withUnsafeBytes { Array($0) } } }
}
