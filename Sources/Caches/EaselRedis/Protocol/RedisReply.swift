import CEaselRedis
import FoundationEssentials

/// A reply of a server.
package enum RedisReply: Sendable, Equatable {
  case status(String)
  /// An error, whose text begins with a word in capitals.
  case error(String)
  case integer(Int64)
  case string(Data)
  case null
  case array([RedisReply])

  /// Takes over a reply of the reader, and frees it; the bytes of strings are not copied.
  init(consuming reply: UnsafeMutablePointer<easel_redis_reply>) {
    self.init(reply.pointee, reply)
    easel_redis_reply_free(reply)
  }

  private init(_ reply: easel_redis_reply, _ pointer: UnsafeMutablePointer<easel_redis_reply>) {
    func text() -> String {
      String(decoding: UnsafeRawBufferPointer(start: reply.bytes, count: reply.count), as: UTF8.self)
    }
    switch reply.kind {
    case EASEL_REDIS_STATUS: self = .status(text())
    case EASEL_REDIS_ERROR: self = .error(text())
    case EASEL_REDIS_INTEGER: self = .integer(reply.number)
    case EASEL_REDIS_ARRAY:
      self = .array(
        (0..<reply.count).map { index in
          // The reader returns an array only when all its elements are there.
          let element = reply.elements[index]!
          return RedisReply(element.pointee, element)
        })
    case EASEL_REDIS_STRING:
      guard reply.count > 0, let bytes = easel_redis_reply_take_bytes(pointer) else {
        self = .string(Data())
        return
      }
      self = .string(Data(bytesNoCopy: bytes, count: reply.count, deallocator: .free))
    default: self = .null
    }
  }

  /// The bytes of a string; nil for any other reply.
  var data: Data? {
    if case .string(let data) = self { data } else { nil }
  }

  /// The text of a string or a status; nil for any other reply.
  var text: String? {
    switch self {
    case .string(let data): String(decoding: data, as: UTF8.self)
    case .status(let text): text
    default: nil
    }
  }

  /// The number; nil for any other reply.
  var number: Int64? {
    if case .integer(let number) = self { number } else { nil }
  }

  /// The elements of an array; nil for any other reply.
  var elements: [RedisReply]? {
    if case .array(let elements) = self { elements } else { nil }
  }
}
