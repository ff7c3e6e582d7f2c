import EaselCore

/// The source of a picture: a path, a URL, or `-` for standard input.
enum Input: Sendable, Equatable {
  case file(String)
  case url(String)
  case standardInput

  init(_ word: String) {
    if word == "-" {
      self = .standardInput
    } else if Self.isURL(word) {
      self = .url(word)
    } else {
      self = .file(word)
    }
  }

  /// True for a scheme of two letters or more with `://`, and for `data:` and `file:`; anything else is a path.
  private static func isURL(_ word: String) -> Bool {
    guard let colon = word.firstIndex(of: ":") else { return false }
    let scheme = word[..<colon].lowercased()
    guard scheme.count > 1, scheme.first!.isLetter,
      scheme.utf8.allSatisfy({ (97...122).contains($0) || (48...57).contains($0) || [43, 45, 46].contains($0) })
    else { return false }
    return scheme == "data" || scheme == "file" || word[colon...].hasPrefix("://")
  }

  /// The name of an input in messages and results: a URL without its password, a long `data:` URL shortened.
  static func name(_ word: String) -> String {
    guard isURL(word) else { return word }
    guard word.hasPrefix("data:") else { return ShownURL.text(word) }
    return word.count <= 200 ? word : "\(word.prefix(60))...\(word.suffix(8))"
  }
}
