import EaselCore
import EaselRecords
import FoundationEssentials

/// The newest that is known of an original.
///
/// It is a line that scripts read, and behind it the response of a renewal:
/// `E1`, epoch and generation in 16 digits each, then the server's date, the time of arrival and that of storing in
/// microseconds (-1 if there is none), and 1 after a renewal. An entry begins with the same 34 bytes if it is valid.
package struct RedisMark {
  static let magic = "E1"
  /// The length of magic, epoch and generation.
  static let identityLength = 34

  let epoch: UInt64
  let generation: UInt64
  /// The response after a renewal, which is valid for all entries of the generation.
  let renewed: ResponseRecord?

  /// Reads a mark; nil if it is damaged.
  package init?(_ bytes: Data) {
    let bytes = Array(bytes)
    guard let identity = Self.identity(in: bytes), let end = bytes.firstIndex(of: UInt8(ascii: "\n")),
      end > Self.identityLength
    else { return nil }
    (epoch, generation) = identity
    let fields = bytes[Self.identityLength..<end].split(separator: UInt8(ascii: " "))
    guard fields.count == 4 else { return nil }
    guard fields[3].elementsEqual("1".utf8) else {
      renewed = nil
      return
    }
    let response = bytes.withUnsafeBytes {
      RecordCoding.decodeResponse(UnsafeRawBufferPointer(rebasing: $0[(end + 1)...]))
    }
    guard let response else { return nil }
    renewed = response
  }

  /// The epoch and the generation at the beginning of a mark or an entry.
  static func identity(in bytes: some Collection<UInt8>) -> (epoch: UInt64, generation: UInt64)? {
    guard bytes.count >= identityLength, bytes.starts(with: magic.utf8) else { return nil }
    let digits = String(decoding: bytes.dropFirst(2).prefix(32), as: UTF8.self)
    guard let epoch = UInt64(digits.prefix(16), radix: 16), let generation = UInt64(digits.dropFirst(16), radix: 16)
    else { return nil }
    return (epoch, generation)
  }

  static func identity(_ epoch: UInt64, _ generation: UInt64) -> String { magic + hex(epoch) + hex(generation) }

  /// The part of the mark behind its identity that a new entry brings.
  static func times(of record: CacheRecord) -> String {
    " \(times(of: record.response)) \(microseconds(record.stored)) 0\n"
  }

  /// The server's date and the time of arrival.
  static func times(of response: ResponseRecord?) -> String {
    guard let response else { return "-1 -1" }
    let date = response.headers["Date"].flatMap { HTTPDate.parse($0) }
    return "\(date.map(microseconds) ?? -1) \(microseconds(response.received))"
  }

  static func hex(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  // Lua's numbers are exact up to 2 to the power of 53, which is the year 2255.
  private static func microseconds(_ date: Date) -> Int64 {
    let value = (date.timeIntervalSince1970 * 1_000_000).rounded()
    return value.isFinite ? Int64(max(0, min(value, 9_007_199_254_740_991))) : 0
  }

  /// The record of an entry as the renewals make it.
  func current(_ record: CacheRecord) -> CacheRecord {
    guard let renewed else { return record }
    var record = record
    if record.response.map({ $0.isOlder(than: renewed) }) ?? true { record.response = renewed }
    return record
  }
}
