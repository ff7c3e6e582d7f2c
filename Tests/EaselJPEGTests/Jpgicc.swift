import EaselCore
import EaselPixels
import EaselTestPixels
import FoundationEssentials

@testable import EaselJPEG

/// The program of Little CMS that converts JPEGs.
enum Jpgicc {
  static let isThere: Bool = {
    guard let image = try? Image(Bitmap(16, 16, .white, .opaqueRGBA8)), let file = try? Pictures.file(image) else {
      return false
    }
    return (try? convert(file)).flatMap { $0 } != nil
  }()

  /// Converts a file with the program.
  static func convert(_ file: ImageBytes) throws -> Bitmap? {
    let path = FileManager.default.temporaryDirectory.path + "/easel-jpgicc-\(UInt64.random(in: 0...UInt64.max))"
    let (input, output) = (path + "-in.jpg", path + "-out.jpg")
    defer { for path in [input, output] { try? FileManager.default.removeItem(atPath: path) } }
    try file.data().write(to: URL(filePath: input))
    let arguments = ["jpgicc", "-t0", "-b", "-q100", input, output]
    guard EaselTestPixels.Process.output(of: arguments, input: []) != nil else { return nil }
    return try Pictures.decode(ImageBytes(contentsOfFile: output).loaded()) { $0.convertsColor = false }.bitmap
  }
}
