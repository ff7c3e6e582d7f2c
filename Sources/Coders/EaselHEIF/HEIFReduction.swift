import EaselCoding
import EaselCore
import EaselPixels

/// Reduces each plane of brightness and colours separately, and makes pixels from the small planes.
///
/// This takes a fraction of the time of making full-size pixels first. The results differ only by rounding, and where
/// colours outside the range of pixels are mixed.
struct HEIFReduction {
  private let bands: HEIFBands
  private let crop: PixelRect
  private let target: PixelSize
  private let planes: [RowReducer]

  /// The least reduction to the size that is shown.
  ///
  /// Below it, the planes of colours have so few samples that edges would look different.
  private static let leastRatio = 4
  /// The least reduction to a size that is reduced once more: each pixel has its own colours there.
  private static let leastRatioBeforeLast = 2

  /// Returns nil for pictures that must become pixels first: pictures of more than 8 bits, and pictures that shrink
  /// little.
  init?(_ bands: HEIFBands, crop: PixelRect, to target: PixelSize, isLast: Bool) throws(ImageError) {
    let sequence = bands.layout.sequence
    let leastRatio = isLast ? Self.leastRatio : Self.leastRatioBeforeLast
    guard sequence.bitDepth == 8, sequence.chroma == 0 || sequence.chromaBitDepth == 8,
      leastRatio * target.width <= crop.width, leastRatio * target.height <= crop.height
    else { return nil }
    self.bands = bands
    self.crop = crop
    self.target = target
    var planes: [RowReducer] = []
    for plane in 0..<bands.planeCount {
      let (across, down) = bands.divisors(plane)
      let size = bands.layout.size
      planes.append(
        try RowReducer(
          from: PixelSize(width: (size.width + across - 1) / across, height: (size.height + down - 1) / down),
          to: target, format: .gray8,
          box: RowResampler.Box(
            x: Double(crop.x) / Double(across), y: Double(crop.y) / Double(down),
            width: Double(crop.width) / Double(across), height: Double(crop.height) / Double(down))))
    }
    self.planes = planes
  }

  /// The small picture, in opaque RGBA of 8 bits.
  func bitmap(weights: [Float], work: WorkContext) throws(ImageError) -> Bitmap {
    while bands.rows.upperBound < crop.y + crop.height {
      try bands.advance()
      for (plane, reducer) in planes.enumerated() { try push(plane, reducer) }
      try work.checkCancellation()
    }
    var result = try Bitmap(unfilled: target, format: .opaqueRGBA8)
    let bytesPerRow = result.bytesPerRow
    let small = planes.map(\.bitmap)
    try result.withUnsafeMutableBytes { (pixels: UnsafeMutableRawBufferPointer) throws(ImageError) in
      try small[0].withUnsafeBytes { (luma: UnsafeRawBufferPointer) throws(ImageError) in
        try small[small.count / 2].withUnsafeBytes { (blue: UnsafeRawBufferPointer) throws(ImageError) in
          try small[small.count - 1].withUnsafeBytes { (red: UnsafeRawBufferPointer) throws(ImageError) in
            let isGray = small.count == 1
            let planes = YCCPlanes(
              luma: luma.baseAddress!, blue: isGray ? nil : blue.baseAddress, red: isGray ? nil : red.baseAddress,
              strides: (small[0].bytesPerRow, small[small.count / 2].bytesPerRow, small[small.count - 1].bytesPerRow),
              width: target.width, height: target.height, depth: 8, colorDepth: 8, halvesWidth: false,
              halvesHeight: false)
            try planes.writeRGBA(
              0..<target.height, weights: weights, isWide: false, to: pixels.baseAddress!, bytesPerRow: bytesPerRow)
          }
        }
      }
    }
    return result
  }

  /// Passes the rows of a band to the reducer of a plane.
  private func push(_ plane: Int, _ reducer: RowReducer) throws(ImageError) {
    let (_, down) = bands.divisors(plane)
    // If the number of rows is odd, the last row shares its colours with no other row.
    let rows = (bands.fresh.lowerBound + down - 1) / down..<(bands.fresh.upperBound + down - 1) / down
    for row in rows { try bands.withRow(row, of: plane) { (bytes) throws(ImageError) in try reducer.push(bytes) } }
  }
}
