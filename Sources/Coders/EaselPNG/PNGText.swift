import CEaselPNG
import EaselCore
import FoundationEssentials

/// Unpacks text and profile chunks: a name, followed by content that may be compressed.
enum PNGText {
  static let xmpKeyword = Array("XML:com.adobe.xmp\0".utf8)

  /// The text of an iTXt chunk, nil if the chunk cannot be read.
  static func text(of content: [UInt8], atMost limit: Int) throws(ImageError) -> Data? {
    var rest = content.dropFirst(xmpKeyword.count)
    guard rest.count >= 2, let isCompressed = rest.popFirst(), let method = rest.popFirst() else { return nil }
    // The loop skips the language and the translated keyword.
    for _ in 0..<2 {
      guard let end = rest.firstIndex(of: 0) else { return nil }
      rest = rest[(end + 1)...]
    }
    guard isCompressed == 1 else { return Data(rest) }
    return method == 0 ? try inflated(rest, atMost: limit, claimedBy: "PNG: iTXt") : nil
  }

  /// The profile of an iCCP chunk, nil if the chunk cannot be read.
  static func profile(of content: [UInt8], atMost limit: Int) throws(ImageError) -> Data? {
    guard let end = content.prefix(80).firstIndex(of: 0), end > 0, content.count > end + 2, content[end + 1] == 0
    else { return nil }
    return try inflated(content[(end + 2)...], atMost: limit, claimedBy: "PNG: iCCP")
  }

  private static func inflated(
    _ compressed: ArraySlice<UInt8>, atMost limit: Int, claimedBy source: String
  ) throws(ImageError) -> Data? {
    var capacity = min(limit, max(4096, compressed.count * 4))
    while true {
      var result = Data(count: capacity)
      var count = 0
      let status = compressed.withUnsafeBytes { compressed in
        result.withUnsafeMutableBytes { target in
          easel_png_inflate_small(compressed.baseAddress, compressed.count, target.baseAddress, capacity, &count)
        }
      }
      if status == EASEL_PNG_OK { return result.prefix(count) }
      guard status == EASEL_PNG_NO_MEMORY else { return nil }
      guard capacity < limit else {
        throw ImageError(
          .limitExceeded,
          "\(source) inflates to more than the limit of \(limit) bytes. Raise Limits.metadataBytes to allow it.")
      }
      capacity = min(limit, capacity * 4)
    }
  }
}
