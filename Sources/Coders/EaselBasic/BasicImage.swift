import EaselCoding
import EaselCore

/// Decodes a picture whose header is known, from the rows of a reader for its format.
struct BasicImage {
  /// The name of the format, at the beginning of error messages.
  let name: String
  let header: ImageHeader
  var metadata = StoredMetadata()
  var isBottomUp = false
  /// The size of the rows, if they come from a smaller version of the picture.
  var rowSize: PixelSize?
  /// The size to decode to, if the format has chosen one.
  var chosenSize: PixelSize?
  let options: DecodeOptions
  let work: WorkContext

  /// Decodes the picture; `read` pushes the rows, and returns the damage that it found, or nil.
  func decode(
    format: PixelFormat, _ read: (ImageRows) throws(ImageError) -> Wound?
  ) throws(ImageError) -> Image {
    try work.checkCancellation()
    let size = rowSize ?? header.storedSize
    try work.limits.check(frame: size, claimedBy: "\(name): the header")
    let finish = ImageFinish(
      header, profile: metadata.profile, color: metadata.color, isGray: false,
      decodedSize: chosenSize ?? options.sufficientSize(for: header),
      options: options)
    let rows = try ImageRows(
      size, format: format, target: finish.storedTarget, averagesLight: finish.averagesLight, isBottomUp: isBottomUp,
      work: work)
    let wound = try read(rows)
    if let wound, !options.damaged.accepts(wound) || rows.progress == 0 { throw .bad(name, wound.text) }
    var image = try finish.image(
      rows.result(work: work), format: header.format, metadata: metadata, isPartial: wound?.sparesPixels == false,
      work: work)
    if let wound { image.metadata.notes.append(wound.note(name)) }
    return image
  }
}
