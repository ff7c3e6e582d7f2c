import CExampleCrypto
import Easel
import FoundationEssentials

/// Decrypts the AES-GCM bodies of the demo's server.
struct DemoDecryptor: Decryptor {
  private static let key = [UInt8](repeating: 42, count: 32)
  private static let nonce = [UInt8](0..<12)

  var cacheIdentity: CacheIdentity { .named("demo") }

  func decrypt(_ body: ImageBytes, head: ResponseHead) throws -> ImageBytes {
    let sealed = Array(try body.data())
    guard sealed.count >= 16 else { throw ImageError(.badImageData, "The sealed picture is cut short.") }
    let (text, tag) = (Array(sealed.dropLast(16)), Array(sealed.suffix(16)))
    var plain = [UInt8](repeating: 0, count: text.count)
    guard example_aes_gcm_open(Self.key, Self.nonce, text, text.count, tag, &plain) else {
      throw ImageError(.badImageData, "The sealed picture was changed on its way.")
    }
    return ImageBytes(plain)
  }

  func seal(_ picture: Data) -> Data {
    let plain = Array(picture)
    var (sealed, tag) = ([UInt8](repeating: 0, count: plain.count), [UInt8](repeating: 0, count: 16))
    let isDone = example_aes_gcm_seal(Self.key, Self.nonce, plain, plain.count, &sealed, &tag)
    precondition(isDone, "libcrypto could not encrypt.")
    return Data(sealed + tag)
  }
}
