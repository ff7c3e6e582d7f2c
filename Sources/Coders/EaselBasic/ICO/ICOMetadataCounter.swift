import EaselCore
import EaselPNG

/// Counts the bytes of an icon that belong to none of the pictures.
struct ICOMetadataCounter {
  let directory: ICODirectory
  let bytes: ImageBytes
  let work: WorkContext

  /// The number of bytes; nil if a picture cannot be read to its end, or if two pictures overlap.
  func count() throws -> Int? {
    guard directory.isComplete else { return nil }
    var end = ICODirectory.headerBytes + ICODirectory.entryBytes * directory.parts.count
    var used = end
    for part in directory.parts.sorted(by: { $0.offset < $1.offset }) {
      try work.checkCancellation()
      guard part.offset >= end, part.offset + part.count <= bytes.count,
        let count = try part.bitmap.map({ try bitmapBytes($0, part) }) ?? pngBytes(part), count <= part.count
      else { return nil }
      used += count
      end = part.offset + part.count
    }
    return bytes.count - used
  }

  private func bitmapBytes(_ header: BMPHeader, _ part: ICOEntry) throws -> Int? {
    let body = try BMPBody(header, of: bytes, at: part.offset, statedOffset: nil)
    return body.maskOffset + body.maskBytesPerRow * header.size.height - part.offset
  }

  private func pngBytes(_ part: ICOEntry) throws -> Int? {
    let file = try ImageBytes(bytes.part(at: part.offset, count: part.count))
    return try PNGCoder().metadataBytes(of: file, work: work).map { part.count - $0 }
  }
}
