import EaselCoding
import EaselCore
import EaselPixels
import FoundationEssentials

/// Decodes the picture of a file whose header is known.
struct HEIFPicture {
  private let reader: HEIFReader
  private let finish: PictureFinish
  private let options: DecodeOptions
  private let work: WorkContext

  init(_ reader: HEIFReader, options: DecodeOptions, work: WorkContext) {
    self.reader = reader
    self.options = options
    self.work = work
    let header = reader.header
    finish = PictureFinish(
      header.imageHeader, profile: header.profile, color: header.color,
      isGray: reader.layout.sequence.chroma == 0 && header.profile?.isGrayProfile == true,
      decodedSize: options.sufficientSize(for: header.imageHeader), options: options)
  }

  func image() throws(ImageError) -> Image {
    if let damage = reader.file.damage, !options.allowsPartial { throw .badHEIF(damage) }
    try work.checkCancellation()
    let (bitmap, isDamaged) = try pixels()
    var traits: ImageTraits = reader.file.damage == nil && !isDamaged ? [] : .partial
    if finish.storedTarget != reader.header.geometry.crop.size { traits.insert(.thumbnail) }
    return Image(try finish(bitmap, work: work), format: .heic, metadata: metadata, traits: traits)
  }

  private func pixels() throws(ImageError) -> (bitmap: Bitmap, isDamaged: Bool) {
    let target = finish.storedTarget
    if target != reader.header.geometry.crop.size, !readsWide, let small = reader.thumbnail(for: target) {
      let bands = HEIFBands(small.layout, of: reader.items, allowsPartial: false, work: work)
      do throws(ImageError) {
        return (try rows(bands, nil, small.geometry, small.colors).bitmap(), false)
      } catch {
        // A damaged copy is no reason to refuse the picture.
        guard error.code == .badImageData || error.code == .unsupportedFormat else { throw error }
      }
    }
    let bands = HEIFBands(reader.layout, of: reader.items, allowsPartial: options.allowsPartial, work: work)
    let alpha = reader.alpha.map { alpha in
      HEIFAlpha(
        HEIFBands(alpha.layout, of: reader.items, allowsPartial: options.allowsPartial, work: work),
        for: reader.layout.size, isFullRange: alpha.isFullRange, work: work)
    }
    var bitmap = try rows(bands, alpha, reader.header.geometry, reader.header.colors).bitmap()
    if bitmap.format.alpha == .premultiplied {
      try bitmap.convert(to: PixelFormat(bitmap.format.layout, alpha: .straight), work: work)
    }
    return (bitmap, bands.isDamaged || alpha?.bands.isDamaged == true)
  }

  private func rows(
    _ bands: HEIFBands, _ alpha: HEIFAlpha?, _ geometry: HEIFGeometry, _ colors: HEIFColors
  ) throws(ImageError) -> HEIFRows {
    guard let weights = colors.weights(bands.layout.sequence, most: readsWide ? 65_535 : 255) else {
      throw ImageError(
        .unsupportedFormat,
        "HEIF: the colours are stored with matrix \(colors.matrix) of ITU-T H.273, which is unknown.")
    }
    return HEIFRows(
      bands: bands, alpha: alpha, crop: geometry.crop, format: format, target: finish.storedTarget, weights: weights,
      work: work)
  }

  /// The format in which the pixels are read.
  private var format: PixelFormat {
    let alpha: PixelFormat.Alpha =
      reader.alpha.map { $0.isPremultiplied ? .premultiplied : .straight } ?? .opaque
    return PixelFormat(readsWide ? .rgba16 : .rgba8, alpha: alpha)
  }

  private var readsWide: Bool { finish.readsWide || options.keeps16Bits && reader.header.bitDepth > 8 }

  private var metadata: ImageMetadata {
    let header = reader.header
    // The turn is stated in boxes of its own, so EXIF and XMP must agree with it, whatever they said.
    var metadata = ImageMetadata(
      storedSize: header.geometry.crop.size, orientation: finish.keptOrientation, iccProfile: finish.keptProfile,
      exif: header.exif?.stating(finish.keptOrientation).bytes, xmp: header.xmp?.stating(finish.keptOrientation).bytes,
      density: header.exif?.density)
    metadata.color = finish.keptColor
    return metadata
  }
}
