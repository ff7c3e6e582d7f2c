import EaselCore

/// The place of a box in the file.
package struct MediaBox: Sendable {
  /// The four letters of a box's name as one number.
  package struct Kind: Hashable, Sendable, CustomStringConvertible {
    package let code: Int

    package init(code: Int) { self.code = code }

    package init(_ name: StaticString) { code = name.withUTF8Buffer { $0.reduce(0) { $0 << 8 | Int($1) } } }

    package var description: String {
      let bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: code >> $0) }
      return bytes.allSatisfy { (32...126).contains($0) } ? "'\(String(decoding: bytes, as: UTF8.self))'" : "\(code)"
    }
  }

  package let kind: Kind
  /// The offset of the first byte of the head.
  package let start: Int
  /// The offset of the first byte after the head.
  package let content: Int
  package var end: Int

  /// The part after the head; with `isFull`, the part after version and flags.
  package func body(isFull: Bool = false) -> Range<Int> { min(end, content + (isFull ? 4 : 0))..<end }

  package var count: Int { end - start }
}

extension [MediaBox] {
  /// The first box of the given kind.
  package func first(_ name: StaticString) -> MediaBox? {
    let kind = MediaBox.Kind(name)
    return first { $0.kind == kind }
  }

  /// The number of bytes in a part of the file that are outside the boxes of these names.
  package func bytes(of part: Range<Int>, except names: Set<MediaBox.Kind>) -> Int {
    reduce(part.count) { names.contains($1.kind) ? $0 - $1.count : $0 }
  }
}

extension MediaBox.Kind: ExpressibleByStringLiteral {
  package init(stringLiteral name: StaticString) { self.init(name) }
}
