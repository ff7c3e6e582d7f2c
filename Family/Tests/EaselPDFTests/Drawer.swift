import EaselCore
import EaselHelpers
import EaselPNG
import EaselSandbox
import Foundation
import Testing

/// The helper as the tests use it: found by a card, in its sandbox.
enum Drawer {
  /// The program, which is built beside the tests.
  static let program: String = {
    let tests = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    return URL(fileURLWithPath: tests).deletingLastPathComponent().appendingPathComponent("easel-pdf").path
  }()

  /// The card of the package, with the program that was built.
  static let cards: HelperCards = {
    let source = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../Cards/pdf.card").standardized
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("easel-pdf-card-\(UUID().uuidString)")
    try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let text = (try? String(contentsOf: source, encoding: .utf8)) ?? ""
    let file = folder.appendingPathComponent("pdf.card")
    try? Data(text.replacing("/usr/libexec/easel/easel-pdf", with: program).utf8).write(to: file)
    // Others may not write it, whatever the user's mask is.
    chmod(folder.path, 0o755)
    chmod(file.path, 0o644)
    return HelperCards(directories: [folder.path])
  }()

  static let helpers = Helpers(cards)
  static let coders = CoderRegistry([PNGCoder()]).adding(helpers)

  static func header(_ bytes: Data, limits: Limits = Limits()) throws -> ImageHeader {
    try coders.probe(ImageBytes(bytes), work: WorkContext(limits: limits))
  }

  static func image(
    _ bytes: Data, _ options: DecodeOptions = DecodeOptions(), limits: Limits = Limits()
  ) throws -> Image {
    try coders.decode(ImageBytes(bytes), options: options, work: WorkContext(limits: limits))
  }

  /// The error of a document; nil if it is drawn.
  static func error(_ bytes: Data, limits: Limits = Limits()) -> ImageError? {
    do {
      _ = try image(bytes, limits: limits)
      return nil
    } catch {
      return error as? ImageError
    }
  }

  /// The red, green and blue of each pixel, row by row.
  static func colors(_ bitmap: Bitmap) -> [UInt8] {
    bitmap.withUnsafeBytes { bytes in
      (0..<bitmap.height).flatMap { row in
        (0..<bitmap.width).flatMap { column in
          let start = row * bitmap.bytesPerRow + column * bitmap.format.bytesPerPixel
          return bitmap.format.bytesPerPixel == 1
            ? [bytes[start], bytes[start], bytes[start]] : Array(bytes[start..<(start + 3)])
        }
      }
    }
  }

  /// The mean difference of two pictures of one size, from 0 to 255, each averaged over squares of so many pixels.
  static func difference(_ one: Bitmap, _ other: Bitmap, over side: Int = 1) -> Double {
    guard one.size == other.size else { return 255 }
    let (left, right) = (colors(one), colors(other))
    let columns = (one.width + side - 1) / side
    var sums = [Int](repeating: 0, count: columns * ((one.height + side - 1) / side) * 3)
    for index in left.indices {
      let (pixel, color) = (index / 3, index % 3)
      let square = pixel / one.width / side * columns + pixel % one.width / side
      sums[3 * square + color] += Int(left[index]) - Int(right[index])
    }
    return Double(sums.reduce(0) { $0 + abs($1) }) / Double(max(1, left.count))
  }

  /// The share of pixels that are not white.
  static func ink(_ bitmap: Bitmap) -> Double {
    let all = colors(bitmap)
    return Double(all.filter { $0 < 250 }.count) / Double(all.count)
  }
}
