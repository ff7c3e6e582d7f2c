import Easel
import Foundation

/// The facts that `easel info` tells of a picture, as lines for people.
enum Details {
  /// Reads the header of a picture from its file, from the caches or from the network.
  static func lines(of url: URL, from manager: ImageManager) async -> [String] {
    do {
      let bytes =
        url.isFileURL
        ? try ImageBytes(contentsOfFile: url.path) : try await manager.bytes(for: ImageRequest(url: url))
      let header = try CoderRegistry.standard.probe(bytes, work: WorkContext())
      return [url.lastPathComponent] + lines(of: header) + [size(bytes.count)]
    } catch {
      return [url.lastPathComponent, "\(error)"]
    }
  }

  private static func lines(of header: ImageHeader) -> [String] {
    let stored = header.storedSize
    let millions = Double(stored.area) / 1e6
    var lines = [
      header.format.mimeType,
      "\(stored.width) × \(stored.height)" + (millions >= 1 ? String(format: ", %.1f megapixels", millions) : ""),
      "\(header.bitDepth) bits" + (header.hasAlpha ? ", transparent" : ""),
    ]
    if header.frameCount > 1 {
      let time = header.storedDelays.reduce(.zero, +) / .seconds(1)
      let plays = header.loopCount == 0 ? "for ever" : "\(header.loopCount) times"
      lines.append("\(header.frameCount) frames in \(String(format: "%.1f", time)) s, played \(plays)")
    }
    if header.orientation != .up { lines.append("orientation \(header.orientation.rawValue)") }
    if header.iccProfileBytes > 0 { lines.append("ICC profile of \(size(header.iccProfileBytes))") }
    if let color = header.color?.coding {
      lines.append("colours by code points \(color.primaries)/\(color.transfer)/\(color.matrix)")
    }
    if let map = header.gainMap { lines.append("gain map of \(map.size.width) × \(map.size.height)") }
    if header.exifBytes > 0 { lines.append("EXIF of \(size(header.exifBytes))") }
    return lines + header.notes
  }

  private static func size(_ bytes: Int) -> String {
    switch bytes {
    case ..<1000: "\(bytes) bytes"
    case ..<1_000_000: String(format: "%.1f kB", Double(bytes) / 1e3)
    default: String(format: "%.1f MB", Double(bytes) / 1e6)
    }
  }
}
