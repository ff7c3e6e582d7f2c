struct ClosureTransformer: Transformer {
  let key: String
  let body: @Sendable (Image) throws -> Image

  var cacheKey: String { key }

  func transform(_ image: Image, work: WorkContext) throws -> Image { try body(image) }
}
