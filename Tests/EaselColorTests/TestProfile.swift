import CEaselColorFixtures
import FoundationEssentials

/// Profiles that the tests make or take from the corpus.
enum TestProfile {
  static let displayP3 = make([0.680, 0.320, 0.265, 0.690, 0.150, 0.060], gamma: 2.2)
  static let wideGamut = make([0.735, 0.265, 0.115, 0.826, 0.120, 0.020], gamma: 1.8)
  static let gray18 = make(nil, gamma: 1.8)

  private static func make(_ primaries: [Double]?, gamma: Double) -> Data {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count =
      primaries.map { easel_make_icc_profile($0, gamma, &bytes, bytes.count) }
      ?? easel_make_icc_profile(nil, gamma, &bytes, bytes.count)
    return Data(bytes[..<count])
  }

  static let inks = {
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    let count = easel_make_cmyk_icc_profile(&bytes, bytes.count)
    return Data(bytes[..<count])
  }()

  /// The profile of a JPEG of the corpus; nil without the corpus or the file.
  static func ofCorpusJPEG(_ path: String) -> Data? {
    guard let root = ProcessInfo.processInfo.environment["EASEL_CORPUS"] ?? defaultCorpus,
      let bytes = try? Data(contentsOf: URL(filePath: root + "/jpeg/" + path))
    else { return nil }
    return profile(inJPEG: [UInt8](bytes))
  }

  private static var defaultCorpus: String? {
    let path = "../shared/corpus"
    return FileManager.default.fileExists(atPath: path) ? path : nil
  }

  /// Joins the pieces of the APP2 segments, which are in order in the files of the tests.
  private static func profile(inJPEG bytes: [UInt8]) -> Data? {
    let marker = Array("ICC_PROFILE".utf8) + [0]
    var profile = Data()
    var position = 2
    while position + 4 <= bytes.count, bytes[position] == 0xFF, bytes[position + 1] != 0xDA {
      let length = Int(bytes[position + 2]) << 8 | Int(bytes[position + 3])
      let segment = bytes[(position + 4)..<min(bytes.count, position + 2 + length)]
      if bytes[position + 1] == 0xE2, segment.starts(with: marker) { profile += segment.dropFirst(14) }
      position += 2 + length
    }
    return profile.isEmpty ? nil : profile
  }
}
