import EaselCore
import EaselHelpers
import EaselPNG
import Foundation

/// A helper as the tests use it: found by its card, in its sandbox.
package struct HelperUnderTest: Sendable {
  /// The program, which is built beside the tests.
  package let program: String
  package let cards: HelperCards
  package let helpers: Helpers
  package let coders: CoderRegistry

  /// Reads the card of the package, and takes the program that was built.
  package init(_ name: String, beside coders: [any ImageCoder] = [PNGCoder()]) {
    let tests = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    program = URL(fileURLWithPath: tests).deletingLastPathComponent().appendingPathComponent("easel-\(name)").path
    let source = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../Cards/\(name).card").standardized
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("easel-card-\(UUID().uuidString)")
    try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let text = (try? String(contentsOf: source, encoding: .utf8)) ?? ""
    let file = folder.appendingPathComponent("\(name).card")
    try? Data(text.replacing("/usr/libexec/easel/easel-\(name)", with: program).utf8).write(to: file)
    // Others may not write it, whatever the user's mask is.
    chmod(folder.path, 0o755)
    chmod(file.path, 0o644)
    cards = HelperCards(directories: [folder.path])
    helpers = Helpers(cards)
    self.coders = CoderRegistry(coders).adding(helpers)
  }

  package func header(_ bytes: Data, limits: Limits = Limits()) throws -> ImageHeader {
    try coders.probe(ImageBytes(bytes), work: WorkContext(limits: limits))
  }

  package func image(
    _ bytes: Data, _ options: DecodeOptions = DecodeOptions(), limits: Limits = Limits()
  ) throws -> Image {
    try coders.decode(ImageBytes(bytes), options: options, work: WorkContext(limits: limits))
  }

  /// The error of a file; nil if it is decoded.
  package func error(_ bytes: Data, limits: Limits = Limits()) -> ImageError? {
    do {
      _ = try image(bytes, limits: limits)
      return nil
    } catch {
      return error as? ImageError
    }
  }
}
