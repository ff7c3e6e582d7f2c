/// What pixels are made of.
enum PixelSource: Sendable {
  /// A transfer, which may still be under way when decoding begins.
  case transfer(TransferKey)
  /// Bytes at hand, from a cache.
  case cached(ImageBytes, generation: UInt64)
  /// A picture that needs no decoding.
  case image(Image, generation: UInt64)

  var input: PixelsKey.Input {
    switch self {
    case .transfer(let key): .transfer(key)
    case .cached(_, let generation): .bytes(generation: generation)
    case .image(_, let generation): .bitmap(generation: generation)
    }
  }
}
