import CEaselAVIF
import EaselCoding
import EaselCore
import FoundationEssentials

/// Everything that a file states besides its pixels.
struct AVIFHeader {
  /// The size of the coded picture, before it is cropped and turned.
  let codedSize: PixelSize
  /// The part of the coded picture that is shown.
  let crop: PixelRect
  /// The orientation that the file states in its own boxes; its EXIF block is ignored.
  let orientation: ImageMetadata.Orientation
  let bitDepth: Int
  /// True if the pixels have brightness but no colours.
  let isGray: Bool
  var hasAlpha: Bool
  let isSequence: Bool
  let frameCount: Int
  /// The number of plays of a sequence; 0 means forever.
  let loopCount: Int
  /// The stored display time of each frame of a sequence.
  let delays: [Duration]
  /// The matrix between red, green and blue and the stored components.
  let matrix: Int
  let metadata: StoredMetadata

  init(_ reader: OpaquePointer, of file: AVIFFile) throws(ImageError) {
    var header = easel_avif_header()
    easel_avif_reader_header(reader, &header)
    codedSize = PixelSize(width: Int(header.width), height: Int(header.height))
    guard !codedSize.isEmpty else {
      throw .bad("AVIF", "the file claims a picture of \(codedSize), which has no pixels")
    }
    crop = PixelRect(croppedBy: header, from: codedSize)
    orientation = ImageMetadata.Orientation(
      quarterTurnsLeft: Int(header.turns), swapsLeftAndRight: header.swaps_left_and_right,
      swapsTopAndBottom: header.swaps_top_and_bottom)
    bitDepth = Int(header.depth)
    isGray = header.is_monochrome
    hasAlpha = header.has_alpha
    isSequence = header.is_sequence
    frameCount = max(1, Int(header.frame_count))
    matrix = Int(header.matrix)
    let exif = Self.block(header.exif, header.exif_count).flatMap(EXIF.init)
    metadata = StoredMetadata(
      profile: Self.block(header.profile, header.profile_count), color: Self.color(header, file), exif: exif,
      xmp: Self.block(header.xmp, header.xmp_count).map(XMP.init), density: exif?.density)
    loopCount = isSequence ? file.plays : 0
    delays = isSequence ? Self.delays(of: reader, count: frameCount) : []
  }

  /// Throws when the picture is over a limit.
  func check(_ limits: Limits) throws(ImageError) {
    try limits.check(frame: codedSize, claimedBy: "AVIF: the header")
    try limits.check(frameCount: frameCount, claimedBy: "AVIF: the header")
    try limits.check(metadataBytes: metadata.byteCount, claimedBy: "AVIF: the header")
  }

  var imageHeader: ImageHeader {
    var header = ImageHeader(
      format: .avif, storedSize: crop.size, orientation: orientation, frameCount: frameCount,
      loopCount: loopCount, hasAlpha: hasAlpha, bitDepth: bitDepth)
    header.storedDelays = delays
    header.state(metadata)
    return header
  }

  private static func block(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Data? {
    start.flatMap { count > 0 ? Data(bytes: $0, count: count) : nil }
  }

  /// The code points of the pixels after they are converted to red, green and blue; nil when the file states none.
  private static func color(_ header: easel_avif_header, _ file: AVIFFile) -> ColorDescription? {
    let open: Set<UInt16> = [0, 2]
    if open.contains(header.primaries) && open.contains(header.transfer) { return nil }
    var (primaries, transfer) = (Int(header.primaries), Int(header.transfer))
    if !file.statesCodePoints(inSequence: header.is_sequence) {
      (primaries, transfer) = ColorDescription.Coding.ofStream(primaries: primaries, transfer: transfer)
    }
    return ColorDescription(
      coding: ColorDescription.Coding(primaries: primaries, transfer: transfer),
      masteringDisplay: file.masteringDisplay, contentLight: file.contentLight)
  }

  private static func delays(of reader: OpaquePointer, count: Int) -> [Duration] {
    (0..<count).map { index in
      var (duration, scale): (UInt64, UInt64) = (0, 0)
      guard easel_avif_reader_duration(reader, UInt32(index), &duration, &scale), scale > 0 else { return .zero }
      // The limit of a day is longer than any frame is shown, and its nanoseconds do not overflow.
      return .nanoseconds(Int64(min(86_400, Double(duration) / Double(scale)) * 1e9))
    }
  }
}

extension PixelRect {
  /// The part that a clean aperture leaves; the whole picture if the aperture makes no sense, as in browsers.
  init(croppedBy header: easel_avif_header, from size: PixelSize) {
    self = PixelRect(covering: size)
    guard header.is_cropped,
      let width = header.crop_width.positive?.rounded(), let height = header.crop_height.positive?.rounded(),
      let right = header.crop_x.signed, let down = header.crop_y.signed
    else { return }
    let x = (right + (Double(size.width) - width) / 2).rounded()
    let y = (down + (Double(size.height) - height) / 2).rounded()
    guard width >= 1, height >= 1, x >= 0, y >= 0, x + width <= Double(size.width), y + height <= Double(size.height)
    else { return }
    self = PixelRect(x: Int(x), y: Int(y), width: Int(width), height: Int(height))
  }
}

extension easel_avif_fraction {
  /// The value of a fraction whose numbers are all positive.
  fileprivate var positive: Double? { below > 0 && above > 0 ? Double(above) / Double(below) : nil }

  /// The value of a fraction whose upper number has a sign.
  fileprivate var signed: Double? { below > 0 ? Double(Int32(bitPattern: above)) / Double(below) : nil }
}

extension ImageMetadata.Orientation {
  /// The orientation of a picture that is first turned and then mirrored.
  init(quarterTurnsLeft turns: Int, swapsLeftAndRight: Bool, swapsTopAndBottom: Bool) {
    let turned: [ImageMetadata.Orientation] = [.up, .left, .down, .right]
    let leftAndRight: [ImageMetadata.Orientation] = [.upMirrored, .rightMirrored, .downMirrored, .leftMirrored]
    let topAndBottom: [ImageMetadata.Orientation] = [.downMirrored, .leftMirrored, .upMirrored, .rightMirrored]
    self = (swapsLeftAndRight ? leftAndRight : swapsTopAndBottom ? topAndBottom : turned)[turns & 3]
  }
}
