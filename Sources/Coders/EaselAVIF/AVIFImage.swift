import EaselCoding
import EaselCore
import EaselPixels

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
      header.imageHeader, profile: header.metadata.profile, color: header.metadata.color,
      isGray: header.isGray && header.metadata.profile?.isGrayProfile == true,
      decodedSize: options.sufficientSize(for: header.imageHeader), options: options)
  }

  func image() throws(ImageError) -> Image {
    let header = reader.header
    let wound = reader.file.wound
    if let wound, !options.damaged.accepts(wound) { throw .bad("AVIF", wound.text) }
    try work.checkCancellation()
    try reader.decode(0)
    let bitmap = try AVIFRows(reader: reader, format: format, finish: finish, work: work).bitmap()
    var image = try finish.image(
      bitmap, format: .avif, metadata: header.metadata, statesTurnOutside: true,
      isPartial: wound?.sparesPixels == false, work: work)
    if let wound { image.metadata.notes.append(wound.note("AVIF")) }
    if header.isSequence, !options.firstFrameOnly {
      try work.limits.check(frameCount: header.frameCount, of: image.size, claimedBy: "AVIF: the file")
      let frames = AVIFFrames(reader: reader, finish: finish, format: format)
      image.frames = ComposedFrameSource(frames, finish: finish, name: "AVIF", first: bitmap, work: work)
    }
    return image
  }

  /// The format in which the pixels are read.
  private var format: PixelFormat {
    PixelFormat(readsWide ? .rgba16 : .rgba8, alpha: reader.header.hasAlpha ? .straight : .opaque)
  }

  private var readsWide: Bool { finish.readsWide || options.keeps16Bits && reader.header.bitDepth > 8 }
}
