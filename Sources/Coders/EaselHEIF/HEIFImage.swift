import EaselCoding
import EaselCore
import EaselPixels

/// Decodes the picture of a file whose header is known.
struct HEIFImage {
  let reader: HEIFReader
  private let finish: ImageFinish
  private let options: DecodeOptions
  private let work: WorkContext

  init(_ reader: HEIFReader, options: DecodeOptions, work: WorkContext) {
    self.reader = reader
    self.options = options
    self.work = work
    let header = reader.header
    finish = ImageFinish(
      header.imageHeader, profile: header.metadata.profile, color: header.metadata.color,
      isGray: reader.layout.sequence.chroma == 0 && header.metadata.profile?.isGrayProfile == true,
      decodedSize: options.sufficientSize(for: header.imageHeader), options: options)
  }

  func image() throws(ImageError) -> Image {
    let wound = reader.file.wound
    if let wound, !options.damaged.accepts(wound) { throw .bad("HEIF", wound.text) }
    try work.checkCancellation()
    let (bitmap, isDamaged) = try pixels()
    var image = try finish.image(
      bitmap, format: .heic, metadata: reader.header.metadata, statesTurnOutside: true,
      isPartial: isDamaged || wound?.sparesPixels == false, work: work)
    if let wound { image.metadata.notes.append(wound.note("HEIF")) }
    if isDamaged { image.metadata.notes.append(Wound("some of the pixels are damaged or missing").note("HEIF")) }
    if let movie = reader.movie, !options.firstFrameOnly {
      try work.limits.check(frameCount: movie.count, of: image.size, claimedBy: "HEIF: the file")
      let frames = HEIFFrames(self, movie, like: bitmap)
      image.frames = ComposedFrameSource(frames, finish: finish, name: "HEIF", first: bitmap, work: work)
    }
    return image
  }

  /// True if the readable part of a damaged picture is shown.
  private var showsParts: Bool { options.damaged == .show }

  /// The cropped pixels of a frame of the sequence, before the turn.
  func pixels(
    ofFrame index: Int, of movie: HEIFMovie, work: WorkContext
  ) throws(ImageError) -> (bitmap: Bitmap, isDamaged: Bool) {
    let alpha = reader.alphaMovie.map { (movie: $0, index: index) }
    return try pixels(
      of: whole, at: finish.storedTarget, showsParts: showsParts, frame: (movie, index), alphaFrame: alpha, work: work)
  }

  private var whole: HEIFCodedImage {
    let header = reader.header
    return HEIFCodedImage(layout: reader.layout, geometry: header.geometry, alpha: reader.alpha, colors: header.colors)
  }

  private func pixels() throws(ImageError) -> (bitmap: Bitmap, isDamaged: Bool) {
    if let movie = reader.movie { return try pixels(ofFrame: 0, of: movie, work: work) }
    let target = finish.storedTarget
    if target != reader.header.geometry.crop.size, !readsWide, let small = reader.thumbnail(for: finish.sufficientSize)
    {
      do throws(ImageError) {
        return try pixels(of: small, at: target, showsParts: false, work: work)
      } catch {
        // A damaged copy is no reason to refuse the whole picture.
        guard error.code == .badImageData || error.code == .unsupportedFormat else { throw error }
      }
    }
    if let overlay = reader.overlay { return try pixels(of: overlay) }
    return try pixels(of: whole, at: target, showsParts: showsParts, work: work)
  }

  /// The cropped pixels of a picture, with straight alpha, before the turn.
  private func pixels(
    of part: HEIFCodedImage, at target: PixelSize, showsParts: Bool, frame: (movie: HEIFMovie, index: Int)? = nil,
    alphaFrame: (movie: HEIFMovie, index: Int)? = nil, work: WorkContext
  ) throws(ImageError) -> (bitmap: Bitmap, isDamaged: Bool) {
    let bands = HEIFBands(part.layout, of: reader.items, frame: frame, showsParts: showsParts, work: work)
    let alpha = part.alpha.map { alpha in
      HEIFAlpha(
        HEIFBands(alpha.layout, of: reader.items, frame: alphaFrame, showsParts: showsParts, work: work),
        for: part.layout.size, isFullRange: alpha.isFullRange, work: work)
    }
    guard let weights = part.colors.weights(part.layout.sequence, most: readsWide ? 65_535 : 255) else {
      throw ImageError(
        .unsupportedFormat,
        "HEIF: the colours are stored with matrix \(part.colors.matrix) of ITU-T H.273, which is unknown.")
    }
    let form: PixelFormat.Alpha = part.alpha.map { $0.isPremultiplied ? .premultiplied : .straight } ?? .opaque
    let rows = HEIFRows(
      bands: bands, alpha: alpha, crop: part.geometry.crop, format: PixelFormat(layout, alpha: form), target: target,
      lightFrom: finish.averagesLight ? finish.sufficientSize : nil, weights: weights, work: work)
    var bitmap = try rows.bitmap()
    if form == .premultiplied { try bitmap.convert(to: PixelFormat(layout, alpha: .straight), work: work) }
    return (bitmap, bands.isDamaged || alpha?.bands.isDamaged == true)
  }

  /// The pixels of several pictures, which are drawn on a canvas at their full size.
  private func pixels(of overlay: HEIFOverlay) throws(ImageError) -> (bitmap: Bitmap, isDamaged: Bool) {
    let format = PixelFormat(layout, alpha: .straight)
    var canvas = try Bitmap(unfilled: overlay.size, format: format)
    canvas.fill(overlay.fill)
    var isDamaged = false
    for place in overlay.parts {
      let part = try reader.part(place.item)
      let (stored, isPartial) = try pixels(of: part, at: part.geometry.crop.size, showsParts: showsParts, work: work)
      isDamaged = isDamaged || isPartial
      let whole = try stored.oriented(part.geometry.orientation, work: work)
      let rect = PixelRect(x: place.x, y: place.y, width: whole.width, height: whole.height)
      let seen = rect.intersection(PixelRect(covering: overlay.size))
      guard !seen.isEmpty else { continue }
      let cut = try whole.cropped(
        to: PixelRect(x: seen.x - rect.x, y: seen.y - rect.y, width: seen.width, height: seen.height))
      canvas.lay(try cut.converted(to: format, work: work), x: seen.x, y: seen.y, isBlended: true)
    }
    if !overlay.hasAlpha { canvas.assumeAlpha(.opaque) }
    let cropped = try canvas.cropped(to: reader.header.geometry.crop)
    return (
      try cropped.resized(to: finish.storedTarget, linearLight: finish.averagesLight, work: work), isDamaged
    )
  }

  private var layout: PixelFormat.Layout { readsWide ? .rgba16 : .rgba8 }

  private var readsWide: Bool { finish.readsWide || options.keeps16Bits && reader.header.bitDepth > 8 }
}
