import EaselCore
import FoundationEssentials
import Glibc

/// A directory of pictures under many names, with directories for results; all are deleted with the object.
final class PictureFiles {
  let directory: String
  let names: [String]

  convenience init(_ mix: PictureMix, count: Int) throws {
    try self.init(count: count, mix.picture)
  }

  init(count: Int, _ picture: (_ index: Int) -> BenchmarkPicture) throws {
    directory = try Self.makeDirectory()
    var names: [String] = []
    for index in 0..<count {
      let picture = picture(index)
      let name = "picture-\(index).\(picture.fileExtension)"
      let (source, target) = (try picture.path(), "\(directory)/\(name)")
      guard link(source, target) == 0 else { throw SystemError(code: errno) }
      names.append(name)
    }
    self.names = names
  }

  deinit { try? FileManager.default.removeItem(atPath: directory) }

  var paths: [String] { names.map { "\(directory)/\($0)" } }

  /// A directory for the results of one side.
  func outputDirectory(of name: String) throws -> String {
    let path = "\(directory)/made-by-\(name)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    return path
  }

  /// Throws unless there are as many results as pictures; then deletes the results.
  func checkAndRemove(in outputDirectory: String) throws {
    let made = try FileManager.default.contentsOfDirectory(atPath: outputDirectory)
    guard made.count == names.count else {
      throw JobFailure(description: "\(made.count) results came out of \(names.count) pictures")
    }
    for name in made { unlink("\(outputDirectory)/\(name)") }
  }

  private static func makeDirectory() throws -> String {
    // The directory is beside the pictures, because hard links cannot cross file systems.
    let parent = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
    var template = Array("\(parent)/easel-benchmark-job-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else { throw SystemError(code: errno) }
    return String(cString: made)
  }
}
