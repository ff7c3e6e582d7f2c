import EaselCore

extension EncodeOptions {
  /// The options that every coder obeys, with all other options at their defaults.
  ///
  /// Coders start from these options to state which options change their files. An option that a coder does not add
  /// must not change the files of this coder.
  public var commonToAllFormats: EncodeOptions {
    var result = EncodeOptions()
    // A box without area limits nothing.
    result.maxPixelSize = maxPixelSize.flatMap { $0.isEmpty ? nil : $0 }
    result.maxFileBytes = maxFileBytes
    result.keepsMetadata = keepsMetadata
    return result
  }

  /// True if the copyright is kept and other metadata are dropped.
  public var keepsCopyrightAlone: Bool { keepsCopyright && !keepsMetadata }

  /// The compression level, limited to the range from 0 to 9 that coders use.
  package var sensibleLevel: Int { min(9, max(0, compressionLevel)) }

  /// The background for formats that cannot store its alpha.
  public var opaqueBackground: PixelColor {
    var color = backgroundColor
    color.alpha = .max
    return color
  }
}
