import CEaselService
import Easel
import Glibc

/// The cache of thumbnails that the programs of a desktop share, in the form of freedesktop.org.
struct ThumbnailCache: Sendable {
  let folder: String

  /// The cache of the person who runs the program; nil if neither XDG_CACHE_HOME nor HOME says where it is.
  init?(environment: [String: String]) {
    if let caches = environment["XDG_CACHE_HOME"], caches.hasPrefix("/") {
      folder = "\(caches)/thumbnails"
    } else if let home = environment["HOME"], home.hasPrefix("/") {
      folder = "\(home)/.cache/thumbnails"
    } else {
      return nil
    }
  }

  /// The path of the thumbnail of a file; throws where MD5 is not computed.
  func path(of uri: FileURI, _ size: ThumbnailSize) throws(ImageError) -> String {
    "\(folder)/\(size.folder)/\(try Self.name(of: uri))"
  }

  /// The path of the note that this version of the program cannot read a file.
  func failurePath(of uri: FileURI) throws(ImageError) -> String {
    "\(folder)/fail/easel-\(Program.version)/\(try Self.name(of: uri))"
  }

  /// True for thumbnails themselves, of which there are to be none.
  func contains(_ uri: FileURI) -> Bool { uri.path.hasPrefix(folder + "/") }

  /// Writes a thumbnail or a note that only its owner may read.
  func write(_ png: [UInt8], to path: String) throws {
    try Self.makeFolder(String(path[..<path.lastIndex(of: "/")!]))
    let file = try OutputFile(path, mayReplace: true, mode: 0o600)
    try png.withUnsafeBytes { try file.write($0) }
    try file.finish()
  }

  /// True if a thumbnail or a note is that of the file as it is now.
  static func isCurrent(_ path: String, _ uri: FileURI, changed: Int) -> Bool {
    guard access(path, R_OK) == 0, let bytes = try? ImageBytes(contentsOfFile: path), bytes.count < 16 << 20,
      let data = try? bytes.data()
    else { return false }
    let texts = PNGText.texts(of: Array(data))
    return texts["Thumb::URI"] == uri.text && texts["Thumb::MTime"] == "\(changed)"
  }

  private static func name(of uri: FileURI) throws(ImageError) -> String {
    let text = uri.text
    var hash = [UInt8](repeating: 0, count: 16)
    // No one is kept out by it: it only has to be the name that all programs give.
    let isKnown = Array(text.utf8).withUnsafeBytes { bytes in
      easel_hash("md5", bytes.baseAddress, bytes.count, &hash, 16)
    }
    guard isKnown else {
      throw ImageError(
        .encodeFailed, "The thumbnail has no name: OpenSSL is told to compute no MD5, by which desktops name them.",
        subject: text)
    }
    let digits = "0123456789abcdef".map(String.init)
    return hash.map { digits[Int($0 >> 4)] + digits[Int($0 & 15)] }.joined() + ".png"
  }

  private static func makeFolder(_ path: String) throws(ImageError) {
    var made = ""
    for part in path.split(separator: "/") {
      made += "/" + part
      guard mkdir(made, 0o700) == 0 || errno == EEXIST else {
        let code = errno
        throw ImageError(
          .encodeFailed, "Could not make the directory \(made): \(SystemError(code: code)).", subject: made,
          cause: SystemError(code: code))
      }
    }
  }
}
