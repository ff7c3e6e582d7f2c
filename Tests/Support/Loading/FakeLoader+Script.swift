import EaselCore

extension FakeLoader {
  /// The behaviour of the loader for a URL.
  public struct Script: Sendable {
    /// One call of the sink.
    public enum Step: Sendable {
      /// Sends the head.
      case head(ResponseHead)
      /// Sends the next bytes of the body.
      case chunk([UInt8])
      /// Starts again at this offset.
      case restart(at: Int)
    }

    /// The end of a load.
    public enum End: Sendable {
      /// The load returns a result.
      case result(LoadResult)
      /// The load throws an error.
      case failure(any Error)
    }

    /// The calls of the sink, in order.
    public var steps: [Step]
    /// The end of the load after the last step.
    public var end: End

    /// Lists what the loader does in a load, and how it ends.
    public init(_ steps: [Step] = [], end: End = .result(.body(nil))) {
      self.steps = steps
      self.end = end
    }

    /// A head and a body in chunks of `chunkSize` bytes; nil sends one chunk.
    public static func body(
      _ bytes: [UInt8], status: Int? = 200, headers: HTTPHeaders = [:], chunkSize: Int? = nil,
      announcesLength: Bool = true, metrics: LoadResult.Metrics? = nil
    ) -> Script {
      let head = ResponseHead(
        status: status, headers: headers, expectedLength: announcesLength ? bytes.count : nil)
      let size = max(1, chunkSize ?? bytes.count)
      let chunks = stride(from: 0, to: bytes.count, by: size).map { start in
        Step.chunk(Array(bytes[start..<min(start + size, bytes.count)]))
      }
      return Script([.head(head)] + chunks, end: .result(.body(metrics)))
    }

    /// A head with this status, and an empty body.
    public static func status(_ status: Int, headers: HTTPHeaders = [:]) -> Script {
      .body([], status: status, headers: headers)
    }

    /// A failure before the head.
    public static func failure(_ error: any Error) -> Script { Script(end: .failure(error)) }

    /// A head and the first `count` bytes of a body, then an error.
    public static func failure(_ error: any Error, after count: Int, of bytes: [UInt8]) -> Script {
      var script = Script.body(Array(bytes.prefix(count)))
      script.steps[0] = .head(ResponseHead(status: 200, expectedLength: bytes.count))
      script.end = .failure(error)
      return script
    }

    /// A finished picture.
    public static func image(_ image: Image) -> Script { Script(end: .result(.image(image))) }

    /// Bytes that are ready and bypass the sink.
    public static func ready(_ bytes: ImageBytes, head: ResponseHead = ResponseHead()) -> Script {
      Script(end: .result(.bytes(bytes, head)))
    }

    /// The answer 304, not modified.
    public static func notModified(headers: HTTPHeaders = [:]) -> Script {
      Script(end: .result(.notModified(ResponseHead(status: 304, headers: headers))))
    }
  }

  /// A point of a load where it can be suspended.
  public enum Point: Hashable, Sendable {
    /// After the call was recorded, before it does anything.
    case start
    /// Before the step of the script at this index.
    case step(Int)
    /// After the last step, before the end.
    case end
  }
}
