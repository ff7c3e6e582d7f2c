import EaselCore
import EaselTestPixels

/// The reference program that reads JPEGs.
enum Djpeg {
  static let isThere = EaselTestPixels.Process.output(of: ["djpeg", "-version"], input: []) != nil

  /// The colours of all pixels, row after row.
  static func colors(of bytes: ImageBytes) throws -> [UInt8]? {
    let output = EaselTestPixels.Process.output(
      of: ["djpeg", "-dct", "int", "-ppm"], input: try bytes.array)
    guard let output, output.starts(with: "P6".utf8) || output.starts(with: "P5".utf8) else { return nil }
    // Each of the three numbers is followed by one byte of white space.
    var rest = output[...]
    var ends = 0
    while ends < 3, let end = rest.firstIndex(of: 10) ?? rest.firstIndex(of: 32) {
      let line = rest[..<end]
      ends += line.split(separator: 32).count - (line.starts(with: "P".utf8) ? 1 : 0)
      rest = rest[(end + 1)...]
    }
    return Array(rest)
  }
}
