import EaselCore
import NIOCore

/// A body on its way to the sink.
struct IncomingBody {
  /// The head, with the length of the body if it is known.
  let head: ResponseHead
  /// The bytes that have arrived.
  private(set) var count = 0

  private let sink: any LoadSink
  private let limit: Int
  private let subject: String

  init(_ head: ResponseHead, _ step: RequestStep, _ sink: any LoadSink) {
    var head = head
    if step.mayHaveBody, head.status != 204, head.status != 304, head.headers["Transfer-Encoding"] == nil {
      head.expectedLength = head.headers["Content-Length"].flatMap { Int($0) }
    }
    self.head = head
    self.sink = sink
    limit = step.byteLimit
    subject = step.url.absoluteString
  }

  /// Throws if the body is packed, because only the client knows whether it has unpacked it.
  func checkPacking() throws(ImageError) {
    let coding = head.headers["Content-Encoding"]?.lowercased() ?? "identity"
    guard coding != "identity" else { return }
    throw ImageError(
      .badImageData,
      "The server packs the body as \"\(coding.prefix(100))\", which it was not asked for. CurlLoader unpacks such bodies.",
      subject: subject, response: head)
  }

  /// Passes bytes on, and waits while the sink is not ready.
  mutating func take(_ piece: ByteBuffer) async throws {
    try Task.checkCancellation()
    count += piece.readableBytes
    guard count <= limit else {
      throw ImageError(
        .limitExceeded, "The body is over the limit of \(limit) bytes. Raise Limits.downloadBytes to allow it.",
        subject: subject, response: head)
    }
    switch piece.withUnsafeReadableBytes({ sink.append($0) }) {
    case .more: break
    case .pause: try await waitUntilReady()
    case .stop: throw CancellationError()
    }
  }

  /// Suspends until the sink is ready; a load that is cancelled meanwhile does not wait for it.
  private func waitUntilReady() async throws {
    // The stream has no elements: it ends when the sink is ready, or with this task.
    let (pause, end) = AsyncStream<Void>.makeStream()
    sink.whenReady { end.finish() }
    for await _ in pause {}
    try Task.checkCancellation()
  }

  /// Throws if the body has another length than its head announced.
  func checkLength() throws(ImageError) {
    if let length = head.expectedLength, length != count { throw cut(nil) }
  }

  /// The next bytes that the client has; a failed transfer has cut the body.
  func next(_ read: () async throws -> ByteBuffer?) async throws -> ByteBuffer? {
    do {
      return try await read()
    } catch let error as ImageError where error.code == .network {
      throw cut(error)
    }
  }

  private func cut(_ error: (any Error)?) -> ImageError {
    let whole = head.expectedLength.map { " of \($0)" } ?? ""
    return ImageError(
      .truncatedBody, "The body was cut after \(count)\(whole) bytes.", subject: subject, response: head, cause: error)
  }
}
