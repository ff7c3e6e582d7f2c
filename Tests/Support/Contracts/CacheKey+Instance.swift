import EaselCore
import EaselManager
import EaselTiers

extension CacheKey {
  /// The key of a picture that depends on this instance of a request modifier; its entries may not go to disk.
  package static func forOneInstance(_ text: String, _ modifier: any RequestModifier) -> CacheKey {
    let request = ImageRequest(text, context: [.requestModifier(modifier)])
    let configuration = ImageManager.Configuration(loader: FakeLoader(), coder: CoderRegistry(), cache: TieredCache())
    return request.resolved(with: configuration, by: FakeLoader())!.originalKey
  }
}
