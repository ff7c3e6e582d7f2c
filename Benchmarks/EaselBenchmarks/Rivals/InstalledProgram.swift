import EaselBenchmarkHarness
import FoundationEssentials
import Glibc

/// Programs that cases run.
enum InstalledProgram {
  /// The path of a program, by any of its names.
  static func path(_ names: String...) throws(BenchmarkUnavailable) -> String {
    let listed = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":").map(String.init) ?? []
    for name in names {
      for directory in listed + ["/usr/bin", "/usr/sbin"] where access("\(directory)/\(name)", X_OK) == 0 {
        return "\(directory)/\(name)"
      }
    }
    throw BenchmarkUnavailable("\(names[0]) is not installed; script/bootstrap --bench does it")
  }

  /// Easel's own program.
  static func easel() throws(BenchmarkUnavailable) -> String { try built("easel", toldBy: "EASEL_PROGRAM") }

  /// The program that makes thumbnails with only the coders of Easel.
  static func leanThumbnails() throws(BenchmarkUnavailable) -> String {
    try built("EaselLeanThumbnails", toldBy: "EASEL_LEAN_THUMBNAILS")
  }

  /// The path of a product: the one that script/bench has linked with Swift's libraries and names in this variable, or
  /// the one that a build of all products leaves beside this program.
  private static func built(_ product: String, toldBy variable: String) throws(BenchmarkUnavailable) -> String {
    let path = ProcessInfo.processInfo.environment[variable] ?? "\(directory)/\(product)"
    guard access(path, X_OK) == 0 else {
      throw BenchmarkUnavailable("\(path) is missing; swift build --product \(product) makes it")
    }
    return path
  }

  /// The directory of this program.
  private static var directory: String { own.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" } }

  /// The path of this program.
  static var own: String {
    var target = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &target, target.count - 1)
    return String(decoding: target.prefix(max(0, count)).map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
  }
}
