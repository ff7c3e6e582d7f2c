import EaselCore

/// Reads small parts of the bytes, and skips long chains without keeping their bytes.
struct GIFWindow {
  let bytes: ImageBytes

  /// The first piece is small: most chains are short, and the bytes after a chain are read again.
  private static let (firstBytes, mostBytes) = (512, 64 << 10)

  init(_ bytes: ImageBytes) { self.bytes = bytes }

  /// Skips sub-blocks; returns true after the end of the chain.
  ///
  /// The function gives up soon after `most` sub-blocks were not full, and returns false.
  func skip(_ chain: inout GIFSubBlocks, atMost most: Int, work: WorkContext) throws(ImageError) -> Bool {
    var length = Self.firstBytes
    while chain.position < bytes.count, chain.shortBlocks <= most {
      if try skipPiece(&chain, of: length) { return true }
      try work.checkCancellation()
      length = min(Self.mostBytes, length * 4)
    }
    return false
  }

  private func skipPiece(_ chain: inout GIFSubBlocks, of length: Int) throws(ImageError) -> Bool {
    let inMemory = bytes.withBytesInMemory { bytes in
      chain.skip(UnsafeRawBufferPointer(rebasing: bytes[chain.position...].prefix(length)))
    }
    if let inMemory { return inMemory }
    return try bytes.part(at: chain.position, count: length).withUnsafeBytes { chain.skip($0) }
  }

  /// The content of a complete chain of sub-blocks.
  func content(of range: Range<Int>) throws(ImageError) -> [UInt8] {
    let all = try bytes.part(at: range.lowerBound, count: range.count)
    var content: [UInt8] = []
    var position = 0
    while position < all.count, all[position] > 0 {
      content += all[(position + 1)..<min(all.count, position + 1 + Int(all[position]))]
      position += 1 + Int(all[position])
    }
    return content
  }
}

extension Array<UInt8> {
  func littleEndian16(at offset: Int) -> Int { Int(self[offset]) | Int(self[offset + 1]) << 8 }
}
