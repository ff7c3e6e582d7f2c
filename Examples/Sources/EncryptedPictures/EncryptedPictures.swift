import Easel
import ExampleSupport
import FoundationEssentials

/// Loads pictures that are encrypted on their server.
///
/// The cache has the decrypted bodies, separately for each user.
@main
struct EncryptedPictures {
  static func main() async throws {
    let gallery = try Gallery()
    let ada = AESGCMDecryptor(key: Array(repeating: 7, count: 32), keyName: "ada")
    let eve = AESGCMDecryptor(key: Array(repeating: 8, count: 32), keyName: "eve")
    let sealed = ada.seal(try Gallery.png(3), nonce: Array(0..<12))
    let url = gallery.offer(sealed, as: "application/octet-stream", at: "/sealed")
    let manager = ImageManager(.standard(cacheDirectory: nil))

    let image = try await manager.image(for: url, context: [.decryptor(ada)])
    print("with the right key: \(image.size)")
    do {
      _ = try await manager.image(for: url, context: [.decryptor(eve)])
      print("with a wrong key: a picture, which must not be")
    } catch {
      print(
        "with a wrong key: \(error.code.name), because of \(error.underlyingError.map { "\(type(of: $0))" } ?? "-")")
    }
    do {
      _ = try await manager.image(for: url)
      print("with no key: a picture, which must not be")
    } catch {
      print("with no key: \(error.code.name)")
    }
    let mine = ImageRequest(url: url, context: [.decryptor(ada)])
    let theirs = ImageRequest(url: url, context: [.decryptor(eve)])
    print("in memory for its owner: \(manager.cachedImage(for: mine) != nil)")
    print("in memory for another: \(manager.cachedImage(for: theirs) != nil)")
  }
}
