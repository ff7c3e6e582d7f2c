import EaselCore
import Foundation
import Glibc

/// Makes a new directory for a server; stopping the server removes it.
enum ServerDirectory {
  static func make(_ name: String) throws -> String {
    let template = FileManager.default.temporaryDirectory.appendingPathComponent("easel-\(name)-XXXXXX").path
    var path = Array(template.utf8CString)
    guard mkdtemp(&path) != nil else { throw SystemError(code: errno) }
    return String(decoding: path.dropLast().map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
  }

  /// The last lines of a server's log files, for finding out why it does not answer.
  static func complaints(in directory: String, _ names: [String]) -> String {
    let texts = names.compactMap { try? String(contentsOfFile: directory + "/" + $0, encoding: .utf8) }
    return texts.joined(separator: "\n").split(separator: "\n").suffix(20).joined(separator: "\n")
  }
}
