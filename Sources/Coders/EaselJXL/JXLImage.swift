import EaselCoding
import EaselCore
import EaselPixels

/// Decodes the picture of a file whose header is known.
struct JXLImage {
  private let header: JXLHeader
  let finish: ImageFinish
  /// The conversion of print colours; nil for other pictures.
  let cmyk: CMYKConversion?
  private let options: DecodeOptions
  private let work: WorkContext

  init(_ header: JXLHeader, options: DecodeOptions, work: WorkContext) throws(ImageError) {
    self.header = header
    self.options = options
    self.work = work
    // In JPEG XL as in JPEG, the largest value means no ink.
    cmyk =
      header.isCMYK
      ? try CMYKConversion(profile: options.convertsColor ? header.metadata.profile : nil, isInverted: true) : nil
    // The pixels are no longer inks, so the profile of inks does not fit.
    finish = ImageFinish(
      header.imageHeader, profile: header.isCMYK ? nil : header.metadata.profile, color: header.metadata.color,
      isGray: header.isGray,
      decodedSize: options.sufficientSize(for: header.imageHeader), options: options)
  }

  /// The image of a file.
  func image(of scan: JXLScan) throws(ImageError) -> Image {
    // Damage after the pixels of a still picture costs none of its pixels.
    let wound = scan.damage.map { Wound($0, sparesPixels: !header.moves) }
    if let wound, !options.damaged.accepts(wound) { throw .bad("JXL", wound.text) }
    var (bitmap, damage) = try pixels(of: finish.storedTarget).first(of: scan.bytes, work)
    if bitmap == nil, options.damaged == .show {
      // Parts of a picture are only available at full size.
      (bitmap, damage) = try pixels(of: header.size).first(of: scan.bytes, showsParts: true, work)
    }
    guard let bitmap else { throw .bad("JXL", damage ?? "there are no pixels in the file") }
    let found = damage.map { Wound($0) } ?? wound
    var image = try image(bitmap, isPartial: found?.sparesPixels == false, playing: scan.bytes)
    if let found { image.metadata.notes.append(found.note("JXL")) }
    return image
  }

  /// The image of decoded pixels; `bytes` is a file that has arrived completely and plays.
  func image(_ bitmap: Bitmap, isPartial: Bool, playing bytes: ImageBytes? = nil) throws(ImageError) -> Image {
    var image = try finish.image(
      bitmap, format: .jxl, metadata: header.metadata, statesTurnOutside: true, isPartial: isPartial, work: work)
    if let bytes, header.isSequence, !options.firstFrameOnly {
      try work.limits.check(frameCount: header.delays.count, of: image.size, claimedBy: "JXL: the file")
      let frames = try JXLFrames(
        header, bytes: bytes, pixels: pixels(of: finish.storedTarget), size: finish.storedTarget, format: format,
        limits: work.limits)
      let isReady = !isPartial && bitmap.size == finish.storedTarget
      image.frames = ComposedFrameSource(
        frames, finish: finish, name: "JXL", first: isReady ? bitmap : nil, work: work)
    }
    return image
  }

  private func pixels(of target: PixelSize) -> JXLPixels {
    JXLPixels(header, format: format, target: target, averagesLight: finish.averagesLight, cmyk: cmyk)
  }

  /// True if the picture is not reduced.
  var isFullSize: Bool { finish.storedTarget == header.size }

  /// The format in which the pixels are read.
  var format: PixelFormat {
    PixelFormat(readsWide ? .rgba16 : .rgba8, alpha: header.hasAlpha ? .straight : .opaque)
  }

  private var readsWide: Bool {
    // Inks are converted with 8 bits.
    guard header.bitDepth > 8, cmyk == nil else { return false }
    // Linear light needs more than 8 bits.
    return finish.readsWide || options.keeps16Bits
      || options.convertsColor && header.metadata.color?.coding.transfer == 8
  }
}
