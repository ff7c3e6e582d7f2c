import EaselCore

/// A picture in at most 25 bytes, with its rough shape, colours and transparency.
///
/// It is a placeholder to show until the picture has arrived, small enough to travel in a list of pictures. The format is
/// that of [ThumbHash](https://evanw.github.io/thumbhash/); its bytes are usually sent as base64.
///
/// ```swift
/// let text = Data(try ThumbHash(of: image).bytes).base64EncodedString()
/// ```
public struct ThumbHash: Hashable, Sendable {
  /// The bytes of the hash.
  public let bytes: [UInt8]

  /// Reads a hash; a hash that no encoder writes is the error `badImageData`.
  public init(bytes: [UInt8]) throws(ImageError) {
    guard bytes.count >= 5 else {
      throw ImageError(.badImageData, "A ThumbHash has at least 5 bytes, but there are \(bytes.count).")
    }
    let shape = Shape(reading: bytes)
    guard (1...shape.longCount).contains(shape.shortCount) else {
      throw ImageError(
        .badImageData,
        "The header of a ThumbHash claims \(shape.shortCount) waves on the short side and \(shape.longCount) on the "
          + "long one.")
    }
    guard bytes.count == shape.byteCount else {
      throw ImageError(
        .badImageData, "The header of a ThumbHash claims \(shape.byteCount) bytes, but there are \(bytes.count).")
    }
    self.bytes = bytes
  }

  /// Computes the hash of a picture, or of the first frame of a moving one.
  public init(of image: Image, work: WorkContext = WorkContext()) throws(ImageError) {
    let picture = try SmallImage(image, linearLight: false, work: work)
    let shape = Shape(of: picture)
    let channels = picture.filled.map { pixel in
      SIMD4(
        (pixel.x + pixel.y + pixel.z) / 3, (pixel.x + pixel.y) / 2 - pixel.z, pixel.x - pixel.y, pixel.w)
    }
    let series = CosineSeries(of: channels, columns: shape.longCount, rows: shape.longCount, phase: 0.5)
    let mean = series[0, 0]
    var scales = SIMD4<Double>()
    var nibbles: [Int] = []
    for channel in shape.channels {
      let values = channel.waves.map { series[$0.column, $0.row][channel.index] }
      let scale = values.reduce(0) { max($0, abs($1)) }
      scales[channel.index] = scale
      nibbles += values.map { Self.quantized(scale > 0 ? 0.5 + 0.5 / scale * $0 : 0, to: 15) }
    }
    let color =
      Self.quantized(mean.x, to: 63) | Self.quantized(0.5 + 0.5 * mean.y, to: 63) << 6
      | Self.quantized(0.5 + 0.5 * mean.z, to: 63) << 12 | Self.quantized(scales.x, to: 31) << 18
      | (shape.hasAlpha ? 1 : 0) << 23
    let form =
      shape.shortCount | Self.quantized(scales.y, to: 63) << 3 | Self.quantized(scales.z, to: 63) << 9
      | (shape.isLandscape ? 1 : 0) << 15
    var words = [color & 255, color >> 8 & 255, color >> 16, form & 255, form >> 8]
    if shape.hasAlpha { words.append(Self.quantized(mean.w, to: 15) | Self.quantized(scales.w, to: 15) << 4) }
    for start in stride(from: 0, to: nibbles.count, by: 2) {
      words.append(nibbles[start] | (start + 1 < nibbles.count ? nibbles[start + 1] << 4 : 0))
    }
    bytes = words.map { UInt8($0) }
  }

  private static func quantized(_ value: Double, to top: Int) -> Int {
    min(top, max(0, Int((value * Double(top)).rounded())))
  }

  /// The width of the picture divided by its height, roughly.
  public var aspectRatio: Double {
    let shape = Shape(reading: bytes)
    let ratio = Double(shape.longCount) / Double(shape.shortCount)
    return shape.isLandscape ? ratio : 1 / ratio
  }

