import Foundation

/// The pictures of a gallery, in the order in which they are shown.
package struct GalleryItems: Sendable {
  /// The endings of the names of files that are taken from folders.
  private static let endings: Set = [
    "png", "jpg", "jpeg", "gif", "webp", "bmp", "ico", "pbm", "pgm", "ppm", "pnm", "qoi", "hdr",
  ]

  package let urls: [URL]

  /// Takes URLs, files, and the pictures in folders and in the folders below them.
  package init(_ words: [String]) { urls = words.flatMap(Self.urls) }

  private static func urls(of word: String) -> [URL] {
    if word.contains("://"), let url = URL(string: word) { return [url] }
    let url = URL(fileURLWithPath: word).standardizedFileURL
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder), isFolder.boolValue else {
      return [url]
    }
    let names = FileManager.default.enumerator(atPath: url.path)?.compactMap { $0 as? String } ?? []
    return names.filter { endings.contains(($0 as NSString).pathExtension.lowercased()) }
      .sorted { $0.compare($1, options: [.caseInsensitive, .numeric]) == .orderedAscending }
      .map { URL(fileURLWithPath: url.path + "/" + $0) }
  }
}
