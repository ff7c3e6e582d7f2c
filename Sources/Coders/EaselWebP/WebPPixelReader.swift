import EaselCore
import EaselPixels

/// Decodes a still picture or the first frame while the bytes arrive.
final class WebPPixelReader {
  private let feeder: WebPFeeder
  private let hasAlpha: Bool
  /// All rows, or nil if the rows are reduced as they arrive.
  private var pixels: Bitmap?
  private let reduction: (any WebPReduction)?

  /// `size` is the frame's size, or another size to which libwebp scales the frame.
  ///
  /// With `target`, the rows are reduced to that size as they arrive, and no partial picture can be shown.
  init(
    _ frame: WebPFrame, size: PixelSize, reducedTo target: PixelSize? = nil, averagesLight: Bool = false,
    hasAlpha: Bool, isGradual: Bool
  ) throws(ImageError) {
    self.hasAlpha = hasAlpha
    let format: PixelFormat = hasAlpha ? .rgba8 : .opaqueRGBA8
    let isPlanar = target != nil && WebPPlaneReduction.suits(frame, scaledTo: size)
    if let target {
      reduction =
        isPlanar
        ? try WebPPlaneReduction(
          from: frame.size, through: size, to: target, averagesLight: averagesLight, format: format)
        : try WebPRowReduction(from: size, to: target, averagesLight: averagesLight, format: format)
    } else {
      reduction = nil
      pixels = try Bitmap(unfilled: size, format: format)
    }
    feeder = try WebPFeeder(
      frame, size: size, hasAlpha: hasAlpha, isGradual: isGradual, isPlanar: isPlanar, portions: reduction?.portions)
  }

  func advance(over bytes: ImageBytes, isWhole: Bool, work: WorkContext) throws(ImageError) {
    if let reduction {
      try feeder.advance(over: bytes, isWhole: isWhole, bytesPerRow: reduction.bytesPerRow, work: work) {
        () throws(ImageError) in
        try reduction.take(upTo: feeder.rows)
        return reduction.target
      }
      try reduction.take(upTo: feeder.rows)
      pixels = try reduction.finish()
      return
    }
    let bytesPerRow = pixels!.bytesPerRow
    try pixels!.withUnsafeMutableBytes { (target: UnsafeMutableRawBufferPointer) throws(ImageError) in
      try feeder.advance(over: bytes, isWhole: isWhole, bytesPerRow: bytesPerRow, work: work) { target.baseAddress! }
    }
  }

  var damage: String? { feeder.damage }
  var isComplete: Bool { feeder.isComplete }
  var rows: Int { feeder.rows }

  /// The picture so far; missing rows are transparent.
  var bitmap: Bitmap {
    guard !isComplete else { return pixels! }
    var part = pixels!
    part.assumeAlpha(.straight)
    part.fill(.clear, in: PixelRect(x: 0, y: rows, width: part.width, height: part.height - rows))
    return part
  }
}
