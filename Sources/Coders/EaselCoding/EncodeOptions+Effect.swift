import EaselCore

extension EncodeOptions {
  /// The options that every coder obeys, with all others at their defaults.
  ///
  /// Coders start from them to tell which options change their files. An option that a coder does not add back must
  /// leave its files as they are.
  public var commonToAllFormats: EncodeOptions {
    var result = EncodeOptions()
    // A box without area is the same as none.
    result.maxPixelSize = maxPixelSize.flatMap { $0.isEmpty ? nil : $0 }
    result.maxFileBytes = maxFileBytes
    result.keepsMetadata = keepsMetadata
    return result
  }

  /// True if the copyright is kept and other metadata are not.
  public var keepsCopyrightAlone: Bool { keepsCopyright && !keepsMetadata }

  /// The compression level as coders use it, from 0 to 9.
  package var sensibleLevel: Int { min(9, max(0, compressionLevel)) }

  /// The background of formats that ignore its alpha.
  public var opaqueBackground: PixelColor {
    var color = backgroundColor
    color.alpha = .max
    return color
  }
}
