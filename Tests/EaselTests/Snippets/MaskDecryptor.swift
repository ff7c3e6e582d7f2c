import Easel

// Documentation: writing a decryptor.
struct MaskDecryptor: Decryptor {
  var mask: [UInt8]
  var maskName: String

  // Names the key. Caches may store this name, but never the key itself.
  var cacheIdentity: CacheIdentity { .named("mask-\(maskName)") }

  func decrypt(_ body: ImageBytes, head: ResponseHead) throws -> ImageBytes {
    guard !body.isEmpty else { throw ImageError(.badImageData, "There is nothing behind the mask.") }
    var bytes = try body.withUnsafeBytes { [UInt8]($0) }
    for place in bytes.indices { bytes[place] ^= mask[place % mask.count] }
    return ImageBytes(bytes)
  }
}
