/// Computes a number from the bytes of a body: equal bytes have the same number, or generation, in every process.
package enum ContentGeneration {
  /// The generation of an empty body.
  package static let ofNothing: UInt64 = 0

  package static func of(_ bytes: ImageBytes) throws -> UInt64 {
    var state = UInt64(bytes.count) &* 0x9e37_79b9_7f4a_7c15
    if bytes.withBytesInMemory({ state = mix($0, into: state) }) != nil { return named(state) }
    // A file is read in windows, because it may be too large for memory.
    let window = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
    defer { window.deallocate() }
    var offset = 0
    while offset < bytes.count {
      let count = try bytes.read(at: offset, into: window)
      state = mix(UnsafeRawBufferPointer(rebasing: window[..<count]), into: state)
      offset += count
    }
    return named(state)
  }

  /// The generation of a picture that came without encoded bytes.
  ///
  /// Comparing all frames of moving pictures would cost too much, so each moving picture gets a unique generation.
  package static func of(_ image: Image) -> UInt64 {
    guard !image.isAnimated else { return .random(in: 1 ... .max) }
    let bitmap = image.bitmap
    var state = UInt64(bitmap.width) << 32 ^ UInt64(bitmap.height)
    state = fold(state ^ UInt64(bitmap.format.layout.rawValue) << 8 ^ UInt64(bitmap.format.alpha.rawValue))
    state = fold(state ^ UInt64(image.metadata.orientation.rawValue))
    image.metadata.iccProfile?.withUnsafeBytes { state = mix($0, into: state) }
    if let color = image.metadata.color { state = mix(color.fingerprint, into: state) }
    state = mix(bitmap, into: state)
    if let map = image.metadata.gainMap {
      state = fold(state ^ UInt64(map.bitmap.width) << 32 ^ UInt64(map.bitmap.height))
      state = mix(map.bitmap, into: mix(map.formula.fingerprint, into: state))
    }
    return named(state)
  }

  private static func mix(_ bitmap: Bitmap, into start: UInt64) -> UInt64 {
    var state = start
    let rowBytes = bitmap.width * bitmap.format.bytesPerPixel
    bitmap.withUnsafeBytes { bytes in
      for row in 0..<bitmap.height {
        let start = row * bitmap.bytesPerRow
        state = mix(UnsafeRawBufferPointer(rebasing: bytes[start..<start + rowBytes]), into: state)
      }
    }
    return state
  }

  private static func mix(_ words: [UInt64], into start: UInt64) -> UInt64 {
    words.reduce(start) { fold($0 ^ $1) }
  }

  package static func named(_ state: UInt64) -> UInt64 { state == ofNothing ? 1 : state }

  /// Mixes eight bytes at a time into the state, with a product of full width.
  static func mix(_ bytes: UnsafeRawBufferPointer, into start: UInt64) -> UInt64 {
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
