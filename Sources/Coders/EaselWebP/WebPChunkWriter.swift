import EaselCore
import FoundationEssentials

/// Writes chunks one after another and wraps them in a file.
struct WebPChunkWriter {
  private(set) var chunks = Data()

  mutating func append(_ kind: WebPChunk.Kind, _ content: some Collection<UInt8>) {
    chunks.append(contentsOf: kind.code.littleEndianBytes)
    chunks.append(contentsOf: UInt32(content.count).littleEndianBytes)
    chunks.append(contentsOf: content)
    if content.count % 2 == 1 { chunks.append(0) }
  }

  /// Appends chunks that are already in their written form.
  mutating func append(_ written: Data) { chunks.append(written) }

  mutating func appendHeader(_ canvas: PixelSize, _ features: WebPFile.Features) {
    let sides = [canvas.width, canvas.height].flatMap { UInt32($0 - 1).littleEndianBytes.prefix(3) }
    append(.extended, [features.rawValue, 0, 0, 0] + sides)
  }

  /// The complete file of these chunks.
  func file() throws(ImageError) -> Data {
    guard let count = UInt32(exactly: chunks.count + 4) else {
      throw ImageError(
        .encodeFailed,
        "WebP: the picture takes \(chunks.count) bytes, more than a file may have. Set EncodeOptions.maxFileBytes.")
    }
    // A `Data` that grows takes a quarter more memory than it needs, and keeps it in a cache.
    var file = Data(capacity: chunks.count + 12)
    file.append(contentsOf: Array("RIFF".utf8) + count.littleEndianBytes + Array("WEBP".utf8))
    file.append(chunks)
    return file
  }
}
