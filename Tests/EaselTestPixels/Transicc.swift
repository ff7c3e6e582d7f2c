import FoundationEssentials

/// The colour calculator of Little CMS, run on many colours at once.
package enum Transicc {
  package static let isThere = convert([[0, 0, 0]], from: nil) != nil

  /// Converts colours of 0 to 255, or of 0 to 100 for CMYK; nil if the program is not installed.
  package static func convert(_ colors: [[Double]], from profile: Data?) -> [[Double]]? {
    var input = "*sRGB"
    let path = FileManager.default.temporaryDirectory.path + "/easel-transicc-\(UInt64.random(in: 0...UInt64.max)).icc"
    if let profile {
      guard (try? profile.write(to: URL(filePath: path))) != nil else { return nil }
      input = path
    }
    defer { try? FileManager.default.removeItem(atPath: path) }
    let text = colors.map { $0.map { "\($0)" }.joined(separator: " ") }.joined(separator: "\n") + "\n"
    // Without this option it writes prompts instead of lines of numbers.
    let arguments = ["transicc", "-t0", "-b", "-n", "-i\(input)", "-o*sRGB"]
    guard let bytes = Process.output(of: arguments, input: Array(text.utf8)) else { return nil }
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map { line in
      line.split(separator: " ").compactMap { Double($0) }
    }
    let converted = lines.filter { !$0.isEmpty }
    return converted.count == colors.count ? converted : nil
  }
}
