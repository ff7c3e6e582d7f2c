import CEaselWebP
import EaselCoding
import EaselCore
import FoundationEssentials

/// Collects the content of the chunks received so far, and skips pixels.
struct WebPScanner: FileScanner {
  /// The file as known so far, nil before the first chunk.
  private(set) var file: WebPFile?

  private let limits: Limits
  private var position = 12
  /// The end that RIFF states; later bytes do not belong to the picture.
  private var end: Int?
  /// The frame whose chunks are being read.
  private var open: (head: WebPFrame.Head, end: Int)?
  /// The first alpha chunk before the pixels.
  private var alpha: WebPChunk?
  /// The pixel chunk that began last.
  private var image: WebPChunk?
  private var metadataBytes = 0
  private var chunks = 0
  /// The number of steps so far.
  ///
  /// Tests check how this number grows with the file.
  private(set) var steps = 0

  init(limits: Limits) { self.limits = limits }

  static func isSignature(_ prefix: some Collection<UInt8>) -> Bool {
    prefix.count >= 12 && prefix.starts(with: "RIFF".utf8) && prefix.dropFirst(8).starts(with: "WEBP".utf8)
  }

  mutating func advance(
    over bytes: ImageBytes, isWhole: Bool, needsSizeOnly: Bool = false, work: WorkContext
  ) throws(ImageError) {
    guard let end = try takeSignature(bytes, isWhole: isWhole) else { return }
    var window = WebPWindow(bytes)
    try work.checkCancellation()
    while !isFinished && !(needsSizeOnly && hasSize) {
      steps += 1
      if steps % 256 == 0 { try work.checkCancellation() }
      let bound = open?.end ?? end
      if position + WebPChunk.headBytes > bound {
        guard try leave(bytes, end) else { break }
        continue
      }
      guard let chunk = try window.chunk(at: position) else { break }
      guard chunk.end <= bound else {
        let text = "\(chunk.kind) at byte \(position) claims \(chunk.count) bytes, more than its container has"
        try spoil(text, sparesPixels: file?.isAnimated == false)
        break
      }
      guard try take(chunk, window) else { break }
      chunks += 1
      try limits.check(blockCount: chunks, claimedBy: "WebP: the file")
    }
    if needsSizeOnly && hasSize { return }
    if isWhole && !isFinished {
      // Only the end of the file tells the number of frames. Only reading a still picture tells if it is whole.
      let isSound = file?.isAnimated == false || open == nil && end - bytes.count <= 1
      try spoil("the file ends after \(bytes.count) bytes, before byte \(end)", sparesPixels: isSound)
    }
  }

  private var hasSize: Bool { file != nil }

  private var isFinished: Bool { file.map { $0.hasEnd || $0.wound != nil } ?? false }

  private mutating func takeSignature(_ bytes: ImageBytes, isWhole: Bool) throws(ImageError) -> Int? {
    if let end { return end }
    let prefix = try bytes.prefix(12)
    guard Self.isSignature(prefix) else {
      guard !isWhole, prefix.count < 12 else { throw .bad("WebP", "the signature is missing") }
      return nil
    }
    let count = prefix.littleEndian(at: 4, bytes: 4)
    guard count >= 4 + WebPChunk.headBytes else {
      throw .bad("WebP", "RIFF claims \(count) bytes, too few for a picture")
    }
    end = 8 + count
    return end
  }

  /// Notes damage; throws if there is no picture to show yet.
  private mutating func spoil(_ damage: String, sparesPixels: Bool = false) throws(ImageError) {
    guard file?.first != nil else { throw .bad("WebP", damage) }
    file?.wound = Wound(damage, sparesPixels: sparesPixels)
  }

  /// Leaves a frame or the file; returns true if there is more to do.
  private mutating func leave(_ bytes: ImageBytes, _ end: Int) throws(ImageError) -> Bool {
    if let open {
      self.open = nil
      position = min(end, open.end + open.end % 2)
      if image == nil { try spoil("frame \(file?.frames.count ?? 0) has no pixels") }
      image = nil
      return true
    }
    guard bytes.count >= end else { return false }
    guard file?.first != nil else { throw .bad("WebP", "there are no pixels in the file") }
    file?.hasEnd = true
    return true
  }

  /// Reads a chunk; returns false if it needs more bytes.
  private mutating func take(_ chunk: WebPChunk, _ window: WebPWindow) throws(ImageError) -> Bool {
    if file == nil {
      guard try begin(with: chunk, window) else { return false }
    } else if chunk.kind == .frame, file?.isAnimated == true, open == nil {
      return try enter(chunk, window)
    } else if chunk.kind.isImage {
      guard try begin(image: chunk, window) else { return false }
    }
    guard chunk.end <= window.bytes.count else { return false }
    switch chunk.kind {
    case .lossy, .lossless: finish(image: chunk)
    case .alpha: if alpha == nil && image == nil { alpha = chunk }
    case .animation: try takeAnimation(chunk, window)
    case .profile, .exif, .xmp: if open == nil { try takeMetadata(chunk, window) }
    default: break
    }
    position = min(chunk.paddedEnd, open?.end ?? chunk.paddedEnd)
    return true
  }

  // MARK: First chunk

