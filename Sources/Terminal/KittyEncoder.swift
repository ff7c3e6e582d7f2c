import EaselCore
import FoundationEssentials

/// Encodes pixels for kitty's protocol: RGBA in base 64, in pieces of at most 4096 characters.
enum KittyEncoder {
  /// The number of the only picture that is shown; a new picture with the same number replaces it without flicker.
  static let identifier = 0xEA5E1

  private static let piece = 4096

  static func encode(_ bitmap: Bitmap, columns: Int, rows: Int) -> [UInt8] {
    var pixels = Data(capacity: bitmap.width * bitmap.height * 4)
    bitmap.withUnsafeBytes { bytes in
      for row in 0..<bitmap.height {
        pixels.append(contentsOf: bytes[(row * bitmap.bytesPerRow)...].prefix(bitmap.width * 4))
      }
    }
    let text = Array(pixels.base64EncodedString().utf8)
    var result: [UInt8] = []
    result.reserveCapacity(text.count + text.count / piece * 16 + 200)
    var start = 0
    repeat {
      let end = min(text.count, start + piece)
      let more = end < text.count ? 1 : 0
      // The command suppresses replies, and does not move the cursor, because terminals would move it by different
      // amounts.
      let first =
        "a=T,f=32,s=\(bitmap.width),v=\(bitmap.height),i=\(identifier),p=1,c=\(columns),r=\(rows),C=1,q=2,m=\(more)"
      result += Array("\u{1B}_G\(start == 0 ? first : "m=\(more)");".utf8) + text[start..<end] + Array("\u{1B}\\".utf8)
      start = end
    } while start < text.count
    return result + Array(String(repeating: "\n", count: rows).utf8)
  }
}
