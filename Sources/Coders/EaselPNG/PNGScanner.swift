import EaselCoding
import EaselCore
import FoundationEssentials

/// Collects the content of the chunks received so far, and skips pixels.
struct PNGScanner: FileScanner {
  /// The file as known so far, nil before IHDR.
  private(set) var file: PNGFile?
  private let limits: Limits
  private var position = 8
  private var isInFirstData = false
  private var hasLeftFirstData = false
  private var nextSequence = 0
  private var metadataBytes = 0
  private var hasText = false
  private var chunks = 0
  /// The number of steps so far.
  ///
  /// Tests check how this number grows with the file.
  private(set) var steps = 0

  static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  init(limits: Limits) { self.limits = limits }

  mutating func advance(
    over bytes: ImageBytes, isWhole: Bool, needsSizeOnly: Bool = false, work: WorkContext
  ) throws(ImageError) {
    if file == nil { try checkSignature(bytes, isWhole: isWhole) }
    var window = PNGWindow(bytes)
    try work.checkCancellation()
    while !isFinished && !(needsSizeOnly && hasSize) {
      steps += 1
      if steps % 256 == 0 { try work.checkCancellation() }
      guard let chunk = try window.chunk(at: position) else { break }
      guard chunk.count <= Int32.max, chunk.kind.hasLettersOnly else {
        try end(with: "there is no valid chunk at byte \(position)", in: nil)
        break
      }
      // Pixels can be read before their chunk is complete.
      if chunk.kind == .data { try begin(data: chunk) }
      if chunk.kind == .frameData { try begin(frameData: chunk, window) }
      guard chunk.end <= bytes.count else { break }
      try take(chunk, window)
      position = chunk.end
      chunks += 1
      try limits.check(blockCount: chunks, claimedBy: "PNG: the file")
    }
    if needsSizeOnly && hasSize { return }
    if isWhole && !isFinished {
      let open = try window.chunk(at: position)?.kind
      try end(with: "the file ends after \(bytes.count) bytes, before its last chunk", in: open)
    }
  }

  private var hasSize: Bool { file != nil }

  private var isFinished: Bool { file.map { $0.hasEnd || $0.wound != nil } ?? false }

  private func checkSignature(_ bytes: ImageBytes, isWhole: Bool) throws(ImageError) {
    let prefix = try bytes.prefix(8)
    guard prefix.count == 8 || !isWhole, Self.signature.starts(with: prefix) else {
      throw .bad("PNG", "the signature is missing")
    }
  }

  /// Notes damage; throws if there is no picture to show yet.
  private mutating func spoil(_ damage: String) throws(ImageError) {
    guard file?.data != nil else { throw .bad("PNG", damage) }
    file?.wound = Wound(damage)
  }

  /// Notes that the chunks end without the last one, inside a chunk of the kind `open`.
  ///
  /// Only reading the pixels tells if all of them are present.
  private mutating func end(with damage: String, in open: PNGChunk.Kind?) throws(ImageError) {
    try spoil(damage)
    if open != .frame, open != .frameData, file?.current?.data != nil { file?.endFrame() }
    guard let file else { return }
    let hasAllFrames = file.hasBrokenFrames || file.animation.map { file.frames.count == $0.frames } ?? true
    if hasAllFrames { self.file?.wound = Wound(damage, sparesPixels: true) }
  }

  private mutating func take(_ chunk: PNGChunk, _ window: PNGWindow) throws(ImageError) {
    guard file != nil else { return try takeHeader(chunk, window) }
    if chunk.kind != .data && isInFirstData {
      isInFirstData = false
      hasLeftFirstData = true
    }
    switch chunk.kind {
    case .data, .frameData: break
    case .header: try spoil("there is a second IHDR")
    case .palette: try takePalette(chunk, window)
    case .end: try takeEnd()
    case .transparency: try takeTransparency(chunk, window)
    case .animation: try takeAnimation(chunk, window)
    case .frame: try takeFrame(chunk, window)
    case .profile: takeProfile(chunk)
    case .coding, .display, .light: try takeColor(chunk, window)
    case .exif: try takeEXIF(chunk, window)
    case .text: try takeText(chunk, window)
    case .density: try takeDensity(chunk, window)
    default:
      if chunk.kind.isCritical { try spoil("the critical chunk \(chunk.kind) is unknown") }
    }
  }

