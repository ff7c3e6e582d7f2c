import EaselCore
import EaselRedis
import EaselWire
import FoundationEssentials

/// Drives the readers of all that Redis may send with bytes that may be anything: replies, entries, marks, messages.
public struct FuzzedRedis: Sendable {
  private static let limit = 4096

  /// Creates the driver.
  public init() {}

  /// Tries one input; its last byte chooses the pieces in which replies arrive.
  public func run(_ input: UnsafeRawBufferPointer) {
    guard let choice = input.last else { return }
    let rest = UnsafeRawBufferPointer(rebasing: input.dropLast())
    let (whole, failure) = replies(rest, pieces: rest.count)
    let (parts, partFailure) = replies(rest, pieces: Int(choice) + 1)
    precondition(whole == parts && (failure == nil) == (partFailure == nil), "In pieces these are other replies.")
    for reply in whole { precondition(Self.size(reply) <= Self.limit, "A reply is larger than the limit.") }

    let data = Data(rest)
    let digest = "0123456789abcdef0123456789abcdef"
    if let entry = RedisEntry.decode(data, digest: digest) {
      precondition(entry.body.count <= data.count, "The body is longer than the value.")
    }
    _ = RedisMark(data)
    _ = ClaimMessage(String(decoding: rest, as: UTF8.self), about: CacheKey(original: "a"))
  }

  private func replies(_ bytes: UnsafeRawBufferPointer, pieces: Int) -> ([RedisReply], WireError?) {
    var parser = RedisReplyParser(limit: Self.limit)
    var replies: [RedisReply] = []
    do throws(WireError) {
      var offset = 0
      while offset < bytes.count {
        let end = min(bytes.count, offset + max(1, pieces))
        try parser.feed(UnsafeRawBufferPointer(rebasing: bytes[offset..<end]))
        while let reply = try parser.next() { replies.append(reply) }
        offset = end
      }
      return (replies, nil)
    } catch {
      return (replies, error)
    }
  }

  private static func size(_ reply: RedisReply) -> Int {
    switch reply {
    case .string(let data): data.count
    case .array(let elements): elements.reduce(0) { $0 + size($1) }
    default: 0
    }
  }
}

/// Tries one input on the readers of what Redis sends, for the C that the fuzzer calls.
@_cdecl("easel_fuzz_redis")
public func fuzzRedis(_ start: UnsafePointer<UInt8>?, _ count: Int) {
  FuzzedRedis().run(UnsafeRawBufferPointer(start: start, count: count))
}
