import EaselCoding
import EaselCore
import EaselPixels

/// Decodes the picture of a file whose header is known.
struct JPEGImage {
  private let file: JPEGFile
  private let options: DecodeOptions
  private let finish: ImageFinish
  private let scale: JPEGScale
  private let cmyk: CMYKConversion?

  /// Prepares the decoding; without `allowsScaling`, only the resampler makes the picture smaller, not the library.
  init(
    _ file: JPEGFile, of bytes: ImageBytes, options: DecodeOptions, limits: Limits, allowsScaling: Bool = true
  ) throws(ImageError) {
    try file.checkCoefficients(limits)
    self.file = file
    self.options = options
    let profile = try file.readProfile(of: bytes)
    let header = file.imageHeader(profileBytes: 0)
    let chosen = options.leastStoredSize(for: header).map { JPEGScale.covering($0, of: header.storedSize) }
    finish = ImageFinish(
      header, profile: file.kind == .cmyk ? nil : profile, isGray: file.kind == .gray,
      decodedSize: chosen?.applied(to: file.size), options: options)
    scale = chosen ?? (allowsScaling ? .forReducing(file.size, as: finish) : .full)
    cmyk =
      file.kind == .cmyk ? try CMYKConversion(profile: options.convertsColor ? profile : nil, isInverted: true) : nil
  }

  /// Makes the reader of the pixels, which uses this many threads at most.
  func makeReader(threads: Int = 1) throws(ImageError) -> JPEGPixelReader {
    try JPEGPixelReader(
      file, scale: scale, target: finish.storedTarget, averagesLight: finish.averagesLight, cmyk: cmyk,
      threads: threads)
  }

  /// The image of a reader that has read all bytes, with the gain map behind them.
  func image(
    from reader: JPEGPixelReader, of bytes: ImageBytes, work: WorkContext
  ) throws(ImageError) -> Image {
    let (bitmap, wound) = try pixels(of: reader, in: bytes, work: work)
    var image = try image(bitmap, isPartial: wound?.sparesPixels == false, work: work)
    if let wound { image.metadata.notes.append(wound.note("JPEG")) }
    try addGainMap(to: &image, from: bytes, work: work)
    return image
  }

  /// The pixels of the whole file, before anything else is done to them.
  func bitmap(of bytes: ImageBytes, work: WorkContext) throws(ImageError) -> Bitmap {
    let reader = try makeReader()
    try reader.advance(over: bytes, isWhole: true, work: work)
    return try pixels(of: reader, in: bytes, work: work).bitmap
  }

  private func addGainMap(to image: inout Image, from bytes: ImageBytes, work: WorkContext) throws(ImageError) {
    switch try JPEGGainMap.search(for: file, in: bytes, work: work) {
    case .nothing: break
    case .ignored(let note): image.metadata.notes.append(note)
    case .map(let map):
      switch try map.decode(for: file, finish: finish, basedOn: options, work: work) {
      case .success(let map): image.metadata.gainMap = map
      case .failure(let problem): image.metadata.notes.append(problem.note)
      }
    }
  }

  private func pixels(
    of reader: JPEGPixelReader, in bytes: ImageBytes, work: WorkContext
  ) throws(ImageError) -> (bitmap: Bitmap, wound: Wound?) {
    if let wound = reader.wound, !options.damaged.accepts(wound) { throw .bad("JPEG", wound.text) }
    guard var bitmap = try reader.bitmap(of: bytes, work: work) else {
      throw .bad("JPEG", "\(reader.wound?.text ?? "there are no pixels in the file")")
    }
    var wound = reader.wound
    // Making the bitmap may reveal more damage.
    if !reader.isComplete, wound?.sparesPixels != false { wound = Wound("the pixels end before the last row") }
    guard let wound else { return (bitmap, nil) }
    guard options.damaged.accepts(wound) else { throw .bad("JPEG", wound.text) }
    if !reader.isComplete { bitmap.fillMissing(reader.shownRows..<bitmap.height, likeRow: reader.shownRows - 1) }
    return (bitmap, wound)
  }

  /// An image of these pixels.
  func image(_ bitmap: Bitmap, isPartial: Bool, work: WorkContext) throws(ImageError) -> Image {
    try finish.image(bitmap, format: .jpeg, metadata: file.metadata, isPartial: isPartial, work: work)
  }
}
