import CEaselColorFixtures
import EaselCore
import EaselTestPixels
import FoundationEssentials
import Testing

@testable import EaselTIFF

/// Common helpers of this module's tests.
enum TIFFTesting {
  static let coder = TIFFCoder()

  static func encode(
    _ image: Image, work: WorkContext = WorkContext(), _ change: (inout EncodeOptions) -> Void = { _ in }
  ) throws -> ImageBytes {
    var options = EncodeOptions()
    change(&options)
    return try coder.encode(image, as: .tiff, options: options, work: work)
  }

  static func decode(
    _ bytes: ImageBytes, work: WorkContext = WorkContext(), _ change: (inout DecodeOptions) -> Void = { _ in }
  ) throws -> Image {
    var options = DecodeOptions()
    change(&options)
    return try coder.decode(bytes, options: options, work: work)
  }

  static func probe(_ bytes: ImageBytes) throws -> ImageHeader { try coder.probe(bytes, work: WorkContext()) }

  /// Pages of one size, each noise of its own.
  static func pages(_ count: Int = 3, _ format: PixelFormat = .opaqueRGBA8) throws -> Frames {
    let bitmaps = try (0..<count).map { try Bitmap.noise(24, 18, format, seed: UInt64($0 + 1)) }
    return Frames(bitmaps: bitmaps, durations: Array(repeating: .zero, count: count), loopCount: 1)
  }

  /// The file that a program writes from another; nil if it fails.
  static func written(_ program: [String], of bytes: ImageBytes) throws -> ImageBytes? {
    try inFolder { folder in
      try bytes.data().write(to: URL(fileURLWithPath: folder + "/in.tif"))
      let command = program + [folder + "/in.tif", folder + "/out.tif"]
      guard EaselTestPixels.Process.output(of: command, input: []) != nil else { return nil }
      return try? ImageBytes(contentsOfFile: folder + "/out.tif").loaded()
    }
  }

  static func inFolder<Result>(_ body: (String) throws -> Result) throws -> Result {
    let folder = "/tmp/easel-tiff-\(UInt64.random(in: 0 ... .max))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    return try body(folder)
  }

  /// The error of decoding; nil when it succeeds.
  static func failure(
    _ bytes: [UInt8], work: WorkContext = WorkContext(), _ change: (inout DecodeOptions) -> Void = { _ in }
  ) -> ImageError? {
    do {
      _ = try decode(ImageBytes(bytes), work: work, change)
      return nil
    } catch {
      return error as? ImageError
    }
  }

  /// A profile of linear light, so that every middle value becomes lighter in sRGB.
  static func linearProfile(isGray: Bool = false) -> Data {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let primaries = [0.64, 0.33, 0.3, 0.6, 0.15, 0.06]
    let count = easel_make_icc_profile(isGray ? nil : primaries, 1, &bytes, bytes.count)
    return Data(bytes.prefix(count))
  }
}

extension ImageBytes {
  var array: [UInt8] { get throws { try withUnsafeBytes { Array($0) } } }
}
