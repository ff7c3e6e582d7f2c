import EaselWire
import FoundationEssentials

/// Reads the replies to meta commands.
struct MemcachedReplyParser: WireParser {
  /// The most bytes of a line: a key has at most 250 bytes, and the other flags are numbers.
  private static let longestLine = 1024

  private let largestValue: Int
  private var bytes: [UInt8] = []
  private var start = 0
  /// The line of a value that has not fully arrived.
  private var open: (words: [Substring], count: Int)?

  init(largestValue: Int) { self.largestValue = largestValue }

  mutating func feed(_ new: UnsafeRawBufferPointer) throws(WireError) {
    if start > 1 << 16 || start == bytes.count {
      bytes.removeFirst(start)
      start = 0
    }
    bytes.append(contentsOf: new)
  }

  mutating func next() throws(WireError) -> MemcachedReply? {
    if open == nil {
      guard let words = try line() else { return nil }
      switch words[0] {
      case "VA":
        guard words.count > 1, let count = Int(words[1]), count >= 0 else {
          throw malformed("a value without a length")
        }
        guard count <= largestValue else {
          throw WireError(.tooLarge, "memcached sent a value of \(count) bytes, and at most \(largestValue) are read.")
        }
        open = (words, count)
      case "HD", "EN", "NS", "EX", "NF", "MN":
        return MemcachedReply(code: String(words[0]), flags: Array(words.dropFirst()), value: nil)
      // The server works, but could not execute this command.
      case "SERVER_ERROR": return MemcachedReply(code: words.joined(separator: " "), flags: [], value: nil)
      default: throw malformed("'\(String(words.joined(separator: " ").prefix(80)))'")
      }
    }
    guard let (words, count) = open else { return nil }
    guard bytes.count - start >= count + 2 else { return nil }
    let value = Array(bytes[start..<start + count])
    guard bytes[start + count] == 13, bytes[start + count + 1] == 10 else {
      throw malformed("a value that is longer than its length")
    }
    start += count + 2
    open = nil
    return MemcachedReply(code: "VA", flags: Array(words.dropFirst(2)), value: value)
  }

  /// The words of the next line; nil until it has arrived.
  private mutating func line() throws(WireError) -> [Substring]? {
    guard let end = bytes[start...].prefix(Self.longestLine).firstIndex(of: 10) else {
      guard bytes.count - start < Self.longestLine else { throw malformed("a line without an end") }
      return nil
    }
    guard end > start, bytes[end - 1] == 13, let text = String(validating: bytes[start..<end - 1], as: UTF8.self),
      case let words = text.split(separator: " "), !words.isEmpty
    else { throw malformed("a line that is none") }
    start = end + 1
    return words
  }

  private func malformed(_ what: String) -> WireError {
    WireError(.malformed, "memcached sent \(what), which is no reply to a meta command. Is it older than 1.6?")
  }
}
