import EaselCore

/// The place of a box in the file.
struct AVIFBox {
  /// The four letters of a box's name as one number.
  struct Kind: Hashable, CustomStringConvertible {
    let code: Int

    init(code: Int) { self.code = code }

    init(_ name: StaticString) { code = name.withUTF8Buffer { $0.reduce(0) { $0 << 8 | Int($1) } } }

    var description: String {
      let bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: code >> $0) }
      return bytes.allSatisfy { (32...126).contains($0) } ? "'\(String(decoding: bytes, as: UTF8.self))'" : "\(code)"
    }
  }

  let kind: Kind
  /// The offset of the first byte of the head.
  let start: Int
  /// The offset of the first byte after the head.
  let content: Int
  let end: Int

  /// The bytes after the head, or after version and flags.
  func body(isFull: Bool = false) -> Range<Int> { min(end, content + (isFull ? 4 : 0))..<end }

  var count: Int { end - start }
}

/// Reads numbers and boxes of a file; nothing outside its bytes is read.
struct AVIFBytes {
  private let bytes: UnsafeRawBufferPointer

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  var count: Int { bytes.count }

  /// A number of up to eight bytes; nil outside the file, or if it is too large.
  func number(at offset: Int, bytes length: Int) -> Int? {
    guard offset >= 0, length <= count, offset <= count - length else { return nil }
    var number: UInt64 = 0
    for index in offset..<offset + length { number = number << 8 | UInt64(bytes[index]) }
    return Int(exactly: number)
  }

  func kind(at offset: Int) -> AVIFBox.Kind? { number(at: offset, bytes: 4).map(AVIFBox.Kind.init) }

  /// True if the text is at this offset.
  func hasText(_ text: StaticString, at offset: Int) -> Bool {
    text.withUTF8Buffer { text in
      guard offset >= 0, text.count <= count, offset <= count - text.count else { return false }
      return text.indices.allSatisfy { bytes[offset + $0] == text[$0] }
    }
  }

  /// True if the name of alpha among auxiliary pictures is at this offset.
  func isAlpha(at offset: Int) -> Bool {
    hasText("urn:mpeg:mpegB:cicp:systems:auxiliary:alpha", at: offset)
      || hasText("urn:mpeg:hevc:2015:auxid:1", at: offset)
  }

  /// The box at an offset, whose end may be outside; nil if there is none.
  func box(at offset: Int, before end: Int) -> AVIFBox? {
    guard end - offset >= 8, let size = number(at: offset, bytes: 4), let kind = kind(at: offset + 4) else {
      return nil
    }
    switch size {
    case 0: return AVIFBox(kind: kind, start: offset, content: offset + 8, end: end)
    case 1:
      guard end - offset >= 16, let size = number(at: offset + 8, bytes: 8), size >= 16,
        size <= Int.max - offset
      else { return nil }
      return AVIFBox(kind: kind, start: offset, content: offset + 16, end: offset + size)
    default: return size < 8 ? nil : AVIFBox(kind: kind, start: offset, content: offset + 8, end: offset + size)
    }
  }

  /// The boxes inside a part of the file, up to the first that does not fit.
  func boxes(in part: Range<Int>) -> [AVIFBox] {
    var boxes: [AVIFBox] = []
    var offset = part.lowerBound
    while let box = box(at: offset, before: part.upperBound), box.end <= part.upperBound {
      boxes.append(box)
      offset = box.end
    }
    return boxes
  }
}

extension [AVIFBox] {
  /// The first box of a kind.
  func first(_ name: StaticString) -> AVIFBox? {
    let kind = AVIFBox.Kind(name)
    return first { $0.kind == kind }
  }

  /// The number of bytes in a part of the file that belong to none of these boxes.
  func bytes(of part: Range<Int>, except names: Set<AVIFBox.Kind>) -> Int {
    reduce(part.count) { names.contains($1.kind) ? $0 - $1.count : $0 }
  }
}

extension AVIFBox.Kind: ExpressibleByStringLiteral {
  init(stringLiteral name: StaticString) { self.init(name) }
}
