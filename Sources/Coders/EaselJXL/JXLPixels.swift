import EaselCoding
import EaselCore
import EaselPixels

/// Reads the pixels of frames, at full size or reduced.
struct JXLPixels {
  private let size: PixelSize
  private let format: PixelFormat
  private let target: PixelSize
  private let averagesLight: Bool
  private let cmyk: CMYKConversion?

  init(
    _ header: JXLHeader, format: PixelFormat, target: PixelSize, averagesLight: Bool, cmyk: CMYKConversion?
  ) {
    size = header.size
    self.averagesLight = averagesLight
    self.format = format
    self.target = target
    self.cmyk = cmyk
  }

  private var isWide: Bool { format.layout == .rgba16 }

  /// libjxl delivers no black with its rows, so pictures in print colours are read as a whole before they are reduced.
  private var readsRows: Bool { target != size && cmyk == nil }

  /// The first frame, and a description of damage; without damage the bitmap is never nil.
  ///
  /// Parts of a picture are only available at full size.
  func first(
    of bytes: ImageBytes, showsParts: Bool = false, _ work: WorkContext
  ) throws(ImageError) -> (Bitmap?, damage: String?) {
    let reader = try JXLReader(.pixels, limits: work.limits)
    guard !readsRows else {
      let rows = try JXLRows(from: size, to: target, averagesLight: averagesLight, format: format)
      let damage = try read(from: reader, bytes, into: rows, work)
      return (damage == nil ? rows.bitmap : nil, damage)
    }
    var bitmap = try Bitmap(unfilled: size, format: format)
    let (damage, isShown) = try bitmap.withUnsafeMutableBytes {
      (pixels: UnsafeMutableRawBufferPointer) throws(ImageError) -> (String?, Bool) in
      guard let damage = try read(from: reader, bytes, into: pixels, work) else { return (nil, true) }
      guard showsParts else { return (damage, false) }
      return (damage, try reader.flush(work: work))
    }
    return (isShown ? try bitmap.resized(to: target, linearLight: averagesLight, work: work) : nil, damage)
  }

  /// Reads the next frame into a canvas of the target's size; returns a description of damage, or nil without damage.
  func read(from reader: JXLReader, _ bytes: ImageBytes, onto canvas: inout Bitmap, _ work: WorkContext)
    throws(ImageError) -> String?
  {
    guard !readsRows else {
      let rows = try JXLRows(from: size, to: target, averagesLight: averagesLight, format: format)
      let damage = try read(from: reader, bytes, into: rows, work)
      canvas = rows.bitmap
      return damage
    }
    guard target == size else {
      var whole = try Bitmap(unfilled: size, format: format)
      let damage = try whole.withUnsafeMutableBytes {
        (pixels: UnsafeMutableRawBufferPointer) throws(ImageError) in
        try read(from: reader, bytes, into: pixels, work)
      }
      if damage == nil { canvas = try whole.resized(to: target, linearLight: averagesLight, work: work) }
      return damage
    }
    return try canvas.withUnsafeMutableBytes { (pixels: UnsafeMutableRawBufferPointer) throws(ImageError) in
      try read(from: reader, bytes, into: pixels, work)
    }
  }

  private func read(
    from reader: JXLReader, _ bytes: ImageBytes, into pixels: UnsafeMutableRawBufferPointer, _ work: WorkContext
  ) throws(ImageError) -> String? {
    let damage = try run(reader, bytes, work) {
      reader.setTarget(pixels, isWide: isWide, keepsBlack: cmyk != nil)
    }
    if damage == nil, let cmyk { try reader.convert(pixels, through: cmyk, work: work) }
    return damage
  }

  private func read(
    from reader: JXLReader, _ bytes: ImageBytes, into rows: JXLRows, _ work: WorkContext
  ) throws(ImageError) -> String? {
    defer { withExtendedLifetime(rows) {} }
    do throws(ImageError) {
      let damage = try run(reader, bytes, work) { reader.setReceiver(rows, isWide: isWide) }
      return damage ?? (rows.isComplete ? nil : "there are no pixels for some of the rows")
    } catch {
      throw rows.failure ?? error
    }
  }

  /// Reads up to the end of a frame's pixels; returns a description of damage, or nil without damage.
  private func run(
    _ reader: JXLReader, _ bytes: ImageBytes, _ work: WorkContext, setTarget: () -> Bool
  ) throws(ImageError) -> String? {
    while true {
      switch try reader.next(over: bytes, work: work) {
      case .header, .colors, .frame: break
      case .needsTarget: guard setTarget() else { return "libjxl cannot give these pixels" }
      case .pixels: return nil
      case .cutOff: return "the file ends after \(bytes.count) bytes, in the middle of the picture"
      case .end: return "there are no pixels in the \(bytes.count) bytes of the file"
      case .damaged: return "the pixels are damaged before byte \(bytes.count)"
      }
    }
  }
}
