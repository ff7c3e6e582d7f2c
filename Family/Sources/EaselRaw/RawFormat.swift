import EaselCore

/// The formats of raw photos, by the makers of cameras.
enum RawFormat {
  static let dng = ImageFormat(mimeType: "image/x-adobe-dng")
  /// Any other; desktops know the formats of all makers as kinds of this one.
  static let other = ImageFormat(mimeType: "image/x-dcraw")

  /// The formats of makers, by the beginning of the name that is in the file.
  private static let makers = [
    ("Canon", "image/x-canon-cr2"), ("Nikon", "image/x-nikon-nef"), ("Sony", "image/x-sony-arw"),
    ("Fujifilm", "image/x-fuji-raf"), ("Olympus", "image/x-olympus-orf"), ("Panasonic", "image/x-panasonic-rw2"),
    ("Pentax", "image/x-pentax-pef"), ("Samsung", "image/x-samsung-srw"),
  ].map { ($0.lowercased(), ImageFormat(mimeType: $1)) }

  static let all = [dng] + makers.map(\.1) + [other]

  static func of(maker: String, isDNG: Bool) -> ImageFormat {
    if isDNG { return dng }
    return makers.first { maker.lowercased().hasPrefix($0.0) }?.1 ?? other
  }

  /// The signatures: that of TIFF, which most makers use, and those of the others.
  static let signatures: [(offset: Int, bytes: [UInt8])] =
    [
      (0, [0x49, 0x49, 42, 0]), (0, [0x4D, 0x4D, 0, 42]), (4, Array("ftypcrx ".utf8)),
      (0, Array("FUJIFILMCCD-RAW".utf8)), (0, Array("IIRO".utf8)), (0, Array("IIRS".utf8)), (0, Array("MMOR".utf8)),
      (0, [0x49, 0x49, 0x55, 0]), (0, Array("FOVb".utf8)), (0, [0, 0x4D, 0x52, 0x4D]),
    ]
}