  private mutating func begin(with chunk: WebPChunk, _ window: WebPWindow) throws(ImageError) -> Bool {
    if chunk.kind.isImage {
      guard let features = try features(of: chunk, window) else { return false }
      let size = PixelSize(width: Int(features.width), height: Int(features.height))
      try limits.check(frame: size, claimedBy: "WebP: \(chunk.kind)")
      file = WebPFile(canvas: size, features: features.has_alpha ? .alpha : [])
      return try begin(image: chunk, window)
    }
    guard chunk.kind == .extended, chunk.count == 10 else {
      throw .bad("WebP", "the file begins with \(chunk.kind) of \(chunk.count) bytes instead of a picture")
    }
    guard chunk.end <= window.bytes.count else { return false }
    let content = try window.bytes.part(at: chunk.content, count: 10)
    let canvas = PixelSize(
      width: content.littleEndian(at: 4, bytes: 3) + 1, height: content.littleEndian(at: 7, bytes: 3) + 1)
    try limits.check(frame: canvas, claimedBy: "WebP: VP8X")
    file = WebPFile(canvas: canvas, features: WebPFile.Features(rawValue: content[0]))
    return true
  }

  private mutating func takeAnimation(_ chunk: WebPChunk, _ window: WebPWindow) throws(ImageError) {
    guard file?.isAnimated == true, file?.plays == nil, chunk.count >= 6 else { return }
    // The background colour comes first; players ignore it.
    file?.plays = try window.bytes.part(at: chunk.content + 4, count: 2).littleEndian(at: 0, bytes: 2)
  }

  // MARK: Pixels

  private mutating func enter(_ chunk: WebPChunk, _ window: WebPWindow) throws(ImageError) -> Bool {
    guard let file, file.plays != nil else { throw .bad("WebP", "the first frame comes before ANIM") }
    guard chunk.count >= WebPFrame.Head.byteCount else {
      try spoil("frame \(file.frames.count) claims \(chunk.count) bytes, too few for a frame")
      return true
    }
    let head = try window.bytes.part(at: chunk.content, count: WebPFrame.Head.byteCount)
    guard head.count == WebPFrame.Head.byteCount else { return false }
    try limits.check(frameCount: file.frames.count + 1, claimedBy: "WebP: the file")
    open = (WebPFrame.Head(head), chunk.end)
    position = chunk.content + WebPFrame.Head.byteCount
    (alpha, image) = (nil, nil)
    return true
  }

  private func features(of chunk: WebPChunk, _ window: WebPWindow) throws(ImageError) -> easel_webp_features? {
    let wanted = min(Int(EASEL_WEBP_HEAD_BYTES), WebPChunk.headBytes + chunk.count)
    let head = try window.bytes.part(at: chunk.start, count: wanted)
    guard head.count == wanted else { return nil }
    var features = easel_webp_features()
    guard easel_webp_read_features(head, head.count, &features) == EASEL_WEBP_OK else {
      throw .bad("WebP", "\(chunk.kind) at byte \(chunk.start) does not begin like a picture")
    }
    return features
  }

  private mutating func begin(image chunk: WebPChunk, _ window: WebPWindow) throws(ImageError) -> Bool {
    guard let file, image == nil else { return true }
    guard file.isAnimated == (open != nil) else {
      try spoil("there are pixels outside the frames")
      return true
    }
    let features: easel_webp_features
    do throws(ImageError) {
      guard let found = try self.features(of: chunk, window) else { return false }
      features = found
    } catch {
      guard error.code == .badImageData else { throw error }
      try spoil("frame \(file.frames.count) does not begin like a picture")
      return true
    }
    // Lossless pictures contain their own alpha.
    let plane = features.is_lossless ? nil : alpha
    let head = open?.head ?? .still
    let placing = StoredFrame(
      rect: PixelRect(x: head.x, y: head.y, width: Int(features.width), height: Int(features.height)),
      delay: head.delay, disposal: head.disposal, isBlended: head.isBlended,
      hasAlpha: features.has_alpha || plane != nil)
    let isFitting = placing.rect.intersection(PixelRect(covering: file.canvas)) == placing.rect
    guard isFitting && (file.isAnimated || placing.rect.size == file.canvas) else {
      try spoil("pixels of \(placing.rect.size) do not fit on the canvas of \(file.canvas)")
      return true
    }
    image = chunk
    self.file?.begin(
      WebPFrame(
        placing: placing, start: plane?.start ?? chunk.start, end: chunk.end, isLossless: features.is_lossless))
    return true
  }

  private mutating func finish(image chunk: WebPChunk) {
    if image == chunk { file?.endFrame() }
  }

  // MARK: Metadata

  /// Reads metadata only if VP8X announces it, as players do.
  private mutating func takeMetadata(_ chunk: WebPChunk, _ window: WebPWindow) throws(ImageError) {
    let isWanted =
      switch chunk.kind {
      case .profile: file?.features.contains(.profile) == true && file?.metadata.profile == nil
      case .exif: file?.features.contains(.exif) == true && file?.metadata.exif == nil
      default: file?.features.contains(.xmp) == true && file?.metadata.xmp == nil
      }
    guard isWanted else { return }
    metadataBytes += chunk.count
    try limits.check(metadataBytes: metadataBytes, claimedBy: "WebP: \(chunk.kind)")
    let content = Data(try window.bytes.part(at: chunk.content, count: chunk.count))
    switch chunk.kind {
    case .profile: file?.metadata.profile = content
    case .exif: file?.metadata.exif = EXIF(content)
    default: file?.metadata.xmp = XMP(content)
    }
  }
}
