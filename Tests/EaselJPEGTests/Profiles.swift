import CEaselColorFixtures
import EaselCore
import FoundationEssentials

@testable import EaselJPEG

/// Colour profiles that the tests make.
enum Profiles {
  static let displayP3 = profile([0.680, 0.320, 0.265, 0.690, 0.150, 0.060], gamma: 2.2)
  static let adobeRGB = profile([0.64, 0.33, 0.21, 0.71, 0.15, 0.06], gamma: 563.0 / 256)
  static let gray = profile(nil, gamma: 1.8)

  static let inks = {
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    let count = easel_make_cmyk_icc_profile(&bytes, bytes.count)
    return Data(bytes[..<count])
  }()

  private static func profile(_ primaries: [Double]?, gamma: Double) -> Data {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count =
      primaries.map { easel_make_icc_profile($0, gamma, &bytes, bytes.count) }
      ?? easel_make_icc_profile(nil, gamma, &bytes, bytes.count)
    return Data(bytes[..<count])
  }

  /// The file with a profile inserted, in as many segments as needed.
  static func inserting(_ profile: Data, into file: ImageBytes) throws -> ImageBytes {
    let part = JPEGProfilePieces.mostBytes
    let total = (profile.count + part - 1) / part
    let segments = (0..<total).map { index in
      Pictures.segment(
        0xE2,
        JPEGProfilePieces.marker + [UInt8(index + 1), UInt8(total)] + profile.dropFirst(index * part).prefix(part))
    }
    return try Pictures.inserting(segments, into: file)
  }
}
