import EaselCore
import EaselPixels
import Glibc

extension Bitmap {
  /// A picture whose pixels come from a function, each as its components in the order of the layout.
  package init(_ width: Int, _ height: Int, _ format: PixelFormat, _ pixel: (Int, Int) -> [Int]) throws {
    var bitmap = try Bitmap(unfilled: PixelSize(width: width, height: height), format: format)
    let bytesPerRow = bitmap.bytesPerRow
    let isDeep = format.layout == .rgba16
    let bytesPerPixel = format.bytesPerPixel
    bitmap.withUnsafeMutableBytes { bytes in
      let start = bytes.baseAddress!
      for y in 0..<height {
        for x in 0..<width {
          let components = pixel(x, y)
          var (place, index) = (start + y * bytesPerRow + x * bytesPerPixel, 0)
          // Loops over sequences are slow in debug builds.
          while index < components.count {
            if isDeep {
              place.storeBytes(of: UInt16(components[index]), as: UInt16.self)
            } else {
              place.storeBytes(of: UInt8(components[index]), as: UInt8.self)
            }
            place += isDeep ? 2 : 1
            index += 1
          }
        }
      }
    }
    self = bitmap
  }

  /// A picture of one colour.
  package init(_ width: Int, _ height: Int, _ color: PixelColor, _ format: PixelFormat = .rgba8) throws {
    try self.init(unfilled: PixelSize(width: width, height: height), format: format)
    fill(color)
  }

  /// A picture of noise; premultiplied formats are made from straight noise, because random bytes are invalid there.
  package static func noise(_ width: Int, _ height: Int, _ format: PixelFormat, seed: UInt64 = 1) throws -> Bitmap {
    var random = SeededRandom(seed: seed)
    let straight = PixelFormat(format.layout, alpha: format.alpha == .opaque ? .opaque : .straight)
    var bitmap = try Bitmap(size: PixelSize(width: width, height: height), format: straight)
    bitmap.withUnsafeMutableBytes { bytes in
      var position = 0
      while position + 8 <= bytes.count {
        bytes.storeBytes(of: random.next(), toByteOffset: position, as: UInt64.self)
        position += 8
      }
      for rest in position..<bytes.count { bytes[rest] = UInt8(truncatingIfNeeded: random.next()) }
    }
    if straight.alpha == .opaque && straight.layout != .gray8 {
      // Noise with alpha is laid over black, so that alpha is at its maximum as the format demands.
      bitmap.assumeAlpha(.straight)
      bitmap = try bitmap.flattened(over: .black)
    }
    return try bitmap.converted(to: format)
  }

  /// An opaque picture similar to a photograph: waves of several lengths, the longer ones stronger.
  package static func waves(_ width: Int, _ height: Int) throws -> Bitmap {
    func wave(_ count: Int, _ length: Double) -> [Double] { (0..<count).map { sin(Double($0) / length) } }
    let (columns, rows, diagonals) = (wave(width, 37), wave(height, 29), wave(width + 2 * height, 11))
    var bitmap = try Bitmap(unfilled: PixelSize(width: width, height: height), format: .opaqueRGBA8)
    bitmap.withUnsafeMutableBytes { bytes in
      for y in 0..<height {
        for x in 0..<width {
          let slow = 0.3 * columns[x] * rows[y]
          let fast = 0.12 * diagonals[x + 2 * y]
          let start = (y * width + x) * 4
          bytes[start] = UInt8(255 * (0.5 + slow + fast))
          bytes[start + 1] = UInt8(255 * (0.5 - slow + fast))
          bytes[start + 2] = UInt8(255 * (0.5 + slow - fast))
          bytes[start + 3] = 255
        }
      }
    }
    return bitmap
  }

  /// A picture of soft colours under a slowly changing alpha.
  package static func softAlpha(_ width: Int, _ height: Int) throws -> Bitmap {
    let colors = try waves(width, height)
    return try Bitmap(width, height, .rgba8) { x, y in
      colors.components(x, y).prefix(3) + [min(255, (x * 300 / width + y * 60 / height))]
    }
  }

  /// The components of a pixel in the order of the layout.
  package func components(_ x: Int, _ y: Int) -> [Int] {
    withUnsafeBytes { bytes in
      let pixel = bytes.baseAddress! + y * bytesPerRow + x * format.bytesPerPixel
      func component(_ index: Int) -> Int {
        format.layout == .rgba16
          ? Int(pixel.load(fromByteOffset: 2 * index, as: UInt16.self))
          : Int(pixel.load(fromByteOffset: index, as: UInt8.self))
      }
      if format.layout == .gray8 { return [component(0)] }
      return [component(0), component(1), component(2), component(3)]
    }
  }

  /// The largest difference of any component between two pictures of the same size and format.
  package func largestDifference(from other: Bitmap) -> Int { differences(from: other)?.largest ?? .max >> 32 }

  /// The similarity to a picture of the same size and format, in decibels; alpha counts also where it is opaque.
  package func signalToNoise(against other: Bitmap) -> Double {
    guard let differences = differences(from: other) else { return -.infinity }
    let components = width * height * format.bytesPerPixel / (format.layout == .rgba16 ? 2 : 1)
    return BitmapDifference.decibels(differences.squares, over: components, peak: differences.peak)
  }

  private func differences(from other: Bitmap) -> BitmapDifference? {
    size == other.size && format == other.format ? difference(from: other) : nil
  }
}
