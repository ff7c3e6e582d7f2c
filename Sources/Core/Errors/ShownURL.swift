/// Hides user names and passwords in URLs that people see: in errors, logs, and the readable form of keys.
package enum ShownURL {
  /// Returns the text with `***` in place of the user name and the password of each URL.
  ///
  /// The user name is hidden too, because many services take a token as the user name.
  package static func text(_ text: String) -> String {
    // Only a URL with a user name contains `@`, and most texts contain none.
    guard text.utf8.contains(UInt8(ascii: "@")) else { return text }
    let bytes = Array(text.utf8)
    var shown: [UInt8] = []
    var place = 0
    while place < bytes.count {
      guard beginsAuthority(place, of: bytes) else {
        shown.append(bytes[place])
        place += 1
        continue
      }
      shown += [slash, slash]
      place += 2
      guard let sign = signBehindPassword(from: place, of: bytes) else { continue }
      shown += Array("***".utf8)
      place = sign
    }
    return String(decoding: shown, as: UTF8.self)
  }

  private static let slash = UInt8(ascii: "/")

  /// True for two slashes behind a scheme, or at the beginning of a word.
  private static func beginsAuthority(_ place: Int, of bytes: [UInt8]) -> Bool {
    guard bytes[place] == slash, place + 1 < bytes.count, bytes[place + 1] == slash else { return false }
    return place == 0 || bytes[place - 1] == UInt8(ascii: ":") || !isInWord(bytes[place - 1])
  }

  /// The place of the `@` between a user and a host; nil if the URL has no user.
  private static func signBehindPassword(from start: Int, of bytes: [UInt8]) -> Int? {
    let sign = UInt8(ascii: "@")
    let authority = bytes[start...].prefix { !endsAuthority($0) }
    if let found = authority.lastIndex(of: sign) { return found }
    // If a password contains a slash, its beginning looks like a port, but has more than digits.
    guard let colon = authority.lastIndex(of: UInt8(ascii: ":")), authority.last != UInt8(ascii: "]"),
      !authority[(colon + 1)...].allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains)
    else { return nil }
    return bytes[start...].prefix(while: isInWord).lastIndex(of: sign)
  }

  private static func endsAuthority(_ byte: UInt8) -> Bool {
    [slash, UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "\\")].contains(byte) || !isInWord(byte)
  }

  /// True for a byte that can be inside a word: no blank, no quote and no bracket.
  private static func isInWord(_ byte: UInt8) -> Bool { byte > 32 && byte != 127 && !"\"<>{}".utf8.contains(byte) }
}
