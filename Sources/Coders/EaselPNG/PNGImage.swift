import EaselCoding
import EaselCore
import EaselPixels
import FoundationEssentials

/// Decodes the picture of a file whose chunks are known.
struct PNGImage {
  private(set) var file: PNGFile
  let finish: ImageFinish
  private let options: DecodeOptions
  private let profile: Data?

  init(_ file: PNGFile, of bytes: ImageBytes, options: DecodeOptions, limits: Limits) throws(ImageError) {
    self.file = file
    self.options = options
    profile = try file.readProfile(of: bytes, limits: limits)
    let header = file.pictureHeader
    finish = ImageFinish(
      header, profile: profile, color: file.color, isGray: file.header.isGray,
      decodedSize: Self.chosenSize(file, header, options),
      options: options)
  }

  /// The options' `leastSize` for a picture that would take much memory.
  ///
  /// The result is nil for other pictures, which are read faster in full.
  private static func chosenSize(_ file: PNGFile, _ header: ImageHeader, _ options: DecodeOptions) -> PixelSize? {
    guard file.animation == nil, !file.header.isInterlaced,
      PNGFastPath.filteredBytes(of: file.layout(of: file.header.size, isWide: false)) > PNGFastPath.mostFilteredBytes
    else { return nil }
    return options.leastStoredSize(for: header)
  }

  var isWide: Bool { (options.keeps16Bits || finish.readsWide) && file.header.bitDepth == 16 }

  /// This picture with a newer state of its file.
  func knowing(_ file: PNGFile) -> PNGImage {
    var picture = self
    picture.file = file
    return picture
  }

  /// Makes the reader of the pixels.
  func makeReader() throws(ImageError) -> PNGPixelReader {
    try PNGPixelReader(
      file, from: file.data!, size: file.header.size, target: finish.storedTarget,
      averagesLight: finish.averagesLight, isWide: isWide)
  }

  /// Decodes the whole picture, in one go if possible.
  func decode(_ bytes: ImageBytes, work: WorkContext) throws(ImageError) -> Image {
    let isThumbnail = finish.storedTarget != file.header.size
    if file.wound == nil,
      let bitmap = try PNGFastPath.bitmap(
        file, from: file.data!, dataBytes: file.dataBytes, size: file.header.size, isWide: isWide, of: bytes,
        filteredBytes: isThumbnail ? PNGFastPath.mostFilteredBytesOfThumbnails : PNGFastPath.mostFilteredBytes,
        work: work)
    {
      return try image(bitmap, wound: nil, of: bytes, work: work)
    }
    let reader = try makeReader()
    try reader.advance(over: bytes, isWhole: true, work: work)
    return try image(from: reader, of: bytes, work: work)
  }

  /// The image from a reader that has read all bytes.
  func image(from reader: PNGPixelReader, of bytes: ImageBytes, work: WorkContext) throws(ImageError) -> Image {
    let wound = try wound(in: reader, of: bytes, work: work)
    if let wound, !options.damaged.accepts(wound) || reader.progress == 0 { throw .bad("PNG", wound.text) }
    return try image(reader.bitmap, wound: wound, of: bytes, work: work)
  }

  /// The damage in the still picture, in the last frame, or at the end of the file.
  private func wound(
    in reader: PNGPixelReader, of bytes: ImageBytes, work: WorkContext
  ) throws(ImageError) -> Wound? {
    guard reader.wound?.sparesPixels != false, let found = file.wound else { return reader.wound }
    var isWhole = found.sparesPixels
    if isWhole, let frames = frames(of: bytes) { isWhole = try frames.isLastWhole(work: work) }
    return Wound(reader.wound?.text ?? found.text, sparesPixels: isWhole)
  }

  private func image(
    _ bitmap: Bitmap, wound: Wound?, of bytes: ImageBytes, work: WorkContext
  ) throws(ImageError) -> Image {
    var image = try preview(bitmap, of: bytes, work: work)
    if wound?.sparesPixels != false { image.traits.remove(.partial) }
    if let wound { image.metadata.notes.append(wound.note("PNG")) }
    return image
  }

  /// The frames, nil if the file is not an animation.
  private func frames(of bytes: ImageBytes) -> PNGFrames? {
    guard !file.playableFrames.isEmpty else { return nil }
    return PNGFrames(file, isWide: isWide, showsParts: options.damaged == .show, bytes: bytes)
  }

  /// An image of these pixels with the complete frames, marked as partial.
  func preview(_ bitmap: Bitmap, of bytes: ImageBytes, work: WorkContext) throws(ImageError) -> Image {
    var bitmap = bitmap
    if bitmap.format.alpha == .opaque && file.hasAlpha { bitmap.assumeAlpha(.straight) }
    var image = try finish.image(bitmap, format: .png, metadata: file.metadata, isPartial: true, work: work)
    if !options.firstFrameOnly, let frames = frames(of: bytes) {
      try work.limits.check(frameCount: frames.count, of: image.size, claimedBy: "PNG: the file")
      image.frames = ComposedFrameSource(frames, finish: finish, name: "PNG", work: work)
    }
    return image
  }
}

extension PNGFile {
  /// The ICC profile, nil if there is none or if it cannot be read.
  func readProfile(of bytes: ImageBytes, limits: Limits) throws(ImageError) -> Data? {
    guard let profile else { return nil }
    try limits.check(metadataBytes: profile.count, claimedBy: "PNG: iCCP")
    guard let content = try PNGWindow(bytes).content(of: profile) else { return nil }
    return try PNGText.profile(of: content, atMost: limits.metadataBytes)
  }
}
