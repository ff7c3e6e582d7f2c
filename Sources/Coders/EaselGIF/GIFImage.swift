import EaselCoding
import EaselCore
import EaselPixels

/// Makes images from a file whose blocks are known.
struct GIFImage {
  private let file: GIFFile
  private let finish: ImageFinish
  private let options: DecodeOptions

  init(_ file: GIFFile, options: DecodeOptions) {
    self.file = file
    self.options = options
    finish = ImageFinish(file.pictureHeader, profile: file.metadata.profile, isGray: false, options: options)
  }

  /// The canvas for the first frame.
  ///
  /// The area of the frame is transparent, so that missing rows can be recognized.
  static func canvas(of file: GIFFile) throws(ImageError) -> Bitmap {
    var canvas = try Bitmap(size: file.canvas, format: .rgba8)
    guard file.ground != .clear else { return canvas }
    canvas.fill(file.ground)
    if let first = file.first { canvas.fill(.clear, in: first.rect) }
    return canvas
  }

  /// Decodes the whole picture.
  func decode(_ bytes: ImageBytes, work: WorkContext) throws(ImageError) -> Image {
    var canvas = try Self.canvas(of: file)
    let reader = try GIFPixelReader(file.first!, canvas: file.canvas)
    try reader.advance(over: bytes, isWhole: true, on: &canvas, work: work)
    return try image(of: canvas, from: reader, bytes, work: work)
  }

  /// The image from a reader that has read all bytes.
  func image(
    of canvas: Bitmap, from reader: GIFPixelReader, _ bytes: ImageBytes, work: WorkContext
  ) throws(ImageError) -> Image {
    let wound = try wound(in: reader, bytes, work: work)
    if let wound, !options.damaged.accepts(wound) || reader.rows == 0 { throw .bad("GIF", wound.text) }
    var image = try preview(of: canvas, from: reader, bytes, work: work)
    if wound?.sparesPixels != false { image.traits.remove(.partial) }
    if let wound { image.metadata.notes.append(wound.note("GIF")) }
    return image
  }

  /// The damage in the first frame, in the last frame, or at the end of the file.
  private func wound(
    in reader: GIFPixelReader, _ bytes: ImageBytes, work: WorkContext
  ) throws(ImageError) -> Wound? {
    if let damage = reader.damage { return Wound(damage) }
    // The end of a frame's data does not prove that the data were complete.
    guard let found = file.wound, found.sparesPixels, file.isMoving, let last = file.frames.last else {
      return file.wound
    }
    var canvas = try Bitmap(size: file.canvas, format: .rgba8)
    let lastReader = try GIFPixelReader(last, canvas: file.canvas)
    try lastReader.advance(over: bytes, isWhole: true, on: &canvas, work: work)
    return Wound(found.text, sparesPixels: lastReader.damage == nil)
  }

  /// An image of the rows drawn so far and the complete frames, marked as partial.
  func preview(
    of canvas: Bitmap, from reader: GIFPixelReader, _ bytes: ImageBytes, work: WorkContext
  ) throws(ImageError) -> Image {
    let isOpaque = reader.isComplete && !file.hasAlpha
    var bitmap = canvas
    if isOpaque { bitmap.assumeAlpha(.opaque) }
    var image = try finish.image(bitmap, format: .gif, metadata: file.metadata, isPartial: true, work: work)
    if file.isMoving, !options.firstFrameOnly {
      try file.check(framesShownAt: image.size, limits: work.limits)
      let frames = GIFFrames(file, isOpaque: isOpaque, showsParts: options.damaged == .show, bytes: bytes)
      image.frames = ComposedFrameSource(frames, finish: finish, name: "GIF", work: work)
    }
    return image
  }
}
