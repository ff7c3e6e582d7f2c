import EaselCore
import EaselPixels

/// The qualities of a library at which its files look as good as JPEGs of usual qualities.
///
/// The numbers are means over photographs, measured by `script/bench calibrate`. ``EaselPixels/QualityScale`` has a
/// version, which must grow when they change.
package struct LooksTable: Sendable {
  /// The library's quality for each quality on the scale of looks; nil if both are the same.
  private let library: RisingCurve?

  /// The table of the encoder that defines the scale.
  package static let identity = LooksTable(library: nil)

  private init(library: RisingCurve?) { self.library = library }

  /// Creates a table of the library's qualities in per cent for looks in even steps from 0 to 100 per cent.
  package init(percents: [Double]) {
    library = RisingCurve(percents.enumerated().map { (Double($0) * 100 / Double(percents.count - 1), $1) })
  }

  /// The library's quality for the quality in the options, from 0 to 1 and in steps that cache keys can tell.
  package func library(_ options: EncodeOptions) -> Double { library(options.quality, options) }

  /// The library's quality for a quality on the scale of the options.
  package func library(_ quality: Double, _ options: EncodeOptions) -> Double {
    let quality = FileSizeSearch.sensible(quality)
    guard let library, scale(of: options) == .looks else { return quality }
    return (library.value(at: quality * 100) * 100).rounded() / 10_000
  }

  /// The scale that the options ask for.
  package func scale(of options: EncodeOptions) -> QualityScale { options.settings[.qualityScale] ?? .looks }

  /// Takes over the options that decide the looks of a lossy file: a quality with its scale, or a score in their place.
  package func takeLooks(of options: EncodeOptions, into result: inout EncodeOptions, _ change: (Double) -> Double) {
    if let target = options.settings[.scoreTarget] {
      result.settings[.scoreTarget] = target
      // The score finds other qualities when the tables change.
      result.settings[.qualityScale] = .looks
      return
    }
    result.takeQuality(of: options, change)
    if library != nil { result.settings[.qualityScale] = scale(of: options) }
  }

  /// The mean scores of photographs by the quality of a JPEG in per cent.
  package static let usualScores = RisingCurve([
    (0, 0), (10, 11.1), (20, 31.7), (30, 49.5), (40, 60.6), (50, 66.3), (60, 71.2), (70, 75.5), (80, 80.9), (90, 86.8),
    (95, 90.1), (100, 93.4),
  ])
}
