import EaselCoding
import EaselCore
import FoundationEssentials

/// The parts of a file: its codestream, and the description of colours in its boxes.
struct JPEG2000File {
  /// The meaning of colours.
  enum Space: Hashable {
    case gray, sRGB, ycc, inks
    /// The boxes state no space, or state it by a profile.
    case open
  }

  static let signature: [UInt8] = [0, 0, 0, 12, 0x6A, 0x50, 0x20, 0x20, 0x0D, 0x0A, 0x87, 0x0A]

  let format: ImageFormat
  let stream: JPEG2000Stream
  /// The bytes of the codestream.
  let range: Range<Int>
  private(set) var space = Space.open
  private(set) var profile: Data?
  private(set) var palette: JPEG2000Palette?
  private(set) var definitions: [JPEG2000Channels.Definition] = []

  init(_ bytes: ImageBytes, limits: Limits) throws(ImageError) {
    guard try bytes.prefix(Self.signature.count).starts(with: Self.signature) else {
      format = .j2c
      range = 0..<bytes.count
      stream = try JPEG2000Stream(bytes, at: 0, limits: limits)
      return
    }
    format = .jp2
    let (header, range) = try Self.parts(of: bytes, limits: limits)
    self.range = range
    stream = try JPEG2000Stream(bytes, at: range.lowerBound, limits: limits)
    guard let header else { return }
    let result = header.withUnsafeBytes { header in
      Result<Void, ImageError> { () throws(ImageError) in try read(MediaBytes(header)) }
    }
    try result.get()
  }

  /// The content of the box that states colours, and the place of the codestream.
  private static func parts(
    of bytes: ImageBytes, limits: Limits
  ) throws(ImageError) -> (header: [UInt8]?, stream: Range<Int>) {
    var (place, header) = (0, [UInt8]?.none)
    while place < bytes.count {
      let head = try bytes.part(at: place, count: 16)
      let box = head.withUnsafeBytes { head in
        // Only the sixteen bytes of the head are needed, and the box may be longer.
        MediaBytes(head).box(at: 0, before: max(16, bytes.count - place))
      }
      guard let box, head.count >= 8 else { break }
      let end = box.end > bytes.count - place ? bytes.count : place + box.end
      switch box.kind {
      case "jp2h":
        try limits.check(metadataBytes: end - place, claimedBy: "JPEG 2000: the header")
        header = try bytes.part(at: place + box.content, count: max(0, end - place - box.content))
      case "jp2c": return (header, min(place + box.content, end)..<end)
      default: break
      }
      place = end
    }
    throw .bad("JPEG 2000", "the file of \(bytes.count) bytes has no codestream")
  }

  private mutating func read(_ header: MediaBytes) throws(ImageError) {
    let boxes = header.boxes(in: 0..<header.count)
    for box in boxes where box.kind == "colr" {
      try readColors(box, header)
      // The first known description counts; a file may have others for readers that do not know it.
      if space != .open || profile != nil { break }
    }
    if let box = boxes.first("pclr") {
      palette = try JPEG2000Palette(header, box: box, mapping: boxes.first("cmap"))
    }
    if let box = boxes.first("cdef") {
      let count = header.number(at: box.content, bytes: 2) ?? 0
      definitions = (0..<count).compactMap { index in
        let place = box.content + 2 + 6 * index
        guard place + 6 <= box.end, let channel = header.number(at: place, bytes: 2),
          let kind = header.number(at: place + 2, bytes: 2), let color = header.number(at: place + 4, bytes: 2)
        else { return nil }
        return JPEG2000Channels.Definition(channel: channel, kind: kind, color: color)
      }
    }
  }

  private mutating func readColors(_ box: MediaBox, _ header: MediaBytes) throws(ImageError) {
    switch header.number(at: box.content, bytes: 1) {
    case 1:
      switch header.number(at: box.content + 3, bytes: 4) {
      case 12: space = .inks
      case 16: space = .sRGB
      case 17: space = .gray
      case 18: space = .ycc
      case let number?: throw .unsupportedJPEG2000("colours of the space \(number) are not read")
      case nil: throw .bad("JPEG 2000", "the description of colours is cut off")
      }
    case 2, 3:
      guard box.content + 3 <= box.end, let bytes = header.bytes(in: box.content + 3..<box.end) else { return }
      profile = Data(bytes)
    default: break
    }
  }

  var imageHeader: ImageHeader {
    get throws(ImageError) {
      let channels = try JPEG2000Channels(self)
      var header = ImageHeader(
        format: format, storedSize: stream.size, hasAlpha: channels.alpha != nil,
        bitDepth: min(16, channels.colors.map(\.depth).max() ?? 8))
      header.iccProfileBytes = profile?.count ?? 0
      return header
    }
  }
}
