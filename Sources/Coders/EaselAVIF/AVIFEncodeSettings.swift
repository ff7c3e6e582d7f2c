import EaselCoding
import EaselCore

/// The settings of the compression, with every value in its range.
struct AVIFEncodeSettings: FrameSettings {
  var isLossless: Bool
  /// From 0 to 1.
  var quality: Double
  /// From 0 to 1.
  var alphaQuality: Double
  /// From 0 to 10.
  var speed: Int
  /// 8, 10 or 12; nil for the depth that suits the picture.
  var depth: Int?
  var chroma: EncodeOptions.ChromaSubsampling

  static let usualSpeed = 8

  init(_ options: EncodeOptions) {
    isLossless = options.lossless
    quality = LooksTable.avif.library(options)
    alphaQuality = options.settings[.avifAlphaQuality].map { LooksTable.avif.library($0, options) } ?? quality
    speed = min(10, max(0, options.settings[.avifSpeed] ?? Self.usualSpeed))
    depth = options.settings[.avifDepth].flatMap { [8, 10, 12].contains($0) ? $0 : nil }
    chroma = options.chromaSubsampling
  }

  /// The same settings with another quality; the quality of alpha falls with it.
  func at(quality: Double) -> AVIFEncodeSettings {
    var settings = self
    settings.quality = quality
    settings.alphaQuality = alphaQuality == self.quality ? quality : min(alphaQuality, max(quality, 0.5))
    return settings
  }

  /// The quantizer for a quality: 0 is the finest, 63 the coarsest.
  static func quantizer(_ quality: Double) -> Int { Int(((1 - quality) * 63).rounded()) }
}

extension EncodeOptions {
  /// The options that change AVIF files, with every value in its range.
  var effectiveForAVIF: EncodeOptions {
    let settings = AVIFEncodeSettings(self)
    var result = commonToAllFormats
    result.keepsCopyright = keepsCopyrightAlone
    result.asked.lossless = asked.lossless
    result.firstFrameOnly = firstFrameOnly
    if !lossless {
      LooksTable.avif.takeLooks(of: self, into: &result, FileSizeSearch.sensible)
      result.asked.chromaSubsampling = asked.chromaSubsampling
      if settings.alphaQuality != settings.quality || self.settings[.scoreTarget] != nil {
        result.settings[.avifAlphaQuality] = self.settings[.avifAlphaQuality].map(FileSizeSearch.sensible)
      }
    }
    if settings.speed != AVIFEncodeSettings.usualSpeed { result.settings[.avifSpeed] = settings.speed }
    result.settings[.avifDepth] = settings.depth
    return result
  }
}
