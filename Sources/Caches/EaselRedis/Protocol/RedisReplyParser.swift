import CEaselRedis
import EaselWire

/// Reads replies within limits, so that a server that announces false lengths costs no more memory than an honest one.
package struct RedisReplyParser: WireParser {
  /// The most elements of a reply; the list of slots of a cluster always has fewer.
  private static let mostElements = 1 << 17

  private final class Reader {
    let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) { self.pointer = pointer }

    deinit { easel_redis_reader_close(pointer) }
  }

  private let reader: Reader
  private let limit: Int

  /// Creates a parser; `limit` is the most bytes that the strings of one reply may have together.
  package init(limit: Int) {
    // The allocation of a few bytes fails only when nothing else works either.
    reader = Reader(easel_redis_reader_open(limit, Self.mostElements)!)
    self.limit = limit
  }

  package mutating func feed(_ bytes: UnsafeRawBufferPointer) throws(WireError) {
    try check(easel_redis_reader_feed(reader.pointer, bytes.baseAddress, bytes.count))
  }

  package mutating func next() throws(WireError) -> RedisReply? {
    var reply: UnsafeMutablePointer<easel_redis_reply>?
    try check(easel_redis_reader_next(reader.pointer, &reply))
    return reply.map { RedisReply(consuming: $0) }
  }

  private func check(_ outcome: easel_redis_outcome) throws(WireError) {
    switch outcome {
    case EASEL_REDIS_TOO_LARGE: throw WireError(.tooLarge, "A reply has more than the \(limit) bytes that are taken.")
    case EASEL_REDIS_MALFORMED: throw WireError(.malformed, "The server does not speak the protocol of Redis.")
    default: return
    }
  }
}
