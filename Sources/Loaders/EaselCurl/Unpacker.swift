import CEaselCurl

/// Unpacks a body that came as gzip or brotli, and holds what a pausing sink could not take yet.
final class Unpacker {
  /// How far a piece was unpacked.
  enum Progress {
    case done
    /// The taker wanted no more for now; the rest is held.
    case held
    /// The taker ended it.
    case stopped
    case broken
  }

  private let unpacker: OpaquePointer
  private let room: UnsafeMutableRawBufferPointer
  private var held: [UInt8]?
  private var hasBegun = false

  /// Nil for a coding that was not asked for, and where there is no memory.
  init?(_ coding: String) {
    let packing: easel_packing
    switch coding.lowercased() {
    case "gzip", "x-gzip": packing = easel_packing_gzip
    case "br": packing = easel_packing_brotli
    default: return nil
    }
    guard let unpacker = easel_unpacker_create(packing) else { return nil }
    self.unpacker = unpacker
    room = .allocate(byteCount: 64 << 10, alignment: 64)
  }

  deinit {
    easel_unpacker_destroy(unpacker)
    room.deallocate()
  }

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
      let result = easel_unpacker_step(unpacker, &source, &count, target, &left)
      guard result != easel_unpacking_broken else { return .broken }
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
