import EaselCore

/// Counts the bytes of a file that belong neither to its picture nor to its colour profile.
///
/// A chunk belongs to the picture only if readers use it: of two chunks of a kind, the second may contain anything.
struct PNGMetadataCounter {
  private let bytes: ImageBytes
  private let work: WorkContext
  private var metadata = 0
  private var seen: Set<PNGChunk.Kind> = []
  private var before: PNGChunk.Kind?

  /// The chunks that belong to the picture itself, each with its largest size.
  private static let picture: [PNGChunk.Kind: Int] = [
    .header: PNGHeader.byteCount, .palette: 768, .data: .max, .end: 0, .transparency: 256, .animation: 8,
    .frame: PNGFrame.byteCount, .frameData: .max, .profile: .max, .density: 9, PNGChunk.Kind("gAMA"): 4,
    PNGChunk.Kind("cHRM"): 32, PNGChunk.Kind("sRGB"): 1, PNGChunk.Kind("sBIT"): 4, PNGChunk.Kind("bKGD"): 6,
    PNGChunk.Kind("hIST"): 512, PNGChunk.Kind("cICP"): 4, PNGChunk.Kind("mDCV"): 24, PNGChunk.Kind("cLLI"): 8,
  ]

  init(_ bytes: ImageBytes, work: WorkContext) {
    self.bytes = bytes
    self.work = work
  }

  /// The number of bytes; nil if the file is not understood to its end.
  mutating func count() throws(ImageError) -> Int? {
    guard try bytes.prefix(PNGScanner.signature.count) == PNGScanner.signature else { return nil }
    var window = PNGWindow(bytes)
    var position = PNGScanner.signature.count
    var chunks = 0
    while let chunk = try window.chunk(at: position) {
      if chunks % 256 == 0 { try work.checkCancellation() }
      chunks += 1
      guard chunk.count <= Int32.max, chunk.kind.hasLettersOnly, chunk.end <= bytes.count,
        chunks <= work.limits.blocks, (chunk.kind == .header) == (chunks == 1), take(chunk)
      else { return nil }
      position = chunk.end
      if chunk.kind == .end { return seen.contains(.data) ? metadata + bytes.count - position : nil }
    }
    return nil
  }

  /// Counts a chunk; returns false for an unknown chunk that the picture needs.
  private mutating func take(_ chunk: PNGChunk) -> Bool {
    defer { before = chunk.kind }
    guard let most = Self.picture[chunk.kind] else {
      metadata += chunk.end - chunk.start
      return !chunk.kind.isCritical
    }
    guard isUsed(chunk) else {
      metadata += chunk.end - chunk.start
      return true
    }
    metadata += max(0, chunk.count - most)
    seen.insert(chunk.kind)
    return true
  }

  private func isUsed(_ chunk: PNGChunk) -> Bool {
    switch chunk.kind {
    case .data: !seen.contains(.data) || before == .data
    case .frame, .frameData: seen.contains(.animation)
    // Readers look for these chunks only before the pixels.
    case .animation, .profile: !seen.contains(chunk.kind) && !seen.contains(.data)
    default: !seen.contains(chunk.kind)
    }
  }
}
