import Easel
import EaselService

/// How `easel serve` writes the files of each format; nil for the default of its encoder.
struct ServeEncoding: Hashable, Sendable {
  enum WebPCompression: String, CaseIterable, Sendable {
    case lossy, lossless
    case nearLossless = "near_lossless"
  }

  enum Subsampling: String, CaseIterable, Sendable { case auto, on, off }

  var isJPEGProgressive = false
  var hasFullJPEGColor = false
  var jpegEffort: Int?
  var webpCompression = WebPCompression.lossy
  var webpEffort: Int?
  var avifSpeed: Int?
  var avifSubsampling = Subsampling.auto
  var jxlEffort: Int?

  /// The settings by format, without those that are the default.
  var tunings: [ImageFormat: ImageOrder.Tuning] {
    let chroma: EncodeOptions.ChromaSubsampling? =
      switch avifSubsampling {
      case .auto: nil
      case .on: .quarter
      case .off: .full
      }
    let all: [ImageFormat: ImageOrder.Tuning] = [
      .jpeg: .init(
        isProgressive: isJPEGProgressive ? true : nil, chromaSubsampling: hasFullJPEGColor ? .full : nil,
        effort: jpegEffort),
      .webp: .init(isLossless: webpCompression == .lossy ? nil : true, effort: webpEffort),
      .avif: .init(chromaSubsampling: chroma, effort: avifSpeed), .jxl: .init(effort: jxlEffort),
    ]
    return all.filter { $0.value != .init() }
  }
}