  // MARK: Required chunks

  private mutating func takeHeader(_ chunk: PNGChunk, _ window: PNGWindow) throws(ImageError) {
    guard chunk.kind != .apple else {
      throw ImageError(.unsupportedFormat, "PNG: the file is of the variant CgBI, which only Apple's own tools read.")
    }
    guard chunk.kind == .header, chunk.count == PNGHeader.byteCount else {
      throw .bad("PNG", "the file begins with \(chunk.kind) of \(chunk.count) bytes instead of IHDR")
    }
    guard let content = try window.content(of: chunk) else { throw .bad("PNG", "the check sum of IHDR is wrong") }
    let header = try PNGHeader(content)
    try limits.check(frame: header.size, claimedBy: "PNG: IHDR")
    file = PNGFile(header: header)
  }

  private mutating func takePalette(_ chunk: PNGChunk, _ window: PNGWindow) throws(ImageError) {
    guard let header = file?.header, file?.data == nil else { return }
    guard file?.palette.isEmpty == true else { throw .bad("PNG", "there are two palettes") }
    // Grey pictures use no palette, and in colour pictures the palette is only a suggestion for poor screens.
    guard header.colorType == .palette else { return }
    guard chunk.count > 0, chunk.count <= 768, chunk.count % 3 == 0 else {
      throw .bad("PNG", "PLTE has \(chunk.count) bytes, which are not 1 to 256 colours")
    }
    guard let content = try window.content(of: chunk) else { throw .bad("PNG", "the check sum of PLTE is wrong") }
    file?.palette = Array(content.prefix(3 << header.bitDepth))
  }

  private mutating func takeTransparency(_ chunk: PNGChunk, _ window: PNGWindow) throws(ImageError) {
    guard let header = file?.header, file?.data == nil, file?.transparency.isEmpty == true else { return }
    let isFitting: Bool
    switch header.colorType {
    case .gray: isFitting = chunk.count == 2
    case .rgb: isFitting = chunk.count == 6
    case .palette: isFitting = chunk.count > 0 && chunk.count * 3 <= file?.palette.count ?? 0
    case .grayAlpha, .rgba: isFitting = false
    }
    if isFitting, let content = try window.content(of: chunk) { file?.transparency = content }
  }

  private mutating func begin(data chunk: PNGChunk) throws(ImageError) {
    guard let file, !hasLeftFirstData else { return }
    guard file.data != nil else {
      if file.header.colorType == .palette && file.palette.isEmpty {
        throw .bad("PNG", "the palette is missing")
      }
      self.file?.data = chunk
      self.file?.current?.data = chunk
      isInFirstData = true
      self.file?.dataBytes = chunk.count
      lastData = chunk.start
      return
    }
    // The next call sees an incomplete chunk again.
    if chunk.start != lastData { self.file?.dataBytes += chunk.count }
    lastData = chunk.start
  }

  private var lastData = 0

  private mutating func takeEnd() throws(ImageError) {
    guard file?.data != nil else { throw .bad("PNG", "there are no pixels in the file") }
    if file?.current?.data == nil && file?.current != nil { file?.hasBrokenFrames = true } else { file?.endFrame() }
    file?.hasEnd = true
  }

  // MARK: Frames

  private mutating func takeAnimation(_ chunk: PNGChunk, _ window: PNGWindow) throws(ImageError) {
    guard file?.header != nil, file?.animation == nil, file?.data == nil, chunk.count == 8,
      let content = try window.content(of: chunk)
    else { return }
    let frames = Int(content.bigEndian32(at: 0))
    guard frames > 0 else { return }
    try limits.check(frameCount: frames, claimedBy: "PNG: acTL")
    file?.animation = (frames, Int(content.bigEndian32(at: 4)))
  }

