/// What pixels are made of.
enum PixelSource: Sendable {
  /// A transfer, which may still be under way when decoding begins.
  case transfer(SharedWork<TransferKey, Transferred>.Run)
  /// Bytes at hand, from a cache.
  case cached(ImageBytes, CacheRecord)
  /// A picture that needs no decoding.
  case image(Image, generation: UInt64)
  /// The first frame of a moving picture, as a still one.
  case firstFrame(Image, generation: UInt64)

  var input: PixelsKey.Input {
    switch self {
    case .transfer(let run): .transfer(run: run.number)
    case .cached(_, let record): .bytes(generation: record.generation, record.picture)
    case .image(_, let generation): .bitmap(generation: generation)
    case .firstFrame(_, let generation): .firstFrame(generation: generation)
    }
  }
}
