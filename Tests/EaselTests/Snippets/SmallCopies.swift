import Easel

// Documentation: writing a cache serializer.
struct SmallCopies: CacheSerializer, Hashable {
  var quality = 0.7

  func serialize(_ image: Image, received: ImageBytes?, work: WorkContext) throws -> ImageBytes? {
    // Received bytes are stored as they are. The manager encodes moving pictures.
    guard received == nil, !image.isAnimated else { return nil }
    var options = EncodeOptions()
    options.quality = quality
    return try WebPCoder().encode(image, as: .webp, options: options, work: work)
  }
}
