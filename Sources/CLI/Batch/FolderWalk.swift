import EaselCore
import Glibc

/// Finds the pictures in a folder and the folders in it by the extensions of their names.
///
/// Folders are read one at a time, in the order of their names, so that a walk only remembers the folders on its path.
/// It skips hidden files and folders, and does not follow links to folders.
struct FolderWalk: IteratorProtocol {
  /// A folder with its names that are still to come, the last one first.
  private struct Level {
    let path: String
    let subfolder: String
    var names: [String]
  }

  private var levels: [Level] = []
  private var problem: BatchInput?
  private let left: String?
  private let recurses: Bool

  /// The extensions of all formats that Easel reads.
  static let extensions = Set(FormatNames.readExtensions)

  /// Begins in a folder; the folder `left` is skipped, even if it does not exist yet.
  init(_ folder: String, leavingOut left: String? = nil, recurses: Bool = true) {
    self.left = left
    self.recurses = recurses
    enter(folder, subfolder: "")
  }

  mutating func next() -> BatchInput? {
    if let failed = problem {
      problem = nil
      return failed
    }
    while var level = levels.popLast() {
      guard let name = level.names.popLast() else { continue }
      levels.append(level)
      let path = level.path.hasSuffix("/") ? level.path + name : "\(level.path)/\(name)"
      guard let kind = Self.kind(of: path) else { continue }
      if kind == S_IFDIR {
        if recurses { enter(path, subfolder: level.subfolder.isEmpty ? name : "\(level.subfolder)/\(name)") }
        if let failed = problem {
          problem = nil
          return failed
        }
      } else if kind == S_IFREG, Self.isPicture(name) {
        return BatchInput(path, subfolder: level.subfolder, isFound: true)
      }
    }
    return nil
  }

  static func isPicture(_ name: String) -> Bool {
    guard !name.hasPrefix("."), let dot = name.lastIndex(of: ".") else { return false }
    return extensions.contains(name[name.index(after: dot)...].lowercased())
  }

  static func name(of entry: UnsafeMutablePointer<dirent>) -> String {
    withUnsafePointer(to: &entry.pointee.d_name) {
      $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
    }
  }

  /// The kind of a file, or of the file to which a link leads; nil for a link to a folder, because it might lead back.
  private static func kind(of path: String) -> mode_t? {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    guard status.st_mode & S_IFMT == S_IFLNK else { return status.st_mode & S_IFMT }
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return S_IFREG
  }

  private mutating func enter(_ path: String, subfolder: String) {
    if let left, let identity = FileIdentity(folder: left), identity == FileIdentity(folder: path) { return }
    guard let folder = opendir(path) else {
      let code = SystemError(code: errno)
      problem = BatchInput(
        path,
        problem: ImageError(.badImageData, "The folder \(path) cannot be read: \(code).", subject: path, cause: code))
      return
    }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = Self.name(of: entry)
      if !name.hasPrefix(".") { names.append(name) }
    }
    levels.append(Level(path: path, subfolder: subfolder, names: names.sorted(by: >)))
  }
}