  /// Draws the placeholder, whose longer side has this many pixels.
  public func image(side: Int = 32, work: WorkContext = WorkContext()) throws(ImageError) -> Image {
    try work.limits.check(result: PixelSize(width: side, height: side), madeBy: "ThumbHash")
    let ratio = aspectRatio
    let size = PixelSize(
      width: ratio > 1 ? side : max(1, Int((Double(side) * ratio).rounded())),
      height: ratio > 1 ? max(1, Int((Double(side) / ratio).rounded())) : side)
    let format = Shape(reading: bytes).hasAlpha ? PixelFormat.rgba8 : .opaqueRGBA8
    return try series.image(size: size, format: format, work: work) { sum in
      let blue = sum.x - 2 / 3 * sum.y
      let red = (3 * sum.x - blue + sum.z) / 2
      return SIMD4(red, red - sum.z, blue, sum.w)
    }
  }

  private var series: CosineSeries {
    let shape = Shape(reading: bytes)
    let color = Int(bytes[0]) | Int(bytes[1]) << 8 | Int(bytes[2]) << 16
    let form = Int(bytes[3]) | Int(bytes[4]) << 8
    let alpha = shape.hasAlpha ? Int(bytes[5]) : 15
    // Colours look paler when blurred, so the format strengthens them by a quarter.
    let scales = SIMD4(
      Double(color >> 18 & 31) / 31, Double(form >> 3 & 63) / 63 * 1.25, Double(form >> 9 & 63) / 63 * 1.25,
      Double(alpha >> 4) / 15)
    var series = CosineSeries(columns: shape.longCount, rows: shape.longCount, phase: 0.5)
    series[0, 0] = SIMD4(
      Double(color & 63) / 63, Double(color >> 6 & 63) / 31.5 - 1, Double(color >> 12 & 63) / 31.5 - 1,
      Double(alpha & 15) / 15)
    var place = shape.headerBytes * 2
    for channel in shape.channels {
      for wave in channel.waves {
        let nibble = bytes[place / 2] >> (place % 2 * 4) & 15
        // The format doubles what the encoder measured.
        series[wave.column, wave.row][channel.index] = 2 * (Double(nibble) / 7.5 - 1) * scales[channel.index]
        place += 1
      }
    }
    return series
  }
}

extension ThumbHash {
  /// The part of the header that describes the waves after it.
  private struct Shape {
    let hasAlpha: Bool
    let isLandscape: Bool
    /// The number of waves of brightness along the short side; 0 to 7.
    let shortCount: Int

    init(reading bytes: [UInt8]) {
      hasAlpha = bytes[2] & 128 != 0
      isLandscape = bytes[4] & 128 != 0
      shortCount = Int(bytes[3] & 7)
    }

    init(of picture: SmallImage) {
      let size = picture.size
      hasAlpha = picture.hasAlpha
      isLandscape = size.width > size.height
      let share = Double(min(size.width, size.height)) / Double(max(size.width, size.height))
      shortCount = max(1, Int((Double(hasAlpha ? 5 : 7) * share).rounded()))
    }

    /// The number of waves of brightness along the long side; alpha takes bytes that brightness has otherwise.
    var longCount: Int { hasAlpha ? 5 : 7 }
    var headerBytes: Int { hasAlpha ? 6 : 5 }
    var byteCount: Int { headerBytes + (channels.reduce(0) { $0 + $1.waves.count } + 1) / 2 }

    /// Brightness, yellow against blue, red against green, and alpha where there is any.
    var channels: [(index: Int, waves: [(column: Int, row: Int)])] {
      let short = max(3, shortCount)
      let brightness = Self.waves(isLandscape ? longCount : short, isLandscape ? short : longCount)
      let colors = [(0, brightness), (1, Self.waves(3, 3)), (2, Self.waves(3, 3))]
      return hasAlpha ? colors + [(3, Self.waves(5, 5))] : colors
    }

    /// The pairs of frequencies in a triangle of this width and height, without the mean.
    private static func waves(_ columns: Int, _ rows: Int) -> [(column: Int, row: Int)] {
      let all = (0..<rows).flatMap { row in
        (0..<columns).filter { $0 * rows < columns * (rows - row) }.map { (column: $0, row: row) }
      }
      return Array(all.dropFirst())
    }
  }
}
