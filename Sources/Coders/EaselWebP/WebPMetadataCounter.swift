import EaselCore

/// Counts the bytes of a file that belong neither to its picture nor to its colour profile.
///
/// A chunk belongs to the picture only if readers use it: of two chunks of a kind, the second may contain anything.
struct WebPMetadataCounter {
  private let work: WorkContext
  private var window: WebPWindow
  private var metadata = 0
  private var chunks = 0
  private var features: WebPFile.Features = []
  private var hasProfile = false
  private var hasLoops = false
  /// The pixels of the still picture, or of the frame that is being read.
  private var pixels = Pixels()
  private var hasPicture = false

  private struct Pixels {
    var alphaBytes = 0
    var hasImage = false
  }

  private static let animationBytes = 6

  init(_ bytes: ImageBytes, work: WorkContext) {
    self.work = work
    window = WebPWindow(bytes)
  }

  /// The number of bytes; nil if the file is not understood to its end.
  mutating func count() throws(ImageError) -> Int? {
    let prefix = try window.bytes.prefix(12)
    guard WebPScanner.isSignature(prefix) else { return nil }
    let end = 8 + prefix.littleEndian(at: 4, bytes: 4)
    guard end >= 12, end <= window.bytes.count, try takeFile(to: end), hasPicture else { return nil }
    return metadata + window.bytes.count - end
  }

  private mutating func takeFile(to end: Int) throws(ImageError) -> Bool {
    let start = 12
    var position = start
    while let chunk = try next(at: position, before: end) {
      guard position == start ? try takeFirst(chunk) : try take(chunk, within: end) else { return false }
      position = min(chunk.paddedEnd, end)
    }
    return leave(position, end)
  }

  /// The chunk at a position; nil if there is no room for a chunk, or if there are too many chunks.
  private mutating func next(at position: Int, before end: Int) throws(ImageError) -> WebPChunk? {
    guard position + WebPChunk.headBytes <= end, chunks < work.limits.blocks else { return nil }
    if chunks % 256 == 0 { try work.checkCancellation() }
    chunks += 1
    guard let chunk = try window.chunk(at: position), chunk.end <= end else { return nil }
    return chunk
  }

  /// Counts the last bytes of a container, too few for a chunk; returns false if there is room for another chunk.
  private mutating func leave(_ position: Int, _ end: Int) -> Bool {
    metadata += end - position
    return end - position < WebPChunk.headBytes
  }

  private mutating func takeFirst(_ chunk: WebPChunk) throws(ImageError) -> Bool {
    if chunk.kind.isImage { return takePixels(chunk, within: chunk.paddedEnd) }
    guard chunk.kind == .extended, chunk.count == 10 else { return false }
    features = WebPFile.Features(rawValue: try window.bytes.part(at: chunk.content, count: 1)[0])
    return true
  }

  private mutating func take(_ chunk: WebPChunk, within end: Int) throws(ImageError) -> Bool {
    let isAnimated = features.contains(.animation)
    switch chunk.kind {
    case .profile where features.contains(.profile) && !hasProfile: hasProfile = true
    case .animation where isAnimated && !hasLoops:
      guard chunk.count >= Self.animationBytes else { return false }
      hasLoops = true
      metadata += chunk.count - Self.animationBytes
    case .frame where isAnimated: return try takeFrame(chunk)
    case .lossy, .lossless, .alpha:
      // Readers show no pixels outside the frames.
      return !isAnimated && takePixels(chunk, within: end)
    default: add(chunk, within: end)
    }
    return true
  }

  private mutating func takeFrame(_ frame: WebPChunk) throws(ImageError) -> Bool {
    guard hasLoops, frame.count >= WebPFrame.Head.byteCount else { return false }
    pixels = Pixels()
    var position = frame.content + WebPFrame.Head.byteCount
    while let chunk = try next(at: position, before: frame.end) {
      guard takePixels(chunk, within: frame.end) else { return false }
      position = min(chunk.paddedEnd, frame.end)
    }
    return leave(position, frame.end) && pixels.hasImage
  }

  /// Takes a chunk of the pixels of one picture: only the first image and the alpha before it count as pixels.
  private mutating func takePixels(_ chunk: WebPChunk, within end: Int) -> Bool {
    switch chunk.kind {
    case .alpha where !pixels.hasImage && pixels.alphaBytes == 0:
      pixels.alphaBytes = min(chunk.paddedEnd, end) - chunk.start
    case .lossy where !pixels.hasImage: pixels.hasImage = true
    case .lossless where !pixels.hasImage:
      // Lossless pixels contain their own alpha.
      metadata += pixels.alphaBytes
      pixels.hasImage = true
    default: add(chunk, within: end)
    }
    if pixels.hasImage { hasPicture = true }
    return true
  }

  private mutating func add(_ chunk: WebPChunk, within end: Int) { metadata += min(chunk.paddedEnd, end) - chunk.start }
}
