import CEaselJPEG2000
import EaselCoding
import EaselCore
import EaselPixels

/// Decodes the picture of a file whose header is known.
struct JPEG2000Image {
  private let file: JPEG2000File
  private let channels: JPEG2000Channels
  private let header: ImageHeader
  private let finish: ImageFinish
  private let options: DecodeOptions
  private let work: WorkContext

  init(_ file: JPEG2000File, options: DecodeOptions, work: WorkContext) throws(ImageError) {
    (self.file, self.options, self.work) = (file, options, work)
    channels = try JPEG2000Channels(file)
    header = try file.imageHeader
    // The pixels are no longer inks, so the profile of inks does not fit.
    let profile = channels.kind == EASEL_JPEG2000_INKS ? nil : file.profile
    var stated = header
    if let region = options.region {
      guard region.intersection(PixelRect(covering: header.storedSize)) == region, !region.isEmpty else {
        throw .unsupportedJPEG2000("the part of \(region.size) cannot be read by itself")
      }
      stated.storedSize = region.size
    }
    finish = ImageFinish(
      stated, profile: profile, isGray: channels.isGray && profile?.isGrayProfile == true,
      decodedSize: options.sufficientSize(for: stated), options: options)
  }

  func image(of bytes: ImageBytes) throws(ImageError) -> Image {
    let (reader, damage) = try decoded(bytes)
    let isCMYK = channels.kind == EASEL_JPEG2000_INKS
    let cmyk =
      isCMYK ? try CMYKConversion(profile: options.convertsColor ? file.profile : nil, isInverted: false) : nil
    var bitmap = try JPEG2000Rows(
      reader: reader, file: file, channels: channels, format: format, target: finish.storedTarget,
      averagesLight: finish.averagesLight, cmyk: cmyk, work: work
    ).bitmap()
    if channels.isPremultiplied {
      try bitmap.convert(to: PixelFormat(format.layout, alpha: .straight), work: work)
    }
    var image = try finish.image(bitmap, format: file.format, isPartial: damage != nil, work: work)
    if let damage { image.metadata.notes.append(Wound(damage).note("JPEG 2000")) }
    return image
  }

  /// The format in which the pixels are read.
  private var format: PixelFormat {
    let isWide = options.keeps16Bits && header.bitDepth > 8 && channels.kind != EASEL_JPEG2000_INKS
    let alpha: PixelFormat.Alpha = channels.isPremultiplied ? .premultiplied : .straight
    return PixelFormat(isWide ? .rgba16 : .rgba8, alpha: channels.alpha == nil ? .opaque : alpha)
  }

  private func part(halvings: Int) -> JPEG2000Part {
    JPEG2000Part(of: file.stream, options.region, halvings: halvings)
  }

  /// The most halvings after which the picture, or its part, is still large enough.
  private var halvings: Int {
    let target = finish.sufficientSize
    return (0...file.stream.levels).last { halvings in
      let size = options.region?.size.halved(halvings) ?? file.stream.size(halvings: halvings)
      return size.width >= target.width && size.height >= target.height
    } ?? 0
  }

  /// The decoded samples, and a description of their damage.
  ///
  /// Damage is an error unless the options ask for parts. It is always an error if no sample can be read.
  private func decoded(_ bytes: ImageBytes) throws(ImageError) -> (JPEG2000Reader, damage: String?) {
    func reader(_ halvings: Int, showsParts: Bool = false) throws(ImageError) -> JPEG2000Reader {
      let part = part(halvings: halvings)
      try work.limits.check(frame: part.pixels.size, claimedBy: "JPEG 2000: a part of the picture")
      return try JPEG2000Reader(part, of: bytes, in: file, showsParts: showsParts, work: work)
    }
    let most = halvings
    var result = try reader(most)
    // A tile may have fewer resolutions than the header states.
    if result.status == EASEL_JPEG2000_BAD_DATA, most > 0 { result = try reader(0) }
    if result.status == EASEL_JPEG2000_OK { return (result, nil) }
    guard options.damaged == .show else { throw .bad("JPEG 2000", result.damage) }
    let damage = result.damage
    if result.status == EASEL_JPEG2000_BAD_DATA { result = try reader(0, showsParts: true) }
    guard result.status != EASEL_JPEG2000_BAD_DATA else { throw .bad("JPEG 2000", result.damage) }
    return (result, damage)
  }
}

extension PixelSize {
  /// The size after halvings, rounded up; a side that is too short for so many has nothing left.
  fileprivate func halved(_ halvings: Int) -> PixelSize {
    func side(_ full: Int) -> Int { full >> halvings == 0 ? 0 : (full + (1 << halvings) - 1) >> halvings }
    return PixelSize(width: side(width), height: side(height))
  }
}
