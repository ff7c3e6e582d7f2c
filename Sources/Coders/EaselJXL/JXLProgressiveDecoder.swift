import EaselCoding
import EaselCore
import EaselPixels
import EaselSupport

/// Decodes a JPEG XL while it arrives, and reads each byte once.
///
/// Previews show the still picture or the first frame, at first with an eighth of the resolution. An animation plays
/// once all of its frames have arrived.
final class JXLProgressiveDecoder: ProgressiveDecoder {
  /// The memory into which libjxl writes.
  ///
  /// The class is unchecked because it is used only under the lock of its decoder.
  private final class Target: @unchecked Sendable {
    let pixels: UnsafeMutableRawBufferPointer
    let format: PixelFormat

    init(_ size: PixelSize, _ format: PixelFormat) throws(ImageError) {
      let count = size.area * format.bytesPerPixel
      guard let buffer = BufferPool.shared.buffer(ofAtLeast: count) else {
        throw .exhausted("JXL: there is no memory for a picture of \(size).")
      }
      self.buffer = buffer
      self.format = format
      pixels = UnsafeMutableRawBufferPointer(rebasing: buffer.bytes[..<count])
    }

    private let buffer: PooledBuffer

    func bitmap(_ size: PixelSize) throws(ImageError) -> Bitmap {
      var bitmap = try Bitmap(unfilled: size, format: format)
      bitmap.withUnsafeMutableBytes { $0.copyMemory(from: UnsafeRawBufferPointer(pixels)) }
      return bitmap
    }
  }

  private struct State {
    var reader: JXLReader
    var header: JXLHeader?
    var target: Target?
    var hasColors = false
    /// True if the pixels of the picture or the first frame are complete, or will never be complete.
    var isOver = false
    var isComplete = false
    var shownBytes = 0
  }

  private let options: DecodeOptions
  private let work: WorkContext
  private let state: Locked<State>

  init(options: DecodeOptions, work: WorkContext) throws(ImageError) {
    self.options = options
    self.work = work
    state = Locked(State(reader: try JXLReader(.pixels, limits: work.limits)))
  }

  func update(_ bytes: ImageBytes) throws {
    let bytes = try bytes.loaded()
    try state.withLock { try advance(&$0, over: bytes) }
  }

  private func advance(_ state: inout State, over bytes: ImageBytes) throws {
    while !state.isOver {
      switch try state.reader.next(over: bytes, work: work) {
      case .header: state.header = try JXLHeader(state.reader.header, limits: work.limits)
      case .colors:
        try state.header?.takeColors(of: state.reader, limits: work.limits)
        state.hasColors = true
      case .frame: break
      case .needsTarget:
        guard let header = state.header, state.hasColors else { return state.isOver = true }
        let picture = try JXLImage(header, options: options, work: work)
        let target = try Target(header.size, picture.format)
        state.target = target
        let isWide = target.format.layout == .rgba16
        if !state.reader.setTarget(target.pixels, isWide: isWide, keepsBlack: picture.cmyk != nil) {
          state.isOver = true
        }
      case .pixels: (state.isOver, state.isComplete) = (true, true)
      case .cutOff: return
      case .end, .damaged: state.isOver = true
      }
    }
  }

  func preview() throws -> Image? {
    try state.withLock { state in
      guard let header = state.header, let target = state.target, state.reader.consumed > state.shownBytes,
        state.isComplete || !state.isOver
      else { return nil }
      state.shownBytes = state.reader.consumed
      guard try state.isComplete || state.reader.flush(work: work) else { return nil }
      let picture = try JXLImage(header, options: options, work: work)
      return try picture.image(bitmap(of: target, header.size, picture.cmyk, state.reader), isPartial: true)
    }
  }

  func finish(_ bytes: ImageBytes) throws -> Image {
    let scan = try JXLScan(bytes, work: work)
    let picture = try JXLImage(scan.header, options: options, work: work)
    return try state.withLock { state in
      try advance(&state, over: scan.bytes)
      // A picture that is reduced row by row must be decoded anew, or its pixels would differ from a picture read at
      // once.
      guard state.isComplete, scan.damage == nil, let target = state.target, picture.isFullSize else {
        return try picture.image(of: scan)
      }
      let bitmap = try bitmap(of: target, scan.header.size, picture.cmyk, state.reader)
      return try picture.image(bitmap, isPartial: false, playing: scan.bytes)
    }
  }

  /// A copy of the pixels so far; pixels of print colours must be complete, and are converted.
  private func bitmap(
    of target: Target, _ size: PixelSize, _ cmyk: CMYKConversion?, _ reader: JXLReader
  ) throws(ImageError) -> Bitmap {
    var bitmap = try target.bitmap(size)
    guard let cmyk else { return bitmap }
    try bitmap.withUnsafeMutableBytes { (pixels: UnsafeMutableRawBufferPointer) throws(ImageError) in
      try reader.convert(pixels, through: cmyk, work: work)
    }
    return bitmap
  }
}
