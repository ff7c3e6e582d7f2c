import EaselCore

/// The light of a whole picture, which decides its tones.
struct RadianceSurvey {
  private var greatest = 0.0
  private var sum = 0.0
  private var count = 0

  /// Notes the row that a reader has read.
  mutating func note(_ row: RadianceRowReader) {
    let width = row.width
    var (greatest, sum) = (greatest, sum)
    row.components.withUnsafeBufferPointer { components in
      for x in 0..<width {
        let brightest = max(components[x], max(components[width + x], components[2 * width + x]))
        let light = RadianceLight.nits(brightest, components[3 * width + x])
        greatest = max(greatest, light)
        sum += light
      }
    }
    (self.greatest, self.sum, count) = (greatest, sum, count + width)
  }

  /// The light of the brightest pixel and of an average pixel; nil without rows.
  var light: ColorDescription.ContentLight? {
    guard count > 0 else { return nil }
    return ColorDescription.ContentLight(
      greatest: Int(greatest.rounded(.up)), greatestAverage: Int((sum / Double(count)).rounded(.up)))
  }
}
