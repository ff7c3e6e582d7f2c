import EaselCore

/// The colours that represent a picture, the most common first.
///
/// ```swift
/// let colors = try Palette(of: image, count: 5).entries.map(\.color)
/// ```
public struct Palette: Hashable, Sendable {
  /// A colour and how much of the picture it stands for.
  public struct Entry: Hashable, Sendable {
    /// The colour, which is opaque.
    public let color: PixelColor
    /// The share of the picture's visible area, from 0 to 1.
    public let share: Double
  }

  /// The colours; none for a picture that is wholly transparent.
  ///
  /// Their shares add up to 1.
  public let entries: [Entry]

  /// Finds the main colours of a picture, at most `count` of them, which is from 1 to 256.
  ///
  /// Of a moving picture only the first frame counts. Equal pictures have equal palettes. A picture of fewer colours
  /// gives exactly those. Large pictures are reduced first. A pixel counts in proportion to its alpha.
  public init(of image: Image, count: Int, work: WorkContext = WorkContext()) throws(ImageError) {
    guard (1...256).contains(count) else {
      throw ImageError(.transformFailed, "A palette has 1 to 256 colours, but \(count) were asked for.")
    }
    entries = Self.entries(try ColorCluster.clusters(of: image, count: count, work: work))
  }

  /// Finds the colour that covers most of a picture; nil if the picture is wholly transparent.
  ///
  /// Shades that look alike count together, so the result may differ from the first colour of a palette.
  public static func dominantColor(
    of image: Image, work: WorkContext = WorkContext()
  ) throws(ImageError) -> Entry? {
    var clusters = try ColorCluster.clusters(of: image, count: 16, work: work)
    while let (first, second) = ColorCluster.mostAlike(of: clusters) {
      clusters[first] = ColorCluster(clusters[first].samples + clusters[second].samples)
      clusters.remove(at: second)
    }
    return entries(clusters).first
  }

  private static func entries(_ clusters: [ColorCluster]) -> [Entry] {
    let total = clusters.reduce(0) { $0 + $1.weight }
    // Different clusters may round to the same colour.
    var shares: [PixelColor: Double] = [:]
    for cluster in clusters { shares[cluster.color, default: 0] += cluster.weight / total }
    let entries = shares.map { Entry(color: $0.key, share: $0.value) }
    return entries.sorted { ($0.share, $0.color.number) > ($1.share, $1.color.number) }
  }
}

/// Colours of a picture that one colour is to stand for.
private struct ColorCluster {
  struct Sample {
    let color: PixelColor
    let place: SIMD3<Double>
    let weight: Double
  }

  let samples: [Sample]
  let weight: Double
  /// The mean in Oklab.
  let center: SIMD3<Double>
  /// The squared distances from the mean, added up for each axis.
  let spread: SIMD3<Double>

  init(_ samples: [Sample]) {
    self.samples = samples
    let weight = samples.reduce(0) { $0 + $1.weight }
    let center = samples.reduce(SIMD3<Double>()) { $0 + $1.place * $1.weight } / weight
    spread = samples.reduce(SIMD3<Double>()) { sum, sample in
      let offset = sample.place - center
      return sum + offset * offset * sample.weight
    }
    self.weight = weight
    self.center = center
  }

  /// The one colour that stands for all.
  var color: PixelColor {
    // The mean of one colour is that colour, which rounding must not change.
    if samples.count == 1 { return samples[0].color }
    let level = ColorSpaces.level(ColorSpaces.linear(oklab: center))
    return PixelColor(red: level.x, green: level.y, blue: level.z)
  }

  /// Splits the colours into clusters; each step splits the cluster whose colour represents it worst.
  static func clusters(of image: Image, count: Int, work: WorkContext) throws(ImageError) -> [ColorCluster] {
    let picture = try SmallImage(image, linearLight: true, work: work)
    var weights: [PixelColor: Double] = [:]
    for pixel in picture.pixels where pixel.w > 0 {
      let level = SIMD4<UInt8>((pixel * 255).rounded(.toNearestOrAwayFromZero))
      weights[PixelColor(red: level.x, green: level.y, blue: level.z), default: 0] += pixel.w
    }
    guard !weights.isEmpty else { return [] }
    let samples = weights.sorted { $0.key.number < $1.key.number }.map { color, weight in
      let level = SIMD4(Double(color.red), Double(color.green), Double(color.blue), 255)
      return Sample(color: color, place: ColorSpaces.oklab(ColorSpaces.linear(level / 255)), weight: weight)
    }
    if samples.count <= count { return samples.map { ColorCluster([$0]) } }
    var clusters = [ColorCluster(samples)]
    while clusters.count < count {
      try work.checkCancellation()
      let candidates = clusters.indices.filter { clusters[$0].samples.count > 1 }
      guard let worst = candidates.max(by: { clusters[$0].spread.sum() < clusters[$1].spread.sum() }) else { break }
      let (left, right) = clusters[worst].halves()
      clusters[worst] = left
      clusters.append(right)
    }
    return clusters
  }

  /// Splits in two along the axis of the widest spread, where the halves represent their colours best.
  private func halves() -> (ColorCluster, ColorCluster) {
    let axis = (0..<3).max { spread[$0] < spread[$1] }!
    let sorted = samples.sorted { ($0.place[axis], $0.color.number) < ($1.place[axis], $1.color.number) }
    let total = center[axis] * weight
    var (sum, leftWeight, best, split) = (0.0, 0.0, -1.0, 1)
    for (index, sample) in sorted.enumerated().dropLast() {
      sum += sample.place[axis] * sample.weight
      leftWeight += sample.weight
      let rest = total - sum
      // The larger this is, the smaller are the squared distances within the halves.
      let gain = sum * sum / leftWeight + rest * rest / (weight - leftWeight)
      if gain > best { (best, split) = (gain, index + 1) }
    }
    return (ColorCluster(Array(sorted[..<split])), ColorCluster(Array(sorted[split...])))
  }

  /// The two clusters whose colours differ least; nil if all of them look different.
  static func mostAlike(of clusters: [ColorCluster]) -> (Int, Int)? {
    // White and black are 1 apart; colours closer than a tenth of that look like shades of one.
    var (least, result): (Double, (Int, Int)?) = (0.1, nil)
    for second in clusters.indices {
      for first in 0..<second {
        let offset = clusters[first].center - clusters[second].center
        let distance = (offset * offset).sum().squareRoot()
        if distance < least { (least, result) = (distance, (first, second)) }
      }
    }
    return result
  }
}

extension PixelColor {
  /// Red, green and blue in one number, for an order that is always the same.
  fileprivate var number: Int { Int(red) << 16 | Int(green) << 8 | Int(blue) }
}
