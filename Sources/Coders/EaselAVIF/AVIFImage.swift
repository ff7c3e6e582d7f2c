import EaselCoding
import EaselCore
import EaselPixels
import FoundationEssentials

/// Decodes the picture of a file whose header is known.
struct AVIFImage {
  let reader: AVIFReader
  let finish: ImageFinish
  private let options: DecodeOptions
  private let work: WorkContext

  init(_ reader: AVIFReader, options: DecodeOptions, work: WorkContext) {
    self.reader = reader
    self.options = options
    self.work = work
    let header = reader.header
    finish = ImageFinish(
      header.imageHeader, profile: header.profile, color: header.color,
      isGray: header.isGray && header.profile?.isGrayProfile == true,
      decodedSize: options.sufficientSize(for: header.imageHeader), options: options)
  }

  func image() throws(ImageError) -> Image {
    let header = reader.header
    let wound = reader.file.wound
    if let wound, !options.damaged.accepts(wound) { throw .bad("AVIF", wound.text) }
    try work.checkCancellation()
    try reader.decode(0)
    let bitmap = try AVIFRows(reader: reader, format: format, target: finish.storedTarget, work: work).bitmap()
    var metadata = metadata
    if let wound { metadata.notes.append(wound.note("AVIF")) }
    var traits: Image.Traits = wound?.sparesPixels == false ? .partial : []
    if finish.storedTarget != header.crop.size { traits.insert(.thumbnail) }
    var image = Image(try finish(bitmap, work: work), format: .avif, metadata: metadata, traits: traits)
    if header.isSequence, !options.firstFrameOnly {
      try work.limits.check(frameCount: header.frameCount, of: image.size, claimedBy: "AVIF: the file")
      let frames = AVIFFrames(reader: reader, size: finish.storedTarget, format: format)
      image.frames = ComposedFrameSource(frames, finish: finish, name: "AVIF", first: bitmap, work: work)
    }
    return image
  }

  /// The format in which the pixels are read.
  private var format: PixelFormat {
    PixelFormat(readsWide ? .rgba16 : .rgba8, alpha: reader.header.hasAlpha ? .straight : .opaque)
  }

  private var readsWide: Bool { finish.readsWide || options.keeps16Bits && reader.header.bitDepth > 8 }

  private var metadata: ImageMetadata {
    let header = reader.header
    // The turn is stated in boxes of its own, so EXIF and XMP must agree with it, whatever they said.
    var metadata = ImageMetadata(
      storedSize: header.crop.size, orientation: finish.keptOrientation, iccProfile: finish.keptProfile,
      exif: header.exif?.stating(finish.keptOrientation).bytes, xmp: header.xmp?.stating(finish.keptOrientation).bytes,
      density: header.exif?.density)
    metadata.color = finish.keptColor
    return metadata
  }
}
