import EaselCore
import Glibc

/// A picture in 6 to 166 characters, with its rough shape and colours.
///
/// It is a placeholder to show until the picture has arrived. The format is that of [BlurHash](https://blurha.sh). It
/// stores neither the aspect ratio nor transparency; ``ThumbHash`` stores both.
///
/// ```swift
/// let text = try BlurHash(of: image).text
/// let placeholder = try BlurHash(text: text).image()
/// ```
public struct BlurHash: Hashable, Sendable {
  /// The characters of the hash.
  public let text: String

  private static let digits = Array(
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#$%*+,-.:;=?@[]^_{|}~".utf8)

  /// Reads a hash; throws `badImageData` for a text that no encoder writes.
  public init(text: String) throws(ImageError) {
    self.text = text
    _ = try Content(reading: text)
  }

  /// Computes the hash of a picture, or of the first frame of a moving one.
  ///
  /// There are 1 to 9 components in each direction; more of them show finer shapes and make a longer text. Transparent
  /// parts take the average colour of the picture; to use another colour, call `flattened(over:)` on its bitmap first.
  public init(
    of image: Image, components: (x: Int, y: Int) = (4, 3), work: WorkContext = WorkContext()
  ) throws(ImageError) {
    guard (1...9).contains(components.x), (1...9).contains(components.y) else {
      throw ImageError(
        .encodeFailed, "A BlurHash has 1 to 9 components a side, but \(components.x) by \(components.y) were asked for."
      )
    }
    let picture = try SmallImage(image, linearLight: true, work: work).map { ColorSpaces.linear($0) }.filled
    let series = CosineSeries(of: picture, columns: components.x, rows: components.y, phase: 0)
    let waves = (1..<components.x * components.y).map { series[$0 % components.x, $0 / components.x] * 2 }
    let highest = waves.reduce(0) { max($0, abs($1.x), abs($1.y), abs($1.z)) }
    let top = Int(min(82, max(0, (highest * 166 - 0.5).rounded(.down))))
    let scale = Double(top + 1) / 166
    let mean = ColorSpaces.level(series[0, 0])
    text =
      Self.word(components.x - 1 + (components.y - 1) * 9, 1) + Self.word(top, 1)
      + Self.word(Int(mean.x) << 16 | Int(mean.y) << 8 | Int(mean.z), 4)
      + waves.map { wave in
        let steps = (0..<3).map { index in
          let share = wave[index] / scale
          let root = share < 0 ? -(-share).squareRoot() : share.squareRoot()
          return Int(min(18, max(0, (root * 9 + 9.5).rounded(.down))))
        }
        return Self.word((steps[0] * 19 + steps[1]) * 19 + steps[2], 2)
      }.joined()
  }

  /// The number of components in each direction.
  public var components: (x: Int, y: Int) {
    let flag = Self.digits.firstIndex(of: text.utf8.first!)!
    return (flag % 9 + 1, flag / 9 + 1)
  }

  /// Draws the placeholder at a size, which should be small; `punch` makes its contrast stronger or, below 1, weaker.
  public func image(
    size: PixelSize = PixelSize(width: 32, height: 32), punch: Double = 1, work: WorkContext = WorkContext()
  ) throws(ImageError) -> Image {
    guard punch >= 0, punch <= 1000 else {
      throw ImageError(.transformFailed, "The punch of a BlurHash must be from 0 to 1000, but is \(punch).")
    }
    try work.limits.check(result: size, madeBy: "BlurHash")
    let content = try Content(reading: text)
    var series = CosineSeries(columns: content.columns, rows: content.rows, phase: 0)
    series[0, 0] = ColorSpaces.linear(content.mean)
    for (index, wave) in content.waves.enumerated() {
      let place = index + 1
      series[place % content.columns, place / content.columns] = wave * punch
    }
    return try series.image(size: size, format: .opaqueRGBA8, work: work) { sum in
      var color = ColorSpaces.encoded(sum)
      color.w = 1
      return color
    }
  }

  /// A number in base 83.
  private static func word(_ value: Int, _ length: Int) -> String {
    var (rest, bytes) = (value, [UInt8]())
    for _ in 0..<length {
      bytes.insert(digits[rest % 83], at: 0)
      rest /= 83
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension BlurHash {
  /// The numbers in the text.
  private struct Content {
    let columns: Int
    let rows: Int
    /// The average colour in sRGB.
    let mean: SIMD4<Double>
    /// Linear values of all other components, row by row.
    let waves: [SIMD4<Double>]

    init(reading text: String) throws(ImageError) {
      // The length comes first, so that a very long text is never read.
      let length = text.utf8.count
      guard (6...166).contains(length) else {
        throw ImageError(.badImageData, "A BlurHash has 6 to 166 characters, but there are \(length).")
      }
      var values: [Int] = []
      for byte in text.utf8 {
        guard let value = BlurHash.digits.firstIndex(of: byte) else {
          throw ImageError(.badImageData, "A BlurHash has only the characters of base 83.", subject: text)
        }
        values.append(value)
      }
      func number(_ range: Range<Int>) -> Int { values[range].reduce(0) { $0 * 83 + $1 } }
      columns = values[0] % 9 + 1
      rows = values[0] / 9 + 1
      guard rows <= 9, length == 4 + 2 * columns * rows else {
        throw ImageError(
          .badImageData,
          "A BlurHash claims \(columns) by \(rows) components, which do not fit its \(length) characters.",
          subject: text)
      }
      let color = number(2..<6)
      let scale = Double(values[1] + 1) / 166
      var waves: [SIMD4<Double>] = []
      var isInRange = color < 1 << 24
      for start in stride(from: 6, to: length, by: 2) {
        let wave = number(start..<start + 2)
        isInRange = isInRange && wave < 19 * 19 * 19
        let shares = SIMD4(Double(wave / 361), Double(wave / 19 % 19), Double(wave % 19), 9) / 9 - 1
        waves.append(shares * shares.magnitudes * scale)
      }
      guard isInRange else {
        throw ImageError(.badImageData, "A BlurHash has a colour out of range.", subject: text)
      }
      mean = SIMD4(Double(color >> 16), Double(color >> 8 & 255), Double(color & 255), 255) / 255
      self.waves = waves
    }
  }
}

extension SIMD4<Double> {
  fileprivate var magnitudes: Self { replacing(with: -self, where: self .< 0) }
}
