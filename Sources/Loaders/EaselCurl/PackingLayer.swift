import CEaselCurl

/// Undoes one content coding of a body, and holds bytes that the receiver cannot take yet.
final class PackingLayer {
  /// The result of unpacking some bytes.
  enum Progress {
    case done
    /// The receiver wants no more for now, so the rest is held.
    case held
    /// The receiver ended the transfer.
    case stopped
    case broken
    /// The body exceeds the limit.
    case tooLarge
    /// The packed bytes unpack to too few bytes.
    case wasteful
  }

  private let unpacker: OpaquePointer
  private let room: UnsafeMutableRawBufferPointer
  private let limit: Int
  private var held: [UInt8]?
  private var hasBegun = false
  private var packedCount = 0
  private var unpackedCount = 0

  /// Returns nil for an unknown coding, or when memory runs out.
  ///
  /// `limit` applies both to the packed and to the unpacked bytes.
  init?(_ coding: String, limit: Int) {
    let packing: easel_packing
    switch coding {
    case "gzip", "x-gzip": packing = easel_packing_gzip
    case "deflate": packing = easel_packing_deflate
    case "br": packing = easel_packing_brotli
    case "zstd": packing = easel_packing_zstd
    default: return nil
    }
    guard let unpacker = easel_unpacker_create(packing) else { return nil }
    self.unpacker = unpacker
    // Packing makes data that cannot be compressed a little larger, so the limit is raised.
    let (sum, isTooMuch) = limit.addingReportingOverflow(limit / 8 + Self.allowance)
    self.limit = isTooMuch ? .max : sum
    room = .allocate(byteCount: 64 << 10, alignment: 64)
  }

  deinit {
    easel_unpacker_destroy(unpacker)
    room.deallocate()
  }

  /// The number of packed bytes that is always accepted, even if they unpack to little.
  private static let allowance = 64 << 10
  /// The most packed bytes per unpacked byte.
  ///
  /// A compressor that flushes after each byte still writes only six bytes for it.
  private static let mostWaste = 8

  /// True when packed bytes wait for the receiver.
  var isHolding: Bool { held != nil }

  /// True when the packed data ended properly, or when none came.
  var isComplete: Bool { !hasBegun || easel_unpacker_is_complete(unpacker) }

  /// Unpacks bytes.
  ///
  /// `take` gets each part, and returns true for more, false for a pause, and nil to stop.
  func unpack(_ bytes: UnsafeRawBufferPointer, to take: (UnsafeRawBufferPointer) -> Bool?) -> Progress {
    guard !bytes.isEmpty else { return .done }
    hasBegun = true
    return process(bytes, to: take)
  }

  /// Continues with the held bytes.
  func unpackHeld(to take: (UnsafeRawBufferPointer) -> Bool?) -> Progress {
    guard let bytes = held else { return .done }
    held = nil
    return bytes.withUnsafeBytes { process($0, to: take) }
  }

  private func process(_ bytes: UnsafeRawBufferPointer, to take: (UnsafeRawBufferPointer) -> Bool?) -> Progress {
    var source = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
    var count = bytes.count
    while true {
      var left = room.count
      let target = room.baseAddress!.assumingMemoryBound(to: UInt8.self)
      let countBefore = count
      let result = easel_unpacker_step(unpacker, &source, &count, target, &left)
      guard result != easel_unpacking_broken else { return .broken }
      packedCount += countBefore - count
      unpackedCount += room.count - left
      guard packedCount <= limit, unpackedCount <= limit else { return .tooLarge }
      guard packedCount <= Self.allowance || (packedCount - Self.allowance) / Self.mostWaste <= unpackedCount else {
        return .wasteful
      }
      if left < room.count {
        let part = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(room).prefix(room.count - left))
        guard let wantsMore = take(part) else { return .stopped }
        if !wantsMore, result == easel_unpacking_full || count > 0 {
          // The unpacker may have more output even if no input is left.
          held = Array(UnsafeRawBufferPointer(start: source, count: count))
          return .held
        }
      }
      if result == easel_unpacking_hungry { return .done }
    }
  }
}
