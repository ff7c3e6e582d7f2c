import CEaselTIFF
import EaselCore
import EaselPixels

/// The pixels of a page in their written form: grey if all pixels are grey, and opaque if all are opaque.
struct TIFFWrittenPixels {
  let bitmap: Bitmap
  let isGray: Bool

  init(_ bitmap: Bitmap, mayBeGray: Bool, work: WorkContext) throws(ImageError) {
    let format = bitmap.format
    if format.layout == .gray8 && mayBeGray {
      self.bitmap = bitmap
      isGray = true
      return
    }
    let layout: PixelFormat.Layout = format.layout == .rgba16 ? .rgba16 : .rgba8
    let alpha: PixelFormat.Alpha = format.alpha == .opaque ? .opaque : .straight
    self.bitmap = try bitmap.converted(to: PixelFormat(layout, alpha: alpha), work: work)
    isGray = mayBeGray && Self.isGray(self.bitmap)
  }

  private static func isGray(_ bitmap: Bitmap) -> Bool {
    bitmap.withUnsafeBytes { bytes in
      (0..<bitmap.height).allSatisfy { y in
        easel_tiff_is_gray(bytes.baseAddress! + y * bitmap.bytesPerRow, bitmap.width, bitmap.format.layout == .rgba16)
      }
    }
  }

  var isWide: Bool { bitmap.format.layout == .rgba16 }
  var hasAlpha: Bool { bitmap.format.alpha != .opaque }
  /// The number of components of the bitmap's pixels.
  var sourceComponents: Int { bitmap.format.layout == .gray8 ? 1 : 4 }
  /// The number of components that are written.
  var components: Int { (isGray ? 1 : 3) + (hasAlpha ? 1 : 0) }
  var bytesPerRow: Int { bitmap.width * components * (isWide ? 2 : 1) }

  /// The tags that describe the pixels.
  var entries: [TIFFBlockEntry] {
    var entries = [
      TIFFBlockEntry(TIFFTag.width, type: 4, [bitmap.width]), TIFFBlockEntry(TIFFTag.height, type: 4, [bitmap.height]),
      TIFFBlockEntry(TIFFTag.bitsPerSample, type: 3, Array(repeating: isWide ? 16 : 8, count: components)),
      TIFFBlockEntry(TIFFTag.photometric, type: 3, [isGray ? 1 : 2]),
      TIFFBlockEntry(TIFFTag.samplesPerPixel, type: 3, [components]),
      TIFFBlockEntry(TIFFTag.planar, type: 3, [1]),
    ]
    if hasAlpha { entries.append(TIFFBlockEntry(TIFFTag.extraSamples, type: 3, [2])) }
    return entries
  }
}
