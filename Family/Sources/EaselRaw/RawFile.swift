import CEaselRaw
import EaselCore
import EaselJPEG
import EaselPixels

/// A raw photo whose header LibRaw has read.
final class RawFile {
  let header: ImageHeader

  private let file: OpaquePointer
  /// The bytes that LibRaw reads until the file is closed.
  private let bytes: UnsafeMutableRawBufferPointer
  private let orientation: ImageMetadata.Orientation

  init(_ bytes: ImageBytes, work: WorkContext) throws {
    try work.checkCancellation()
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, bytes.count), alignment: 16)
    do {
      let count = try bytes.read(at: 0, into: copy)
      file = try Self.open(UnsafeRawBufferPointer(rebasing: copy[..<count]))
    } catch {
      copy.deallocate()
      throw error
    }
    self.bytes = copy
    var facts = easel_raw_facts_of(file)
    orientation = ImageMetadata.Orientation(rawValue: Int(facts.orientation)) ?? .up
    let stored = PixelSize(width: Int(facts.width), height: Int(facts.height))
    let maker = withUnsafeBytes(of: &facts.maker) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    header = ImageHeader(
      format: RawFormat.of(maker: maker, isDNG: facts.is_dng),
      storedSize: orientation.swapsSides ? stored.transposed : stored)
    try work.limits.check(frame: header.storedSize, claimedBy: "Raw photo: the header")
  }

  deinit {
    easel_raw_close(file)
    bytes.deallocate()
  }

  private static func open(_ bytes: UnsafeRawBufferPointer) throws(ImageError) -> OpaquePointer {
    var file: OpaquePointer?
    var message = [CChar](repeating: 0, count: Int(EASEL_RAW_MESSAGE_BYTES))
    let status = easel_raw_open(bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count, &file, &message)
    guard status == EASEL_RAW_OK, let file else { throw error(status, message) }
    return file
  }

  /// The least size that is enough for the options.
  func target(_ options: DecodeOptions) -> PixelSize {
    let target = options.targetSize(for: header)
    guard let least = options.leastSize, !least.isEmpty, least.width <= target.width, least.height <= target.height
    else { return target }
    let scale = max(Double(least.width) / Double(target.width), Double(least.height) / Double(target.height))
    return PixelSize(
      width: max(least.width, Int((Double(target.width) * scale).rounded())),
      height: max(least.height, Int((Double(target.height) * scale).rounded())))
  }

  /// The JPEG of the camera, upright; nil if there is none, or if it is too small or shows another area.
  func preview(covering size: PixelSize, work: WorkContext) throws -> Bitmap? {
    var (start, count): (UnsafePointer<UInt8>?, Int) = (nil, 0)
    guard easel_raw_preview(file, &start, &count), let start else { return nil }
    let jpeg = ImageBytes(Array(UnsafeBufferPointer(start: start, count: count)))
    // A bad preview is no reason to refuse a good picture.
    guard let found = try? JPEGCoder().probe(jpeg, work: work) else { return nil }
    let stored = found.storedSize, upright = orientation.swapsSides ? stored.transposed : stored
    let ratio = Double(upright.width * header.storedSize.height) / Double(upright.height * header.storedSize.width)
    guard upright.width >= size.width, upright.height >= size.height, abs(ratio - 1) < 0.02 else { return nil }
    var options = DecodeOptions(
      thumbnailSize: orientation.swapsSides ? size.transposed : size, preservesAspectRatio: false)
    options.appliesOrientation = false
    guard let image = try? JPEGCoder().decode(jpeg, options: options, work: work) else { return nil }
    return try image.bitmap.converted(to: .opaqueRGBA8, work: work).oriented(orientation, work: work)
  }

  /// The raw picture, developed and upright.
  func developed(covering size: PixelSize, work: WorkContext) throws -> Bitmap {
    try work.checkCancellation()
    let isHalf = 2 * size.width <= header.storedSize.width && 2 * size.height <= header.storedSize.height
    var picture = easel_raw_picture()
    var message = [CChar](repeating: 0, count: Int(EASEL_RAW_MESSAGE_BYTES))
    let status = easel_raw_develop(file, isHalf, &picture, &message)
    guard status == EASEL_RAW_OK else { throw Self.error(status, message) }
    defer { easel_raw_free_picture(&picture) }
    let (width, height) = (Int(picture.width), Int(picture.height))
    guard width > 0, height > 0, picture.count >= 3 * width * height else {
      throw ImageError(.badImageData, "Raw photo: LibRaw made a picture without pixels.")
    }
    var bitmap = try Bitmap(unfilled: PixelSize(width: width, height: height), format: .opaqueRGBA8)
    let stride = bitmap.bytesPerRow
    bitmap.withUnsafeMutableBytes { target in
      for row in 0..<height {
        var (from, to) = (3 * width * row, stride * row)
        for _ in 0..<width {
          target[to] = picture.bytes[from]
          target[to + 1] = picture.bytes[from + 1]
          target[to + 2] = picture.bytes[from + 2]
          target[to + 3] = 255
          (from, to) = (from + 3, to + 4)
        }
      }
    }
    return try bitmap.oriented(orientation, work: work)
  }

  private static func error(_ status: easel_raw_status, _ message: [CChar]) -> ImageError {
    let text = String(decoding: message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    switch status {
    case EASEL_RAW_NO_MEMORY:
      return ImageError(.limitExceeded, "Raw photo: there is not enough memory to develop it (\(text)).")
    case EASEL_RAW_UNKNOWN:
      return ImageError(.unsupportedFormat, "Raw photo: LibRaw does not know this kind of file (\(text)).")
    default: return ImageError(.badImageData, "Raw photo: \(text).")
    }
  }
}
