import CEaselCurl

/// Undoes one of the codings of a body, and holds what could not be taken yet.
final class PackingLayer {
  /// How far a piece was unpacked.
  enum Progress {
    case done
    /// The taker wanted no more for now; the rest is held.
    case held
    /// The taker ended it.
    case stopped
    case broken
    /// There is more of it than is allowed.
    case tooLarge
    /// It is more packing than body.
    case wasteful
  }

  private let unpacker: OpaquePointer
  private let room: UnsafeMutableRawBufferPointer
  private let limit: Int
  private var held: [UInt8]?
  private var hasBegun = false
  private var packedCount = 0
  private var unpackedCount = 0

  /// Nil for an unknown coding, and where there is no memory.
  ///
  /// `limit` counts for the bytes before unpacking, and for those after it.
  init?(_ coding: String, limit: Int) {
    let packing: easel_packing
    switch coding {
    case "gzip", "x-gzip": packing = easel_packing_gzip
    case "deflate": packing = easel_packing_deflate
    case "br": packing = easel_packing_brotli
    default: return nil
    }
    guard let unpacker = easel_unpacker_create(packing) else { return nil }
    self.unpacker = unpacker
    // Packing adds a little to what cannot be made smaller.
    let (sum, isTooMuch) = limit.addingReportingOverflow(limit / 8 + Self.allowance)
    self.limit = isTooMuch ? .max : sum
    room = .allocate(byteCount: 64 << 10, alignment: 64)
  }

  deinit {
    easel_unpacker_destroy(unpacker)
    room.deallocate()
  }

  /// So many packed bytes are never too many, whatever is in them.
  private static let allowance = 64 << 10
  /// More packed bytes for one of the body are nobody's packing; a server that sends each byte as soon as it has it
  /// needs six.
  private static let mostWaste = 8

  /// Whether packed bytes wait for the taker.
  var isHolding: Bool { held != nil }

  /// Whether the packed bytes came to their end, or there were none.
  var isComplete: Bool { !hasBegun || easel_unpacker_is_complete(unpacker) }

  /// Unpacks; `take` is given each part and says whether it takes another, nil to end it all.
  func unpack(_ bytes: UnsafeRawBufferPointer, to take: (UnsafeRawBufferPointer) -> Bool?) -> Progress {
    guard !bytes.isEmpty else { return .done }
    hasBegun = true
    return goOn(bytes, to: take)
  }

  /// Goes on with what is held.
  func unpackHeld(to take: (UnsafeRawBufferPointer) -> Bool?) -> Progress {
    guard let bytes = held else { return .done }
    held = nil
    return bytes.withUnsafeBytes { goOn($0, to: take) }
  }

  private func goOn(_ bytes: UnsafeRawBufferPointer, to take: (UnsafeRawBufferPointer) -> Bool?) -> Progress {
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
          // Even without a byte left of the source there may be more to come of it.
          held = Array(UnsafeRawBufferPointer(start: source, count: count))
          return .held
        }
      }
      if result == easel_unpacking_hungry { return .done }
    }
  }
}
