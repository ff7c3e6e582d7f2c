import EaselCore

extension FakeLoader {
  /// What the loader does when it is asked for a URL.
  public struct Script: Sendable {
    /// One thing that goes to the sink.
    public enum Step: Sendable {
      /// The head.
      case head(ResponseHead)
      /// The next bytes of the body.
      case chunk([UInt8])
      /// The source starts again at this offset.
      case restart(at: Int)
    }

    /// How the load ends.
    public enum End: Sendable {
      /// It returns.
      case result(LoadResult)
      /// It throws.
      case failure(any Error)
    }

    /// What goes to the sink, in order.
    public var steps: [Step]
    /// How the load ends after that.
    public var end: End

    /// Creates a script.
    public init(_ steps: [Step] = [], end: End = .result(.body(nil))) {
      self.steps = steps
      self.end = end
    }

    /// A head and a body in chunks of `chunkSize` bytes, all in one without it.
    public static func body(
      _ bytes: [UInt8], status: Int? = 200, headers: HTTPHeaders = [:], chunkSize: Int? = nil,
      announcesLength: Bool = true, metrics: TransferMetrics? = nil
    ) -> Script {
      let head = ResponseHead(
        status: status, headers: headers, expectedLength: announcesLength ? bytes.count : nil)
      let size = max(1, chunkSize ?? bytes.count)
      let chunks = stride(from: 0, to: bytes.count, by: size).map { start in
        Step.chunk(Array(bytes[start..<min(start + size, bytes.count)]))
      }
      return Script([.head(head)] + chunks, end: .result(.body(metrics)))
    }

    /// The head of an answer with this status and an empty body.
    public static func status(_ status: Int, headers: HTTPHeaders = [:]) -> Script {
      .body([], status: status, headers: headers)
    }

    /// Fails before anything comes.
    public static func failure(_ error: any Error) -> Script { Script(end: .failure(error)) }

    /// A head and the first `count` bytes of a body, and then an error.
    public static func failure(_ error: any Error, after count: Int, of bytes: [UInt8]) -> Script {
      var script = Script.body(Array(bytes.prefix(count)))
      script.steps[0] = .head(ResponseHead(status: 200, expectedLength: bytes.count))
      script.end = .failure(error)
      return script
    }

    /// A picture that is made already.
    public static func image(_ image: Image) -> Script { Script(end: .result(.image(image))) }

    /// Bytes that lie ready and do not go through the sink.
    public static func ready(_ bytes: ImageBytes, head: ResponseHead = ResponseHead()) -> Script {
      Script(end: .result(.bytes(bytes, head)))
    }

    /// The answer that nothing changed.
    public static func notModified(headers: HTTPHeaders = [:]) -> Script {
      Script(end: .result(.notModified(ResponseHead(status: 304, headers: headers))))
    }
  }

  /// A place on the way of a load where it can be suspended.
  public enum Point: Hashable, Sendable {
    /// After it was counted and before anything is done.
    case start
    /// Before the step of the script at this index.
    case step(Int)
    /// After the last step and before the end.
    case end
  }
}
