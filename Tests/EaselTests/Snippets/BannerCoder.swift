import Easel
import EaselCoding

/// The coder of a format made up for the guide: rows of one colour each, and an orientation.
struct BannerCoder: ImageCoder {
  var identifier: String { "org.example.banner" }
  var formats: [ImageFormat] { [ImageFormat(mimeType: "image/x-banner")] }

  func canDecode(prefix: [UInt8]) -> Bool { prefix.starts(with: Array("BNNR".utf8)) }

  func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader {
    let head = try bytes.prefix(7)
    guard head.count == 7, canDecode(prefix: head), let orientation = ImageMetadata.Orientation(rawValue: Int(head[6]))
    else {
      throw ImageError(.badImageData, "Banner: the header is damaged or cut short.")
    }
    let size = PixelSize(width: Int(head[4]), height: Int(head[5]))
    try work.limits.check(frame: size, claimedBy: "Banner: the header")
    return ImageHeader(format: formats[0], storedSize: size, orientation: orientation)
  }

  func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image {
    let header = try probe(bytes, work: work)
    let colors = try bytes.prefix(7 + 3 * header.storedSize.height).dropFirst(7)
    guard colors.count == 3 * header.storedSize.height else {
      throw ImageError(.badImageData, "Banner: the file ends before its last row.")
    }
    let finish = ImageFinish(header, profile: nil, isGray: false, options: options)
    let reducer = try RowReducer(
      from: header.storedSize, to: finish.storedTarget, format: .opaqueRGBA8, averagesLight: finish.averagesLight)
    for row in 0..<header.storedSize.height {
      try work.checkCancellation()
      let pixel = Array(colors.dropFirst(3 * row).prefix(3)) + [255]
      let pixels = Array(repeating: pixel, count: header.storedSize.width).flatMap { $0 }
      try pixels.withUnsafeBytes { try reducer.push($0) }
    }
    let metadata = ImageMetadata(storedSize: header.storedSize, orientation: finish.keptOrientation)
    var image = Image(try finish(reducer.bitmap, work: work), format: header.format, metadata: metadata)
    if finish.storedTarget != header.storedSize { image.traits.insert(.thumbnail) }
    return image
  }
}
