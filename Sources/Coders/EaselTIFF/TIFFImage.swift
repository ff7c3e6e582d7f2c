import CEaselTIFF
import EaselCoding
import EaselCore
import EaselPixels

/// Decodes one page of a file.
struct TIFFImage {
  let reader: TIFFReader
  let page: TIFFPage
  let header: TIFFHeader
  let finish: ImageFinish
  private let options: DecodeOptions
  private let cmyk: CMYKConversion?
  private let isColorManaged: Bool

  /// Selects a page and reads its header.
  init(
    _ reader: TIFFReader, page index: Int, options: DecodeOptions, work: WorkContext
  ) throws(ImageError) {
    self.reader = reader
    self.options = options
    page = reader.file.pages[index]
    // Of a part, the header needs no more memory than one of its pixels takes.
    try reader.select(page, part: options.region.map { PixelRect(x: $0.x, y: $0.y, width: 1, height: 1) })
    let header = try TIFFHeader(page, of: reader, limits: work.limits)
    self.header = header
    let isCMYK = header.kind == EASEL_TIFF_INKS
    cmyk =
      isCMYK
      ? try CMYKConversion(profile: options.convertsColor ? header.metadata.profile : nil, isInverted: false) : nil
    // The pixels are no longer inks or Lab, so their profile does not fit.
    isColorManaged = !isCMYK && header.kind != EASEL_TIFF_LAB
    var stated = header.imageHeader(frameCount: 1)
    if let region = options.region {
      guard header.orientation == .up, region.intersection(PixelRect(covering: header.size)) == region else {
        throw ImageError(.unsupportedFormat, "TIFF: the part of \(region.size) cannot be read by itself.")
      }
      stated.storedSize = region.size
    }
    finish = ImageFinish(
      stated, profile: isColorManaged ? header.metadata.profile : nil,
      isGray: header.kind == EASEL_TIFF_GRAY && header.metadata.profile?.isGrayProfile ?? false,
      decodedSize: options.sufficientSize(for: stated), options: options)
  }

  /// The format in which the pixels are read.
  private var format: PixelFormat {
    let isWide = options.keeps16Bits && header.bitDepth > 8
    return PixelFormat(isWide ? .rgba16 : .rgba8, alpha: header.hasAlpha ? .straight : .opaque)
  }

  /// The finished pixels.
  func bitmap(work: WorkContext) throws(ImageError) -> Bitmap { try finish(pixels(work: work).bitmap, work: work) }

  /// The pixels as they are read, and a description of their damage.
  ///
  /// Damage is an error unless the options ask for parts. It is always an error if no pixel can be read.
  private func pixels(work: WorkContext) throws(ImageError) -> (bitmap: Bitmap, damage: String?) {
    try work.checkCancellation()
    if let region = options.region { return try part(region, work: work) }
    if let small = try smallerVersion(work: work) { return (small, nil) }
    func rows(_ format: PixelFormat) -> TIFFRows {
      TIFFRows(
        reader: reader, size: header.size, format: format, target: finish.storedTarget,
        averagesLight: finish.averagesLight, cmyk: cmyk, work: work)
    }
    var (bitmap, goodRows) = try rows(format).bitmap()
    let damage = reader.damage
    if let damage, options.damaged != .show || goodRows == 0 { throw .bad("TIFF", damage) }
    if damage != nil, bitmap.format.alpha == .opaque {
      // Opaque pixels are reduced without alpha, which would make lost pixels black, so the rows are read again with
      // alpha.
      try reader.select(page)
      bitmap = try rows(PixelFormat(format.layout, alpha: .straight)).bitmap().bitmap
    }
    return (bitmap, damage)
  }

