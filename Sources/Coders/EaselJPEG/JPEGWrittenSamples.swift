import CEaselJPEG
import EaselCore
import EaselPixels

/// The pixels to be written: opaque, at the final size, and grey if that loses no colour.
struct JPEGWrittenSamples {
  let size: PixelSize
  let isGray: Bool
  private let pixels: Bitmap

  init(
    _ bitmap: Bitmap, size: PixelSize, background: PixelColor, mayBeGray: Bool, work: WorkContext
  ) throws(ImageError) {
    let opaque = try bitmap.resized(to: size, work: work).flattened(over: background, work: work)
    self.size = size
    if opaque.format.layout == .gray8 && mayBeGray {
      pixels = opaque
      isGray = true
      return
    }
    let colors = try opaque.converted(to: .opaqueRGBA8, work: work)
    let gray = mayBeGray ? try colors.grayOfColors() : nil
    pixels = gray ?? colors
    isGray = gray != nil
  }

  /// True if a quarter of the colours would look worse than all of them in a file of the same size.
  var hasFineColors: Bool {
    !isGray
      && pixels.withUnsafeBytes { bytes in
        easel_jpeg_has_fine_colors(bytes.baseAddress, pixels.bytesPerRow, size.width, size.height)
      }
  }

  /// Calls `body` for each band of rows that takes about a millisecond.
  func inBands(_ body: (UnsafeRawPointer, Int, Int) throws(ImageError) -> Void) throws(ImageError) {
    let bytesPerRow = pixels.bytesPerRow
    try pixels.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) throws(ImageError) in
      var first = 0
      while first < size.height {
        let count = min(size.height - first, CancellationPace.lines(of: size.width))
        try body(bytes.baseAddress! + first * bytesPerRow, bytesPerRow, count)
        first += count
      }
    }
  }
}

extension Bitmap {
  /// The grey of pixels in colour; nil unless all are grey.
  func grayOfColors() throws(ImageError) -> Bitmap? {
    var gray = try Bitmap(unfilled: size, format: .gray8)
    let isGray = withUnsafeBytes { source in
      gray.withUnsafeMutableBytes { target in
        easel_jpeg_take_gray(source.baseAddress, bytesPerRow, width, height, target.baseAddress)
      }
    }
    return isGray ? gray : nil
  }
}
