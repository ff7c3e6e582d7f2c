import EaselCore

/// The bytes of a toy picture and their parsed header, shared by the coder, its frames and its progressive decoder.
struct ToyFile: Sendable {
  let bytes: [UInt8]
  let header: ImageHeader

  /// Reads the header.
  init(_ source: ImageBytes) throws {
    let bytes = try source.withUnsafeBytes { [UInt8]($0) }
    guard bytes.starts(with: ToyImage.signature) else {
      throw ImageError(.badImageData, "Toy: the signature is missing.")
    }
    guard bytes.count >= ToyImage.headerLength else {
      throw ImageError(.badImageData, "Toy: the header ends after \(bytes.count) bytes.")
    }
    guard bytes[8] == 1, bytes[9] & 2 == 0 else {
      throw ImageError(.unsupportedFormat, "Toy: this variant of the format is not supported.")
    }
    guard let orientation = ImageMetadata.Orientation(rawValue: Int(bytes[10])) else {
      throw ImageError(.badImageData, "Toy: there is no orientation \(bytes[10]).")
    }
    self.bytes = bytes
    header = ImageHeader(
      format: ToyImage.format,
      storedSize: PixelSize(width: Self.number(at: 12, of: bytes), height: Self.number(at: 16, of: bytes)),
      orientation: orientation, frameCount: Self.number(at: 20, of: bytes), loopCount: Self.number(at: 24, of: bytes),
      hasAlpha: bytes[9] & 1 != 0)
    guard header.frameCount > 0, !header.storedSize.isEmpty else {
      throw ImageError(
        .badImageData, "Toy: the header claims \(header.frameCount) frames of \(header.storedSize).")
    }
  }

  func check(_ limits: Limits, _ options: DecodeOptions) throws {
    try limits.check(frame: header.storedSize, claimedBy: "Toy: the header")
    try limits.check(frameCount: header.frameCount, claimedBy: "Toy: the header")
    guard !options.firstFrameOnly else { return }
    try limits.check(
      frameCount: header.frameCount, of: options.targetSize(for: header), claimedBy: "Toy: the header")
  }

  // A header may claim sizes that overflow; such a frame is never complete.
  private var frameLength: Int { header.storedSize.area > 1 << 40 ? 1 << 42 : 4 + header.storedSize.area * 4 }

  private func start(of frame: Int) -> Int { ToyImage.headerLength + frame * frameLength }

  /// The byte of an orientation and those after the last frame; nil if the file is not whole.
  var metadataBytes: Int? {
    guard wholeFrames == header.frameCount else { return nil }
    return bytes.count - start(of: header.frameCount) + (header.orientation == .up ? 0 : 1)
  }

  /// The number of complete frames.
  var wholeFrames: Int {
    min(header.frameCount, max(0, bytes.count - ToyImage.headerLength) / frameLength)
  }

  /// The number of complete rows of the first frame.
  var wholeRows: Int {
    let available = bytes.count - start(of: 0) - 4
    return min(header.storedSize.height, max(0, available) / (header.storedSize.width * 4))
  }

  func duration(of frame: Int) -> Duration { .milliseconds(Self.number(at: start(of: frame), of: bytes)) }

  /// Makes the pixels of a frame at the size that the options ask for; missing rows stay empty.
  func bitmap(frame: Int, rows: Int, options: DecodeOptions, work: WorkContext) throws -> Bitmap {
    let size = size(for: options)
    let stored = header.storedSize
    let orientation = options.appliesOrientation ? header.orientation : .up
    let full = options.appliesOrientation ? header.uprightSize : stored
    var bitmap = try Bitmap(size: size, format: header.hasAlpha ? .rgba8 : .opaqueRGBA8)
    let stride = bitmap.bytesPerRow
    let pixels = start(of: frame) + 4
    let isAsStored = size == stored && orientation == .up
    try bitmap.withUnsafeMutableBytes { target in
      for y in 0..<size.height {
        try work.checkCancellation()
        if isAsStored {
          // A loop over single pixels would take seconds for a large picture under ThreadSanitizer.
          let from = pixels + y * stored.width * 4
          let row = UnsafeMutableRawBufferPointer(rebasing: target[(y * stride)...].prefix(stored.width * 4))
          if y < rows { row.copyBytes(from: bytes[from..<from + row.count]) }
          if !header.hasAlpha { for x in 0..<stored.width { row[x * 4 + 3] = 255 } }
          continue
        }
        for x in 0..<size.width {
          let place = orientation.storedPosition(
            x: x * full.width / size.width, y: y * full.height / size.height, in: stored)
          let to = y * stride + x * 4
          if place.y < rows {
            let from = pixels + (place.y * stored.width + place.x) * 4
            for component in 0..<4 { target[to + component] = bytes[from + component] }
          }
          if !header.hasAlpha { target[to + 3] = 255 }
        }
      }
    }
    return bitmap
  }

  /// The size halved while the options allow it, as in decoders that can skip detail.
  private func size(for options: DecodeOptions) -> PixelSize {
    var size = options.targetSize(for: header)
    while let least = options.leastSize, size.width / 2 >= least.width, size.height / 2 >= least.height {
      size = PixelSize(width: size.width / 2, height: size.height / 2)
    }
    return size
  }

  /// The picture of these pixels, with the properties that the options ask for.
  func image(_ bitmap: Bitmap, frames: (any FrameSource)?, options: DecodeOptions, isPartial: Bool) -> Image {
    let orientation = options.appliesOrientation ? .up : header.orientation
    let full = options.appliesOrientation ? header.uprightSize : header.storedSize
    var traits: Image.Traits = isPartial ? .partial : []
    if bitmap.size != full { traits.insert(.thumbnail) }
    return Image(
      bitmap, format: header.format,
      metadata: ImageMetadata(storedSize: header.storedSize, orientation: orientation), frames: frames, traits: traits)
  }

  private static func number(at offset: Int, of bytes: [UInt8]) -> Int {
    bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
  }
}
