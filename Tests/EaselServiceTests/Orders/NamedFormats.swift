import EaselCore

/// A coder that knows formats by their names alone.
struct NamedFormats: FileNamingCoder {
  static let names = FormatNames(NamedFormats())
  /// The names of all formats that imgproxy knows.
  static let allOfImgproxy = FormatNames(
    NamedFormats(formats: usual + ["jxl", "tiff", "bmp", "svg+xml"].map { ImageFormat(mimeType: "image/\($0)") }))
  private static let icon = ImageFormat(mimeType: "image/vnd.microsoft.icon")
  private static let heic = ImageFormat(mimeType: "image/heic")

  let identifier = "names"
  private static let usual: [ImageFormat] = [
    .jpeg, .png, .gif, .webp, ImageFormat(mimeType: "image/avif"), heic, icon,
  ]
  var formats = NamedFormats.usual

  func fileExtensions(of format: ImageFormat) -> [String] {
    switch format {
    case .jpeg: ["jpg", "jpeg"]
    case Self.heic: ["heic", "heif"]
    case Self.icon: ["ico", "cur"]
    default: [String(format.mimeType.split(separator: "/")[1].prefix { $0 != "+" })]
    }
  }

  func canDecode(prefix: [UInt8]) -> Bool { false }
  func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader { throw ImageError(.unsupportedFormat, "") }

  func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image {
    throw ImageError(.unsupportedFormat, "")
  }
}
