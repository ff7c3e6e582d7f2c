import EaselCore
import EaselSupport

/// Signs the URLs of a picture server, and checks their signatures.
///
/// A signature is made of the path exactly as it is sent. Several keys are for rotation: the first one signs, and all of
/// them are accepted.
///
/// ```swift
/// let signer = URLSigner([try URLSigner.Key(hexadecimal: "943b421c9eb07c83", salt: "520f986b998545b4")])
/// let path = signer.signed("/rs:fit:320:320/plain/https://example.com/cat.jpg")
/// ```
public struct URLSigner: Sendable {
  /// A secret key; in imgproxy's way it comes with a salt.
  public struct Key: Hashable, Sendable {
    let key: [UInt8]
    let salt: [UInt8]

    /// Takes the bytes of a key and its salt.
    public init(key: [UInt8], salt: [UInt8] = []) {
      self.key = key
      self.salt = salt
    }

    /// Creates a key from hexadecimal digits, as imgproxy's settings have them.
    public init(hexadecimal key: String, salt: String = "") throws(ImageError) {
      guard let key = Self.bytes(key), !key.isEmpty, let salt = Self.bytes(salt) else {
        // The text is a secret, so the error does not show it.
        throw ImageError(.invalidRequest, "A key and its salt must be pairs of hexadecimal digits.")
      }
      self.init(key: key, salt: salt)
    }

    private static func bytes(_ text: String) -> [UInt8]? {
      let digits = Array(text.utf8)
      guard digits.count.isMultiple(of: 2) else { return nil }
      return PercentText.bytes(ofHexadecimal: digits)
    }
  }

  /// The way in which URLs are written and signed.
  public enum Grammar: String, Hashable, Sendable, CaseIterable {
    /// HMAC with SHA-256 over the salt and the path, in base64 without padding.
    case imgproxy
    /// HMAC with SHA-1 over the path without its first slash, in base64 with padding.
    case thumbor
  }

  let keys: [Key]
  private let grammar: Grammar
  private let size: Int

  private static let longest = 64

  /// Signs with the first of these keys, and accepts signatures made with any of them.
  ///
  /// `size` is the number of bytes of imgproxy's signatures, from 1 to 32.
  public init(_ keys: [Key], grammar: Grammar = .imgproxy, size: Int = 32) {
    self.keys = keys
    self.grammar = grammar
    self.size = min(max(size, 1), 32)
  }

  /// The path with its signature before it: `/SIGNATURE/path`.
  ///
  /// Without a key, `unsafe` stands in place of a signature.
  ///
  /// ```swift
  /// let signer = URLSigner([try URLSigner.Key(hexadecimal: "943b421c9eb07c83", salt: "520f986b998545b4")])
  /// print(signer.signed("/rs:fit:320:320/plain/https://example.com/cat.jpg"))
  /// ```
  public func signed(_ path: String) -> String {
    let path = path.hasPrefix("/") ? path : "/" + path
    return "/\(keys.first.map { signature(of: path, $0) } ?? "unsafe")\(path)"
  }

  /// True if a signature belongs to a path, which begins with a slash.
  ///
  /// All keys are tried, and all bytes are compared, so that the time tells nothing.
  func accepts(_ signature: Substring, of path: Substring) -> Bool {
    guard signature.utf8.count <= Self.longest else { return false }
    var stated = Array(signature.utf8)
    if grammar == .imgproxy { while stated.last == UInt8(ascii: "=") { stated.removeLast() } }
    var isRight = false
    for key in keys {
      isRight = Self.isSame(stated, Array(self.signature(of: String(path), key).utf8)) || isRight
    }
    return isRight
  }

  /// Compares all bytes, whether they differ early or late.
  static func isSame(_ stated: [UInt8], _ wanted: [UInt8]) -> Bool {
    var difference = UInt8(stated.count == wanted.count ? 0 : 1)
    for (index, byte) in wanted.enumerated() {
      difference |= byte ^ (index < stated.count ? stated[index] : 0)
    }
    return difference == 0
  }

  private func signature(of path: String, _ key: Key) -> String {
    switch grammar {
    case .imgproxy:
      let hash = HMAC.sha256(key.key, key.salt + Array(path.utf8))
      return Base64URL.encoded(hash.prefix(size))
    case .thumbor:
      return Base64URL.encoded(HMAC.sha1(key.key, Array(path.utf8.dropFirst())), isPadded: true)
    }
  }
}

extension HMAC {
  /// The keyed hash by SHA-1.
  static func sha1(_ key: [UInt8], _ message: [UInt8]) -> [UInt8] { code(key, message) { SHA1.hash($0) } }
}
