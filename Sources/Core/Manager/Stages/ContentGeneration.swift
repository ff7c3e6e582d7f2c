/// Numbers bodies by their content: the same bytes have the same generation, in every process.
enum ContentGeneration {
  static func of(_ bytes: ImageBytes) throws -> UInt64 {
    var state = UInt64(bytes.count) &* 0x9e37_79b9_7f4a_7c15
    if bytes.withBytesInMemory({ state = mix($0, into: state) }) != nil { return state }
    // A file is read in windows: it may be larger than memory should be.
    let window = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
    defer { window.deallocate() }
    var offset = 0
    while offset < bytes.count {
      let count = try bytes.read(at: offset, into: window)
      state = mix(UnsafeRawBufferPointer(rebasing: window[..<count]), into: state)
      offset += count
    }
    return state
  }

  /// Eight bytes at a time, each folded in by a full-width product.
  private static func mix(_ bytes: UnsafeRawBufferPointer, into start: UInt64) -> UInt64 {
    var state = start
    var offset = 0
    while offset + 8 <= bytes.count {
      state = fold(state ^ bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      offset += 8
    }
    var tail: UInt64 = 0
    while offset < bytes.count {
      tail = tail << 8 | UInt64(bytes[offset])
      offset += 1
    }
    return fold(state ^ tail)
  }

  private static func fold(_ word: UInt64) -> UInt64 {
    let product = (word ^ 0xa076_1d64_78bd_642f).multipliedFullWidth(by: 0xe703_7ed1_a0b4_28db)
    return product.high ^ product.low
  }
}
