/// How a load ended well.
public enum LoadResult: Sendable {
  /// The body went to the sink whole.
  case body(TransferMetrics?)
  /// The bytes lie ready, in memory or in a file, and did not go through the sink.
  case bytes(ImageBytes, ResponseHead)
  /// The picture is made already.
  case image(Image)
  /// The server says that what is cached is still the right one.
  case notModified(ResponseHead)

  /// The head that comes with the result and not by the sink.
  var head: ResponseHead? {
    switch self {
    case .bytes(_, let head), .notModified(let head): head
    case .body, .image: nil
    }
  }
}