  /// The picture made from a smaller version in the file; nil if none fits, or if it is damaged.
  private func smallerVersion(work: WorkContext) throws(ImageError) -> Bitmap? {
    guard finish.storedTarget != header.size, let small = page.reduction(covering: finish.sufficientSize) else {
      return nil
    }
    do throws(ImageError) {
      try reader.select(page, reduction: small)
      if reader.layout.kind == header.kind && reader.layout.has_alpha == header.hasAlpha {
        let rows = TIFFRows(
          reader: reader, size: small.size, format: format, target: finish.storedTarget,
          averagesLight: finish.averagesLight, cmyk: cmyk, work: work)
        let bitmap = try rows.bitmap().bitmap
        if reader.damage == nil { return bitmap }
      }
    } catch {
      guard [.badImageData, .unsupportedFormat].contains(error.code) else { throw error }
    }
    try reader.select(page)
    return nil
  }

  /// A part of the picture, read from the smallest version that has enough pixels.
  private func part(_ region: PixelRect, work: WorkContext) throws(ImageError) -> (bitmap: Bitmap, damage: String?) {
    let target = finish.storedTarget
    // Sides of versions are rounded up or down, so one pixel fewer is enough.
    let enough = finish.sufficientSize
    let needed = PixelSize(
      width: max(1, page.size.width * enough.width / region.width - 1),
      height: max(1, page.size.height * enough.height / region.height - 1))
    var version = target == region.size ? nil : page.reduction(covering: needed)
    var place = region.scaled(from: page.size, to: version?.size ?? page.size)
    try reader.select(page, reduction: version, part: place)
    if version != nil, reader.layout.kind != header.kind || reader.layout.has_alpha != header.hasAlpha {
      (version, place) = (nil, region)
      try reader.select(page, part: place)
    }
    let isEnough = place.width >= target.width && place.height >= target.height
    let rows = TIFFRows(
      reader: reader, size: PixelSize(width: Int(reader.layout.columns), height: place.height),
      crop: PixelRect(
        x: place.x - Int(reader.layout.first_column), y: 0, width: place.width, height: place.height),
      format: format, target: isEnough ? target : place.size, averagesLight: finish.averagesLight, cmyk: cmyk,
      work: work)
    let (bitmap, goodRows) = try rows.bitmap()
    let damage = reader.damage
    if let damage, options.damaged != .show || goodRows == 0 { throw .bad("TIFF", damage) }
    return (bitmap, damage)
  }

  /// The picture with everything that belongs to it.
  func image(frames: Int, work: WorkContext) throws(ImageError) -> Image {
    let wound = reader.file.wound.map { Wound($0.text, sparesPixels: $0.sparesPixels || options.firstFrameOnly) }
    if let wound, !options.damaged.accepts(wound) { throw .bad("TIFF", wound.text) }
    let (bitmap, damage) = try pixels(work: work)
    let showsLosses = options.damaged == .show && reader.file.hasLostPixels && frames > 1
    // Unless parts are shown, damaged frames cause errors once they are asked for.
    let isPartial = damage != nil || wound?.sparesPixels == false || showsLosses
    var stored = header.metadata
    // A remaining turn is stated in EXIF, as in other formats.
    if stored.exif == nil, finish.keptOrientation != .up { stored.exif = EXIF(orientation: finish.keptOrientation) }
    var image = try finish.image(
      bitmap, format: .tiff, metadata: stored, statesTurnOutside: true, isPartial: isPartial, work: work)
    image.metadata.notes = header.notes
    if let damage { image.metadata.notes.append(Wound(damage).note("TIFF")) }
    return image
  }
}

extension PixelRect {
  /// The whole pixels of another version of the picture that hold this part of it.
  fileprivate func scaled(from full: PixelSize, to size: PixelSize) -> PixelRect {
    guard size != full else { return self }
    let left = x * size.width / full.width
    let top = y * size.height / full.height
    let right = min(size.width, ((x + width) * size.width + full.width - 1) / full.width)
    let bottom = min(size.height, ((y + height) * size.height + full.height - 1) / full.height)
    return PixelRect(
      x: min(left, size.width - 1), y: min(top, size.height - 1), width: max(1, right - left),
      height: max(1, bottom - top))
  }
}
