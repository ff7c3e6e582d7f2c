import Easel

/// The file by which a desktop finds the program for thumbnails.
enum ThumbnailerEntry {
  /// The other names under which desktops know formats.
  private static let otherNames = [
    "image/bmp": ["image/x-bmp", "image/x-ms-bmp"],
    "image/vnd.microsoft.icon": ["image/x-icon", "image/ico", "image/x-win-bitmap"], "image/heic": ["image/heif"],
    "image/j2c": ["image/x-jp2-codestream"], "image/jp2": ["image/jpx"],
    "image/png": ["image/apng"], "image/svg+xml": ["image/svg+xml-compressed"], "image/tiff": ["image/tiff-multipage"],
    "image/x-portable-anymap": [
      "image/x-portable-bitmap", "image/x-portable-graymap", "image/x-portable-pixmap",
    ],
    "image/vnd.radiance": ["image/x-hdr"],
  ]

  /// The types of all formats that the program reads.
  static var types: [String] {
    let types = CoderRegistry.program.coders.flatMap(\.formats).map(\.mimeType)
    return Set(types + types.flatMap { otherNames[$0] ?? [] }).sorted()
  }

  static var text: String {
    """
    [Thumbnailer Entry]
    TryExec=easel
    Exec=easel thumbnail --size %s %i %o
    MimeType=\(types.joined(separator: ";"));
    """
  }
}
