import EaselCoding
import EaselCore

/// The settings of the compression, with every value in its range.
struct AVIFWay {
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
    quality = FileSizeSearch.sensible(options.quality)
    alphaQuality = options.settings[.avifAlphaQuality].map(FileSizeSearch.sensible) ?? quality
    speed = min(10, max(0, options.settings[.avifSpeed] ?? Self.usualSpeed))
    depth = options.settings[.avifDepth].flatMap { [8, 10, 12].contains($0) ? $0 : nil }
    chroma = options.chromaSubsampling
  }

  /// The same at another quality; that of alpha is lowered with it.
  func at(quality: Double) -> AVIFWay {
    var way = self
    way.quality = quality
    way.alphaQuality = alphaQuality == self.quality ? quality : min(alphaQuality, max(quality, 0.5))
    return way
  }

  /// The quantizer of a quality: 0 is the finest, 63 the coarsest.
  static func quantizer(_ quality: Double) -> Int { Int(((1 - quality) * 63).rounded()) }
}

extension EncodeOptions {
  /// The options that change AVIF files, with every value in its range.
  var effectiveForAVIF: EncodeOptions {
    let way = AVIFWay(self)
    var result = commonToAllFormats
    result.keepsCopyright = keepsCopyrightAlone
    result.asked.lossless = asked.lossless
    result.firstFrameOnly = firstFrameOnly
    if !lossless {
      result.takeQuality(of: self, FileSizeSearch.sensible)
      result.asked.chromaSubsampling = asked.chromaSubsampling
      if way.alphaQuality != way.quality { result.settings[.avifAlphaQuality] = way.alphaQuality }
    }
    if way.speed != AVIFWay.usualSpeed { result.settings[.avifSpeed] = way.speed }
    result.settings[.avifDepth] = way.depth
    return result
  }
}
