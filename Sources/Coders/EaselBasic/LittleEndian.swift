extension [UInt8] {
  func little16(at offset: Int) -> Int { Int(self[offset]) | Int(self[offset + 1]) << 8 }

  func little32(at offset: Int) -> Int { little16(at: offset) | little16(at: offset + 2) << 16 }

  func signedLittle32(at offset: Int) -> Int { Int(Int32(truncatingIfNeeded: little32(at: offset))) }

  mutating func appendLittle16(_ value: Int) {
    append(UInt8(truncatingIfNeeded: value))
    append(UInt8(truncatingIfNeeded: value >> 8))
  }

  mutating func appendLittle32(_ value: Int) {
    appendLittle16(value)
    appendLittle16(value >> 16)
  }
}
