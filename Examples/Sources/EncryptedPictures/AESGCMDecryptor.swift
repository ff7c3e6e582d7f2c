import CExampleCrypto
import Easel
import FoundationEssentials

/// Decrypts bodies that consist of a nonce of twelve bytes, the encrypted picture, and a tag of sixteen bytes.
struct AESGCMDecryptor: Decryptor {
  let key: [UInt8]
  /// The name of the key; caches may see the name, but never the key itself.
  let keyName: String

  var cacheIdentity: CacheIdentity { .named("aes-gcm:\(keyName)") }

  func decrypt(_ body: ImageBytes, head: ResponseHead) throws -> ImageBytes {
    let sealed = Array(try body.data())
    guard sealed.count >= 28 else { throw WrongKeyOrDamage() }
    let (nonce, tag) = (Array(sealed[..<12]), Array(sealed.suffix(16)))
    let text = Array(sealed[12..<sealed.count - 16])
    var plain = [UInt8](repeating: 0, count: text.count)
    guard example_aes_gcm_open(key, nonce, text, text.count, tag, &plain) else { throw WrongKeyOrDamage() }
    return ImageBytes(plain)
  }

  /// Encrypts a picture, as the server does once for each.
  func seal(_ picture: Data, nonce: [UInt8]) -> Data {
    let plain = Array(picture)
    var sealed = [UInt8](repeating: 0, count: plain.count)
    var tag = [UInt8](repeating: 0, count: 16)
    let isDone = example_aes_gcm_seal(key, nonce, plain, plain.count, &sealed, &tag)
    precondition(isDone, "libcrypto could not encrypt.")
    return Data(nonce + sealed + tag)
  }
}
