import EaselCore
import FoundationEssentials

extension Process {
  /// The file that a program makes of another; nil if it fails.
  ///
  /// The program is given the names of both after its arguments.
  package static func converted(
    _ bytes: ImageBytes, from source: String, to target: String, by program: [String]
  ) throws -> ImageBytes? {
    let folder = FileManager.default.temporaryDirectory.path + "/easel-program-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let (input, output) = (folder + "/in." + source, folder + "/out." + target)
    try bytes.data().write(to: URL(fileURLWithPath: input))
    guard Self.output(of: program + [input, output], input: []) != nil else { return nil }
    return try? ImageBytes(contentsOfFile: output).loaded()
  }
}
