import FoundationEssentials

/// Decrypts a received body into the bytes of a picture, before it is decoded or cached.
///
/// A decryptor may wait for its key as long as it must; only cancelling the load ends the wait. It must not block its
/// thread.
///
/// ```swift
/// configuration.decryptor = .closure(cacheIdentity: .named("mask 1")) { body in
///   ImageBytes(try body.data().map { $0 ^ 0x5A })
/// }
/// ```
public protocol Decryptor: Sendable {
  /// Separates the decrypted bytes from others in cache keys.
  var cacheIdentity: CacheIdentity { get }

  /// Returns the decrypted bytes of the picture.
  func decrypt(_ body: ImageBytes, head: ResponseHead) async throws -> ImageBytes
}

extension ClosurePlugin: Decryptor where Call == @Sendable (ImageBytes) async throws -> ImageBytes {
  /// The identity that the decryptor was created with.
  public var cacheIdentity: CacheIdentity { identity }

  /// Calls the closure.
  public func decrypt(_ body: ImageBytes, head: ResponseHead) async throws -> ImageBytes { try await call(body) }
}

extension Decryptor where Self == ClosurePlugin<@Sendable (ImageBytes) async throws -> ImageBytes> {
  /// Decrypts each body with `body`.
  ///
  /// The identity names what the closure does. Closures with the same name share work and cached pictures, even if each
  /// request makes a new one. Without a name, pictures are kept only in memory and only for this instance.
  public static func closure(
    cacheIdentity: CacheIdentity = .instance, _ body: @escaping @Sendable (ImageBytes) async throws -> ImageBytes
  ) -> Self { ClosurePlugin(cacheIdentity, body) }

  /// Decodes bodies that are encoded in base64.
  ///
  /// It accepts both alphabets, with or without padding, and ignores blanks and line breaks. A body that is not base64
  /// fails with `badImageData`.
  public static var base64: Self { ClosurePlugin(.named("base64")) { try Base64.decode($0) } }
}

private enum Base64 {
  static func decode(_ body: ImageBytes) throws -> ImageBytes {
    var digits = try body.withUnsafeBytes(Self.digits)
    let padding = digits.reversed().prefix { $0 == UInt8(ascii: "=") }.count
    guard padding <= 2, (digits.count - padding) % 4 != 1, padding == 0 || digits.count % 4 == 0 else {
      throw ImageError(
        .badImageData, "The body has \(digits.count) digits of base64, which are not a whole number of bytes.")
    }
    while digits.count % 4 != 0 { digits.append(UInt8(ascii: "=")) }
    guard let bytes = Data(base64Encoded: Data(digits)) else {
      throw ImageError(.badImageData, "The body is not valid base64.")
    }
    return ImageBytes(bytes)
  }

  /// The digits in the standard alphabet, without blanks.
  private static func digits(of body: UnsafeRawBufferPointer) throws -> [UInt8] {
    try [UInt8](unsafeUninitializedCapacity: body.count + 3) { digits, count in
      for byte in body {
        let digit = alphabet[Int(byte)]
        if digit == blank { continue }
        guard digit != foreign else {
          throw ImageError(.badImageData, "The body contains the byte \(byte), which is not a digit of base64.")
        }
        digits[count] = digit
        count += 1
      }
    }
  }

  private static let blank: UInt8 = 1
  private static let foreign: UInt8 = 0

  /// Maps each byte to its digit in the standard alphabet.
  private static let alphabet: [UInt8] = {
    var alphabet = [UInt8](repeating: foreign, count: 256)
    for digit in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=".utf8 {
      alphabet[Int(digit)] = digit
    }
    alphabet[Int(UInt8(ascii: "-"))] = UInt8(ascii: "+")
    alphabet[Int(UInt8(ascii: "_"))] = UInt8(ascii: "/")
    for byte in " \t\r\n".utf8 { alphabet[Int(byte)] = blank }
    return alphabet
  }()
}
