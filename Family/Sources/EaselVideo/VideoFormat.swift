import EaselCore

/// The formats of films, by FFmpeg's names of containers.
enum VideoFormat {
  private static let containers = [
    ("mov", "video/mp4"), ("matroska", "video/x-matroska"), ("avi", "video/x-msvideo"), ("mpegts", "video/mp2t"),
    ("mpeg", "video/mpeg"), ("flv", "video/x-flv"), ("ogg", "video/ogg"), ("asf", "video/x-ms-wmv"),
  ].map { ($0, ImageFormat(mimeType: $1)) }

  private static let quickTime = ImageFormat(mimeType: "video/quicktime")
  private static let webM = ImageFormat(mimeType: "video/webm")

  static let all = containers.map(\.1) + [quickTime, webM]

  /// The format of a film; files of two formats have the container of another, which their beginnings tell.
  static func of(container: String, prefix: [UInt8]) -> ImageFormat {
    let format = containers.first { container.hasPrefix($0.0) }?.1 ?? containers[0].1
    func has(_ text: String) -> Bool {
      let bytes = Array(text.utf8)
      return prefix.indices.contains { prefix[$0...].starts(with: bytes) }
    }
    if container.hasPrefix("mov"), has("ftypqt  ") || !has("ftyp") { return quickTime }
    return container.hasPrefix("matroska") && has("webm") ? webM : format
  }
}
