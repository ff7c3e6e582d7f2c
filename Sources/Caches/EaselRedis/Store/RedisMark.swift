import EaselCore
import EaselRecords
import EaselSupport
import FoundationEssentials

/// The newest information about an original.
///
/// It is a line that scripts read, followed by the response of a renewal.
///
/// The line has `E1`, then epoch and generation in 16 digits each. The server's date, the time of arrival and the time
/// of storing follow in microseconds (-1 if there is none), and then 1 after a renewal. A valid entry begins with the
/// same 34 bytes.
package struct RedisMark {
  static let magic = "E1"
  /// The length of magic, epoch and generation.
  static let identityLength = 34

  let epoch: UInt64
  let generation: UInt64
  /// The response of a renewal, which is valid for all entries of the generation.
  let renewed: CacheRecord.Response?

  /// Reads a mark; returns nil if it is damaged.
  package init?(_ bytes: Data) {
    guard let mark = bytes.withUnsafeBytes({ Self.read($0) }) else { return nil }
    self = mark
  }

  private init(_ epoch: UInt64, _ generation: UInt64, renewed: CacheRecord.Response?) {
    (self.epoch, self.generation, self.renewed) = (epoch, generation, renewed)
  }

  private static func read(_ bytes: UnsafeRawBufferPointer) -> RedisMark? {
    guard let (epoch, generation) = identity(in: bytes), let end = bytes.firstIndex(of: UInt8(ascii: "\n")),
      end > identityLength
    else { return nil }
    var fields = 0
    var last = end
    for index in identityLength..<end where bytes[index] == UInt8(ascii: " ") { (fields, last) = (fields + 1, index) }
    guard fields == 4, end - last == 2 else { return nil }
    guard bytes[last + 1] == UInt8(ascii: "1") else { return RedisMark(epoch, generation, renewed: nil) }
    return RecordCoding.decodeResponse(UnsafeRawBufferPointer(rebasing: bytes[(end + 1)...])).map {
      RedisMark(epoch, generation, renewed: $0)
    }
  }

  /// The epoch and the generation at the beginning of a mark or an entry.
  static func identity(in bytes: UnsafeRawBufferPointer) -> (epoch: UInt64, generation: UInt64)? {
    guard bytes.count >= identityLength, bytes.starts(with: magic.utf8),
      let epoch = number(UnsafeRawBufferPointer(rebasing: bytes[2..<18])),
      let generation = number(UnsafeRawBufferPointer(rebasing: bytes[18..<34]))
    else { return nil }
    return (epoch, generation)
  }

  private static func number(_ digits: UnsafeRawBufferPointer) -> UInt64? {
    var number: UInt64 = 0
    for digit in digits {
      switch digit {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): number = number << 4 | UInt64(digit - UInt8(ascii: "0"))
      case UInt8(ascii: "a")...UInt8(ascii: "f"): number = number << 4 | UInt64(digit - UInt8(ascii: "a") + 10)
      default: return nil
      }
    }
    return number
  }

  static func identity(_ epoch: UInt64, _ generation: UInt64) -> String { magic + hex(epoch) + hex(generation) }

  /// The second part of the mark, after epoch and generation, for a new entry.
  static func times(of record: CacheRecord) -> String {
    " \(times(of: record.response)) \(microseconds(record.stored)) 0\n"
  }

  /// The server's date and the time of arrival.
  static func times(of response: CacheRecord.Response?) -> String {
    guard let response else { return "-1 -1" }
    let date = response.headers["Date"].flatMap { HTTPDate.parse($0) }
    return "\(date.map(microseconds) ?? -1) \(microseconds(response.received))"
  }

  static func hex(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  // Lua's numbers are exact up to 2 to the power of 53, which is in the year 2255.
  private static func microseconds(_ date: Date) -> Int64 {
    let value = (date.timeIntervalSince1970 * 1_000_000).rounded()
    return value.isFinite ? Int64(max(0, min(value, 9_007_199_254_740_991))) : 0
  }

  /// The record of an entry with the renewed response, if there is one.
  func current(_ record: CacheRecord) -> CacheRecord {
    guard let renewed else { return record }
    var record = record
    if record.response.map({ $0.isOlder(than: renewed) }) ?? true { record.response = renewed }
    return record
  }
}
