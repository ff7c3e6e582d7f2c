import EaselCore

extension CacheKey {
  /// The key of a picture that only this request modifier leads to, of which nothing may go to disk.
  package static func forOneInstance(_ text: String, _ modifier: any RequestModifier) -> CacheKey {
    let request = ImageRequest(text, context: [.requestModifier(modifier)])
    let configuration = ImageManager.Configuration(loader: FakeLoader(), coder: CoderRegistry(), cache: TieredCache())
    return request.resolved(with: configuration, by: FakeLoader())!.originalKey
  }
}
