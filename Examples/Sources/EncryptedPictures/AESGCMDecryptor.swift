import CExampleCrypto
import Easel
import FoundationEssentials

/// Opens bodies of twelve bytes of nonce, the encrypted picture, and sixteen bytes of tag.
struct AESGCMDecryptor: Decryptor {
  let key: [UInt8]
  /// A name of the key, which the caches may know; the key itself they must not.
  let keyName: String

  var cacheIdentity: String? { "aes-gcm:\(keyName)" }

  func decrypt(_ body: ImageBytes, head: ResponseHead) throws -> ImageBytes {
    let sealed = Array(try body.data())
    guard sealed.count >= 28 else { throw WrongKeyOrDamage() }
    let (nonce, tag) = (Array(sealed[..<12]), Array(sealed.suffix(16)))
    let text = Array(sealed[12..<sealed.count - 16])
    var plain = [UInt8](repeating: 0, count: text.count)
    guard example_aes_gcm_open(key, nonce, text, text.count, tag, &plain) else { throw WrongKeyOrDamage() }
    return ImageBytes(plain)
  }

  /// What a server does once with each picture.
  func seal(_ picture: Data, nonce: [UInt8]) -> Data {
    let plain = Array(picture)
    var sealed = [UInt8](repeating: 0, count: plain.count)
    var tag = [UInt8](repeating: 0, count: 16)
    let isDone = example_aes_gcm_seal(key, nonce, plain, plain.count, &sealed, &tag)
    precondition(isDone, "libcrypto could not encrypt.")
    return Data(nonce + sealed + tag)
  }
}
