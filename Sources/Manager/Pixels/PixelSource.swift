import EaselCore

/// The input of a decode or a transformer.
enum PixelSource: Sendable {
  /// A transfer that may still be running when decoding begins.
  case transfer(JoinedRun<Transferred>)
  /// Bytes from a cache. They are in a box of their own, because a source of another kind waits in thousands of loads.
  indirect case cached(ImageBytes, CacheRecord)
  /// A picture that needs no decoding.
  case image(Image, generation: UInt64)
  /// The first frame of a moving picture, as a still picture.
  case firstFrame(Image, generation: UInt64)
  /// A picture that has been transformed already.
  case finished(Image, generation: UInt64)

  /// The transfer that brings the bytes; nil for bytes and pictures that are there.
  var transfer: JoinedRun<Transferred>? { if case .transfer(let transfer) = self { transfer } else { nil } }

  var input: PixelsKey.Input {
    switch self {
    case .transfer(let transfer): .transfer(run: transfer.name.number)
    case .cached(_, let record): .bytes(generation: record.generation, record.picture)
    case .image(_, let generation), .finished(_, let generation): .bitmap(generation: generation)
    case .firstFrame(_, let generation): .firstFrame(generation: generation)
    }
  }
}
