import CEaselRedis
import Glibc

/// A command: its name and its arguments, in the form that is sent.
struct RedisCommand: Sendable {
  /// The bytes to send.
  let bytes: [UInt8]

  init(_ words: String...) { self.init(words) }

  init(_ words: [String], body: [UInt8]? = nil) {
    var joined: [UInt8] = []
    var lengths: [Int] = []
    for word in words {
      joined += word.utf8
      lengths.append(word.utf8.count)
    }
    if let body {
      joined += body
      lengths.append(body.count)
    }
    var count = 0
    let formatted = easel_redis_format(joined, lengths, CInt(lengths.count), &count)!
    defer { free(formatted) }
    bytes = Array(UnsafeRawBufferPointer(start: formatted, count: count))
  }
}
