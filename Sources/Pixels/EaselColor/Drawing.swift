import CEaselColor
import EaselCore
import EaselPixels

extension PixelColor {
  /// The numbers that show this sRGB colour in a picture with other colours.
  ///
  /// In PQ and HLG, white has 203 candela per square metre.
  package func drawn(in description: ColorDescription) -> PixelColor {
    guard !description.coding.isShownAsSRGB, alpha > 0 else { return self }
    var coding = description.coding.foreign
    var (stored, color) = ([red, green, blue].map { Double($0) / 255 }, [0.0, 0, 0])
    easel_coding_from_srgb(&coding, &stored, &color)
    let levels = color.map { UInt8(($0 * 255).rounded()) }
    return PixelColor(red: levels[0], green: levels[1], blue: levels[2], alpha: alpha)
  }
}

extension Bitmap {
  /// The pixels, with 16 bits, that show this sRGB picture in a picture with other colours.
  package func drawn(in description: ColorDescription, work: WorkContext) throws(ImageError) -> Bitmap {
    guard !description.coding.isShownAsSRGB else { return self }
    let alpha: PixelFormat.Alpha = format.alpha == .opaque ? .opaque : .straight
    var result = try converted(to: PixelFormat(.rgba16, alpha: alpha), work: work)
    var coding = description.coding.foreign
    let (width, bytesPerRow) = (width, result.bytesPerRow)
    let rowsAtOnce = CancellationPace.lines(of: width * 100)
    try result.makeUnique()
    try result.withUnsafeMutableBytes { (bytes: UnsafeMutableRawBufferPointer) throws(ImageError) in
      for row in 0..<height {
        if row % rowsAtOnce == 0 { try work.checkCancellation() }
        let start = (bytes.baseAddress! + row * bytesPerRow).assumingMemoryBound(to: UInt16.self)
        easel_coding_row_from_srgb(&coding, start, width)
      }
    }
    return result
  }
}

extension ColorDescription.Coding {
  fileprivate var foreign: easel_coding {
    easel_coding(primaries: Int32(clamping: primaries), transfer: Int32(clamping: transfer), peak: 0)
  }
}
