import EaselCoding
import EaselCore
import FoundationEssentials
import Glibc

/// A JPEG with nothing but its picture and its colour profile.
///
/// The bytes of the picture stay as they are, so that no pixel changes.
enum BareJPEG {
  /// The JPEG without its metadata; nil if it is turned, or if it is not understood to its end.
  ///
  /// A turn is stated by the metadata, so that a turned JPEG would look wrong without them.
  static func file(of jpeg: ImageBytes) throws(ImageError) -> Data? {
    let bytes = try jpeg.loaded()
    let file = bytes.withBytesInMemory { bytes in
      var segments = Segments(bytes: bytes)
      return segments.bare()
    }
    return file ?? nil
  }

  /// True if these bytes begin as a JPEG does.
  static func isJPEG(_ bytes: ImageBytes) throws(ImageError) -> Bool { try bytes.prefix(3) == [0xFF, 0xD8, 0xFF] }

  private struct Segments {
    let bytes: UnsafeRawBufferPointer
    private var position = 2
    private var hasScan = false
    private var hasJFIF = false
    private var hasAdobe = false

    init(bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    mutating func bare() -> Data? {
      guard bytes.count > 4, bytes[0] == 0xFF, bytes[1] == 0xD8 else { return nil }
      var result = Data([0xFF, 0xD8])
      while let code = nextMarker() {
        if code == 0xD9 {
          result.append(contentsOf: [0xFF, 0xD9])
          return hasScan ? result : nil
        }
        guard let content = content(of: code), add(code, content, to: &result) else { return nil }
      }
      return nil
    }

    /// Moves behind the next marker; nil if none begins here.
    private mutating func nextMarker() -> UInt8? {
      guard position + 1 < bytes.count, bytes[position] == 0xFF else { return nil }
      // Any number of FF may precede a marker.
      while position < bytes.count, bytes[position] == 0xFF { position += 1 }
      guard position < bytes.count else { return nil }
      position += 1
      return bytes[position - 1]
    }

    /// The content of the segment of a marker, behind which the position moves; nil for markers that have none.
    private mutating func content(of code: UInt8) -> UnsafeRawBufferPointer? {
      guard code >= 0xC0, !(0xD0...0xD8).contains(code), position + 2 <= bytes.count else { return nil }
      let length = Int(bytes[position]) << 8 | Int(bytes[position + 1])
      guard length >= 2, position + length <= bytes.count else { return nil }
      defer { position += length }
      return UnsafeRawBufferPointer(rebasing: bytes[position + 2..<position + length])
    }

    /// Adds a segment, if it belongs to the picture; returns false if the file cannot do without it.
    private mutating func add(_ code: UInt8, _ content: UnsafeRawBufferPointer, to result: inout Data) -> Bool {
      switch code {
      case 0xE0:
        guard !hasJFIF, content.count >= 14, content.starts(with: Self.jfif) else { return true }
        hasJFIF = true
        // The last two bytes are the size of a thumbnail, which is left out.
        Self.append(code, Array(content.prefix(12)) + [0, 0], to: &result)
      case 0xE1:
        let turn = content.starts(with: Self.exif) ? EXIF(Data(content))?.orientation : nil
        return turn == nil || turn == .up
      case 0xE2:
        if !hasScan, content.starts(with: Self.profile) { Self.append(code, Array(content), to: &result) }
      case 0xEE:
        guard !hasAdobe, content.count >= 12, content.starts(with: Self.adobe) else { return true }
        hasAdobe = true
        Self.append(code, Array(content.prefix(12)), to: &result)
      case 0xE3...0xEF, 0xFE: break
      case 0xDA:
        Self.append(code, Array(content), to: &result)
        let start = position
        guard skipScan() else { return false }
        hasScan = true
        result.append(contentsOf: bytes[start..<position])
      default: Self.append(code, Array(content), to: &result)
      }
      return true
    }

    private static let (jfif, exif) = (Array("JFIF\0".utf8), Array("Exif\0\0".utf8))
    private static let (profile, adobe) = (Array("ICC_PROFILE\0".utf8), Array("Adobe".utf8))

    private static func append(_ code: UInt8, _ content: some Collection<UInt8>, to result: inout Data) {
      let length = content.count + 2
      result.append(contentsOf: [0xFF, code, UInt8(length >> 8), UInt8(length & 255)])
      result.append(contentsOf: content)
    }

    /// Moves to the marker after coded pixels; returns false if there is none.
    private mutating func skipScan() -> Bool {
      while position + 1 < bytes.count,
        let found = memchr(bytes.baseAddress! + position, 0xFF, bytes.count - 1 - position)
      {
        position = UnsafeRawPointer(found) - bytes.baseAddress!
        let code = bytes[position + 1]
        if code != 0, code != 0xFF, !(0xD0...0xD7).contains(code) { return true }
        position += code == 0xFF ? 1 : 2
      }
      return false
    }
  }
}