  private mutating func takeFrame(_ chunk: PNGChunk, _ window: PNGWindow) throws(ImageError) {
    guard let file, !file.hasBrokenFrames else { return }
    let number = file.frames.count + (file.current == nil ? 0 : 1)
    guard chunk.count == PNGFrame.byteCount, let content = try window.content(of: chunk),
      takeSequence(content.bigEndian32(at: 0)), let frame = PNGFrame(content, canvas: file.header.size),
      // Only the claimed number of frames was checked against the limits.
      number < file.animation?.frames ?? limits.frames, file.current.map({ $0.data != nil }) ?? true,
      // A frame before the pixels must be exactly the still picture.
      file.data != nil || frame.stored.rect.size == file.header.size
    else {
      self.file?.hasBrokenFrames = true
      return
    }
    self.file?.endFrame()
    self.file?.current = frame
  }

  private mutating func begin(frameData chunk: PNGChunk, _ window: PNGWindow) throws(ImageError) {
    guard let file, !file.hasBrokenFrames, chunk.start != lastFrameData else { return }
    let head = try window.bytes.part(at: chunk.content, count: 4)
    guard head.count == 4 else { return }
    lastFrameData = chunk.start
    guard chunk.count >= 4, takeSequence(head.bigEndian32(at: 0)), let current = file.current,
      file.data != nil, current.data?.kind != .data
    else {
      self.file?.hasBrokenFrames = true
      return
    }
    if current.data == nil { self.file?.current?.data = chunk }
  }

  private var lastFrameData = 0

  private mutating func takeSequence(_ number: UInt32) -> Bool {
    defer { nextSequence += 1 }
    return Int(number) == nextSequence
  }

  // MARK: Metadata

  private mutating func takeProfile(_ chunk: PNGChunk) {
    guard file?.data == nil, file?.profile == nil else { return }
    file?.profile = chunk
  }

  /// Reads the first chunk of each kind before the pixels.
  private mutating func takeColor(_ chunk: PNGChunk, _ window: PNGWindow) throws(ImageError) {
    guard var file, file.data == nil, chunk.count <= PNGColorChunks.mostBytes,
      let content = try window.content(of: chunk)
    else { return }
    switch chunk.kind {
    case .coding: file.coding = file.coding ?? PNGColorChunks.coding(content)
    case .display: file.masteringDisplay = file.masteringDisplay ?? PNGColorChunks.display(content)
    default: file.contentLight = file.contentLight ?? PNGColorChunks.light(content)
    }
    self.file = file
  }

  private mutating func takeEXIF(_ chunk: PNGChunk, _ window: PNGWindow) throws(ImageError) {
    guard file?.metadata.exif == nil else { return }
    try count(metadata: chunk)
    if let content = try window.content(of: chunk) { file?.metadata.exif = EXIF(Data(content)) }
  }

  private mutating func takeText(_ chunk: PNGChunk, _ window: PNGWindow) throws(ImageError) {
    guard !hasText, chunk.count > PNGText.xmpKeyword.count,
      try window.bytes.part(at: chunk.content, count: PNGText.xmpKeyword.count) == PNGText.xmpKeyword
    else { return }
    try count(metadata: chunk)
    guard let content = try window.content(of: chunk) else { return }
    // Even unreadable text takes long to inflate, and a file may have thousands of text chunks.
    hasText = true
    file?.metadata.xmp = try PNGText.text(of: content, atMost: limits.metadataBytes - metadataBytes).map { XMP($0) }
  }

  private mutating func takeDensity(_ chunk: PNGChunk, _ window: PNGWindow) throws(ImageError) {
    guard file?.metadata.density == nil, chunk.count == 9, let content = try window.content(of: chunk), content[8] == 1
    else { return }
    let perInch = [0, 4].map { Double(content.bigEndian32(at: $0)) * 0.0254 }
    file?.metadata.density = ImageMetadata.Density(horizontal: perInch[0], vertical: perInch[1])
  }

  private mutating func count(metadata chunk: PNGChunk) throws(ImageError) {
    metadataBytes += chunk.count
    try limits.check(metadataBytes: metadataBytes, claimedBy: "PNG: \(chunk.kind)")
  }
}
