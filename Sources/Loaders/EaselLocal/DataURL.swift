import EaselCore
import FoundationEssentials
import Glibc

/// The parts of a `data:` URL, split as in RFC 2397 and in browsers.
struct DataURL {
  private static let scheme = Array("data:".utf8)
  private static let base64Mark = Array("base64".utf8)

  /// The stated type of the bytes, including its parameters.
  let mediaType: String
  /// True when the bytes are written in base64.
  let isBase64: Bool
  /// The text after the comma.
  let text: UnsafeBufferPointer<UInt8>
  // A URL contains blanks only as escapes, so a text without escapes can be used directly.
  private let hasEscapes: Bool

  /// Splits a URL.
  ///
  /// The text must live longer than this value.
  init(_ url: UnsafeBufferPointer<UInt8>) throws(ImageError) {
    // A fragment is for the program that shows the document, and does not belong to the bytes.
    let end = Self.position(of: "#", in: url) ?? url.count
    let whole = UnsafeBufferPointer(rebasing: url[..<end].dropFirst(Self.scheme.count))
    guard let comma = Self.position(of: ",", in: whole) else {
      throw ImageError(
        .invalidURL, "The URL has no comma between its type and its data, as in data:image/png;base64,iVBORw0KGgo=.",
        subject: Self.excerpt(of: url))
    }
    text = UnsafeBufferPointer(rebasing: whole[(comma + 1)...])
    hasEscapes = Self.position(of: "%", in: text) != nil
    var type = PercentEncoding.decoded(whole[..<comma])[...]
    Self.trim(&type)
    isBase64 = Self.takeBase64Mark(from: &type)
    mediaType = Self.mediaType(type)
  }

  /// The beginning of the URL, for messages, because a URL may be megabytes long.
  static func excerpt(of url: some Collection<UInt8>) -> String {
    let beginning = String(decoding: url.prefix(60), as: UTF8.self)
    return url.count > 60 ? beginning + "…" : beginning
  }

  /// The decoded bytes.
  ///
  /// Throws before any memory is taken if they exceed `limit`.
  func decoded(atMost limit: Int, subject: @autoclosure () -> String) throws(ImageError) -> Data {
    let count = decodedCount
    guard count <= limit else {
      throw ImageError.tooLong(
        "The URL holds \(count) bytes, over the limit of \(limit). Raise Limits.downloadBytes to allow it.",
        subject: subject())
    }
    guard isBase64 else { return Data(hasEscapes ? PercentEncoding.decoded(text) : Array(text)) }
    guard let bytes = decodedBase64 else {
      throw ImageError(.badImageData, "The data of the URL is not valid base64.", subject: subject())
    }
    return bytes
  }

  /// The number of bytes that a valid text decodes to.
  private var decodedCount: Int {
    var digits = text.count
    var padding = text.suffix(2).count { $0 == UInt8(ascii: "=") }
    if hasEscapes {
      digits = 0
      padding = 0
      PercentEncoding.forEachByte(of: text) { byte in
        if isBase64 && Self.isBlank(byte) { return }
        digits += 1
        padding = byte == UInt8(ascii: "=") ? min(2, padding + 1) : 0
      }
    }
    return isBase64 ? (digits - padding) / 4 * 3 + [0, 0, 1, 2][(digits - padding) % 4] : digits
  }

  private var decodedBase64: Data? {
    var digits = hasEscapes ? PercentEncoding.decoded(text).filter { !Self.isBlank($0) } : Array(text)
    if digits.count % 4 == 0 {
      for _ in 0..<2 where digits.last == UInt8(ascii: "=") { digits.removeLast() }
    }
    // Foundation would also accept padding in other places.
    guard digits.count % 4 != 1, digits.withUnsafeBufferPointer({ Self.position(of: "=", in: $0) }) == nil else {
      return nil
    }
    digits += [UInt8](repeating: UInt8(ascii: "="), count: (4 - digits.count % 4) % 4)
    return Data(base64Encoded: Data(digits))
  }

  /// Searches with `memchr`, because the text may be megabytes long.
  private static func position(of character: Unicode.Scalar, in text: UnsafeBufferPointer<UInt8>) -> Int? {
    guard let start = text.baseAddress, let found = memchr(start, CInt(character.value), text.count) else { return nil }
    return UnsafeRawPointer(found) - UnsafeRawPointer(start)
  }

  /// Removes `;base64` from the end, in upper or lower case, and with blanks before the word.
  private static func takeBase64Mark(from type: inout ArraySlice<UInt8>) -> Bool {
    guard type.count > base64Mark.count else { return false }
    let end = type.suffix(base64Mark.count).map { $0 | 0x20 }
    guard end == base64Mark.map({ $0 | 0x20 }) else { return false }
    var rest = type.dropLast(base64Mark.count)
    while rest.last == UInt8(ascii: " ") { rest.removeLast() }
    guard rest.last == UInt8(ascii: ";") else { return false }
    type = rest.dropLast()
    trim(&type)
    return true
  }

  private static func mediaType(_ text: ArraySlice<UInt8>) -> String {
    let stated = String(decoding: text, as: UTF8.self)
    if stated.hasPrefix(";") { return "text/plain" + stated }
    let name = stated.prefix { $0 != ";" }
    return name.contains("/") ? stated : "text/plain;charset=US-ASCII"
  }

  private static func trim(_ bytes: inout ArraySlice<UInt8>) {
    while let last = bytes.last, isBlank(last) { bytes.removeLast() }
    while let first = bytes.first, isBlank(first) { bytes.removeFirst() }
  }

  private static func isBlank(_ byte: UInt8) -> Bool { [9, 10, 12, 13, 32].contains(byte) }
}
