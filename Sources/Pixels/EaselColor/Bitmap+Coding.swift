import CEaselColor
import EaselCore
import EaselPixels

extension Bitmap {
  /// Returns the picture with its colours converted from code points to sRGB.
  ///
  /// PQ and HLG are tone-mapped. A colour outside sRGB moves towards the grey of its luminance until no component is
  /// negative. Then the EETF of BT.2390 presses the light, up to the peak of the picture, into the 203 candela per
  /// square metre of sRGB's white. It acts on the brightest of the three components, so that hues stay. HLG is
  /// converted as for a display of 1000 candela per square metre. Other curves and primaries are converted and clipped,
  /// as with a profile. Unknown code points are treated as those of sRGB; with PQ and HLG, unknown primaries are
  /// treated as those of BT.2020.
  ///
  /// Without `keeps16Bits`, 16 bits become 8 with a fixed dithering pattern. Grey pixels become RGBA.
  public func converted(
    from color: ColorDescription, keeps16Bits: Bool = true, work: WorkContext = WorkContext()
  ) throws(ImageError) -> Bitmap {
    let becomesNarrow = format.layout == .rgba16 && !keeps16Bits
    if color.coding.isShownAsSRGB {
      return becomesNarrow ? try converted(to: PixelFormat(.rgba8, alpha: format.alpha), work: work) : self
    }
    let transform = try CodingTransform.find(color)
    // The curves need colours that are not multiplied by alpha.
    let alpha: PixelFormat.Alpha = format.alpha == .opaque ? .opaque : .straight
    let source = try converted(to: PixelFormat(format.layout == .gray8 ? .rgba8 : format.layout, alpha: alpha))
    let layout = becomesNarrow ? .rgba8 : source.format.layout
    var result = try Bitmap(unfilled: size, format: PixelFormat(layout, alpha: alpha))
    let (sourceStride, stride, width) = (source.bytesPerRow, result.bytesPerRow, width)
    let rowsAtOnce = CancellationPace.lines(of: width * 10)
    try source.withUnsafeBytes { (bytes) throws(ImageError) in
      try result.withUnsafeMutableBytes { (target: UnsafeMutableRawBufferPointer) throws(ImageError) in
        for row in 0..<height {
          if row % rowsAtOnce == 0 { try work.checkCancellation() }
          transform.convert(
            bytes.baseAddress! + row * sourceStride, ColorTransform.Layout(source.format.layout),
            into: target.baseAddress! + row * stride, ColorTransform.Layout(layout), pixelCount: width, row: row)
        }
      }
    }
    return try result.converted(to: PixelFormat(layout, alpha: format.alpha), work: work)
  }
}
