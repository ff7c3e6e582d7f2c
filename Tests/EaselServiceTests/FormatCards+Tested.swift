import EaselAVIF
import EaselCore
import EaselGIF
import EaselHEIF
import EaselJPEG
import EaselPNG
import EaselWebP

@testable import EaselService
import EaselFormats

extension FormatCards {
  /// The cards of the formats whose costs were measured.
  static let tested = FormatCards(
    CoderRegistry([HEIFCoder(), AVIFCoder(), GIFCoder(), WebPCoder(), JPEGCoder(), PNGCoder()]))
}

extension WorkCost {
  /// An estimate by the tested cards.
  init(
    source: ImageFormat? = nil, sourcePixels: Int = 0, resultPixels: Int, frameCount: Int = 1, format: ImageFormat,
    options: EncodeOptions = EncodeOptions(), effort: Duration = .zero
  ) {
    self.init(
      source: source, sourcePixels: sourcePixels, resultPixels: resultPixels, frameCount: frameCount, format: format,
      options: options, effort: effort, formats: .tested)
  }
}

extension WorkFootprint {
  /// An estimate by the tested cards.
  init(_ work: PixelWork) { self.init(work, formats: .tested) }
}
