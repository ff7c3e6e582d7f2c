import EaselCoding
import EaselCore
import EaselPixels

/// Decodes the picture of a file whose chunks are known.
struct WebPImage {
  let file: WebPFile
  let finish: ImageFinish
  /// The size at which libwebp decodes.
  let readSize: PixelSize
  private let options: DecodeOptions

  init(_ file: WebPFile, options: DecodeOptions) {
    self.file = file
    self.options = options
    let header = file.pictureHeader
    finish = ImageFinish(
      header, profile: file.metadata.profile, isGray: false, decodedSize: options.sufficientSize(for: header),
      options: options)
    readSize = WebPScaling.size(of: file, options: options)
  }

  /// Makes the reader of the still picture or of the first frame.
  func makeReader(showsParts: Bool) throws(ImageError) -> WebPPixelReader {
    let frame = file.first!
    let isGradual = showsParts || options.damaged == .show
    if file.isAnimated {
      return try WebPPixelReader(
        frame, size: frame.size, hasAlpha: frame.placing.hasAlpha, isGradual: isGradual)
    }
    let isReduced = !isGradual && readSize != finish.storedTarget
    return try WebPPixelReader(
      frame, size: readSize, reducedTo: isReduced ? finish.storedTarget : nil, averagesLight: finish.averagesLight,
      hasAlpha: file.hasAlpha, isGradual: isGradual)
  }

  /// The image from a reader that has read all bytes.
  func image(from reader: WebPPixelReader, of bytes: ImageBytes, work: WorkContext) throws(ImageError) -> Image {
    let wound = reader.damage.map { Wound($0) } ?? file.wound
    if let wound, !options.damaged.accepts(wound) || reader.rows == 0 { throw .bad("WebP", wound.text) }
    var image = try preview(from: reader, of: bytes, work: work)
    if wound?.sparesPixels != false { image.traits.remove(.partial) }
    if let wound { image.metadata.notes.append(wound.note("WebP")) }
    return image
  }

  /// An image of the pixels that a reader has decoded so far, marked as partial.
  func preview(from reader: WebPPixelReader, of bytes: ImageBytes, work: WorkContext) throws(ImageError) -> Image {
    let canvas = try canvas(of: reader.bitmap, isComplete: reader.isComplete)
    var image = try finish.image(canvas, format: .webp, metadata: file.metadata, isPartial: true, work: work)
    if !file.playableFrames.isEmpty, !options.firstFrameOnly {
      try work.limits.check(frameCount: file.playableFrames.count, of: image.size, claimedBy: "WebP: the file")
      image.frames = ComposedFrameSource(
        WebPFrames(file, bytes: bytes), finish: finish, name: "WebP", first: reader.isComplete ? canvas : nil,
        work: work)
    }
    return image
  }

  /// The canvas with the first frame; a still picture is its own canvas.
  private func canvas(of pixels: Bitmap, isComplete: Bool) throws(ImageError) -> Bitmap {
    guard file.isAnimated else { return pixels }
    let rect = file.first!.placing.rect
    if isComplete && rect.size == file.canvas && pixels.format == file.canvasFormat { return pixels }
    var canvas = try Bitmap(size: file.canvas, format: isComplete ? file.canvasFormat : .rgba8)
    canvas.lay(pixels, x: rect.x, y: rect.y, isBlended: false)
    return canvas
  }
}

extension WebPFile {
  /// The canvas format of an animation.
  var canvasFormat: PixelFormat { hasAlpha ? .rgba8 : .opaqueRGBA8 }
}
