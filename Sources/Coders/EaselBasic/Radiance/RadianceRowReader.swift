import EaselCore

/// Reads the rows of a Radiance picture: flat pixels with runs of the old form, or separate runs for each component.
struct RadianceRowReader {
  let width: Int
  /// The row that was read: first all reds, then all greens, all blues and all exponents.
  private(set) var components: [UInt8]
  private var reader: ByteReader

  /// The widths of rows that may have runs of the new form.
  private static let widthsOfRuns = 8...32_767
  private static let short = "the file ends"

  /// Creates a reader of rows; `pixels` is at the first row.
  init(_ pixels: ByteReader, width: Int) {
    reader = pixels
    self.width = width
    components = [UInt8](repeating: 0, count: 4 * width)
  }

  /// Reads the next row; returns a description of damage, or nil without damage.
  mutating func readRow() throws(ImageError) -> String? {
    guard let first = try readPixel() else { return Self.short }
    guard Self.widthsOfRuns.contains(width), first.x == 2, first.y == 2, first.z < 128 else {
      return try readFlat(after: first)
    }
    let count = Int(first.z) << 8 | Int(first.w)
    guard count == width else { return "\(count) pixels instead of \(width) are stated" }
    for component in 0..<4 {
      if let damage = try readComponent(component) { return damage }
    }
    return nil
  }

  private mutating func readPixel() throws(ImageError) -> SIMD4<UInt8>? {
    guard let red = try reader.next(), let green = try reader.next(), let blue = try reader.next(),
      let exponent = try reader.next()
    else { return nil }
    return SIMD4(red, green, blue, exponent)
  }

  private mutating func put(_ pixel: SIMD4<UInt8>, at x: Int) {
    for component in 0..<4 { components[component * width + x] = pixel[component] }
  }

  /// A pixel whose colours are all 1 repeats the pixel before it.
  ///
  /// Several of these in a row state one large number of repeats.
  private mutating func readFlat(after first: SIMD4<UInt8>) throws(ImageError) -> String? {
    var (x, shift, last, next) = (0, 0, SIMD4<UInt8>(), first)
    while true {
      if next.x == 1, next.y == 1, next.z == 1 {
        guard x > 0 else { return "a run repeats no pixel" }
        guard shift <= 24, Int(next.w) << shift <= width - x else { return "a run reaches beyond its end" }
        for _ in 0..<Int(next.w) << shift {
          put(last, at: x)
          x += 1
        }
        shift += 8
      } else {
        put(next, at: x)
        x += 1
        (last, shift) = (next, 0)
      }
      if x == width { return nil }
      guard let pixel = try readPixel() else { return Self.short }
      next = pixel
    }
  }

  private mutating func readComponent(_ component: Int) throws(ImageError) -> String? {
    var x = component * width
    let end = x + width
    while x < end {
      guard let code = try reader.next() else { return Self.short }
      let isRun = code > 128
      let count = Int(isRun ? code - 128 : code)
      guard count > 0 else { return "a run has no pixels" }
      guard count <= end - x else { return "a run reaches beyond its end" }
      if isRun {
        guard let value = try reader.next() else { return Self.short }
        for place in x..<x + count { components[place] = value }
      } else {
        for place in x..<x + count {
          guard let value = try reader.next() else { return Self.short }
          components[place] = value
        }
      }
      x += count
    }
    return nil
  }

  /// Writes the row as opaque pixels of 16 bits in PQ.
  func write(into samples: UnsafeMutableBufferPointer<UInt16>) {
    let width = width
    components.withUnsafeBufferPointer { components in
      RadianceLight.numbers.withUnsafeBufferPointer { numbers in
        for x in 0..<width {
          let start = RadianceLight.start(of: components[3 * width + x])
          samples[4 * x] = numbers[start + Int(components[x])]
          samples[4 * x + 1] = numbers[start + Int(components[width + x])]
          samples[4 * x + 2] = numbers[start + Int(components[2 * width + x])]
          samples[4 * x + 3] = .max
        }
      }
    }
  }
}
