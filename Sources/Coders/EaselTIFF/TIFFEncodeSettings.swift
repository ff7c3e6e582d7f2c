import CEaselTIFF
import EaselCoding
import EaselCore

/// The settings of the compression, with every value in its range.
struct TIFFEncodeSettings {
  let compression: TIFFCompression
  let predicts: Bool
  let level: Int

  init(_ options: EncodeOptions) {
    compression = options.settings[.tiffCompression] ?? .deflate
    predicts = compression != .none && options.settings[.tiffPredictor] ?? true
    level = options.sensibleLevel
  }

  var foreign: easel_tiff_compression {
    switch compression {
    case .none: EASEL_TIFF_NONE
    case .lzw: EASEL_TIFF_LZW
    case .deflate: EASEL_TIFF_DEFLATE
    }
  }

  /// The number of the compression in a file.
  var tag: Int {
    switch compression {
    case .none: 1
    case .lzw: 5
    case .deflate: 8
    }
  }
}

extension EncodeOptions {
  /// The options that change TIFF files, with every value in its range.
  var effectiveForTIFF: EncodeOptions {
    let settings = TIFFEncodeSettings(self)
    var result = commonToAllFormats
    result.keepsCopyright = keepsCopyrightAlone
    result.firstFrameOnly = firstFrameOnly
    if settings.compression == .deflate { result.compressionLevel = settings.level }
    if settings.compression != .deflate { result.settings[.tiffCompression] = settings.compression }
    if settings.compression != .none && !settings.predicts { result.settings[.tiffPredictor] = false }
    return result
  }
}
