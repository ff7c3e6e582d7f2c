import CEaselJPEG
import EaselCoding
import EaselCore
import EaselSupport
import Glibc

/// Hands the bytes of a file to the library in steps of fixed size, however the bytes arrive.
///
/// The library decodes faster, and overlooks some damage, when it sees many bytes at once. Fixed steps make it give the
/// same result for a file as for memory.
struct JPEGFeeder {
  private static let stepBytes = 256 << 10

  /// The number of bytes used.
  private(set) var position = 0
  private var stepEnd: Int
  /// The number of bytes after which the file is taken to end.
  let limit: Int
  // Part of a file. The library keeps no pointer to it between two calls.
  private var buffer: PooledBuffer?
  private var buffered = 0..<0

  /// Creates a feed that passes the bytes in steps, or all at once.
  init(isStepwise: Bool, limit: Int) {
    stepEnd = isStepwise ? Self.stepBytes : .max
    self.limit = limit
  }

  /// Goes back to a place, from which on the bytes are fed in the same steps as if they came for the first time.
  mutating func rewind(to place: Int) {
    position = place
    if stepEnd != .max { stepEnd = (place / Self.stepBytes + 1) * Self.stepBytes }
  }

  /// Calls the library until it has seen all bytes or returns anything other than "needs bytes".
  mutating func run(
    over bytes: ImageBytes, isWhole: Bool, work: WorkContext,
    _ body: (UnsafeMutablePointer<easel_jpeg_input>) -> easel_jpeg_status
  ) throws(ImageError) -> easel_jpeg_status {
    let count = min(limit, bytes.count)
    while true {
      try work.checkCancellation()
      let end = min(stepEnd, count)
      let isEnd = isWhole && end == count
      var input = easel_jpeg_input(bytes: nil, count: 0, is_end: isEnd, consumed: 0)
      let status = try call(min(position, end)..<end, of: bytes, &input, body)
      if input.consumed < 0 { rewind(to: position + input.consumed) } else { position += input.consumed }
      guard status == EASEL_JPEG_NEEDS_BYTES, end < count else { return status }
      stepEnd = max(stepEnd, position / Self.stepBytes * Self.stepBytes) + Self.stepBytes
    }
  }

  private mutating func call(
    _ range: Range<Int>, of bytes: ImageBytes, _ input: inout easel_jpeg_input,
    _ body: (UnsafeMutablePointer<easel_jpeg_input>) -> easel_jpeg_status
  ) throws(ImageError) -> easel_jpeg_status {
    input.count = range.count
    let status = bytes.withBytesInMemory { all in
      input.bytes = all.baseAddress?.assumingMemoryBound(to: UInt8.self).advanced(by: range.lowerBound)
      return body(&input)
    }
    if let status { return status }
    let part = try load(range, of: bytes)
    input.bytes = part.assumingMemoryBound(to: UInt8.self)
    defer { withExtendedLifetime(buffer) {} }
    return body(&input)
  }

  /// Reads a range of a file into the buffer, reusing bytes already there.
  private mutating func load(_ range: Range<Int>, of bytes: ImageBytes) throws(ImageError) -> UnsafeRawPointer {
    if let buffer, buffered.lowerBound <= range.lowerBound, buffered.upperBound >= range.upperBound {
      return UnsafeRawPointer(buffer.bytes.baseAddress! + range.lowerBound - buffered.lowerBound)
    }
    let old = buffer
    // When bytes are needed again, those in the buffer are no beginning.
    let kept = buffered.lowerBound <= range.lowerBound ? range.clamped(to: buffered) : 0..<0
    if range.count > buffer?.bytes.count ?? 0 {
      buffer = BufferPool.shared.buffer(ofAtLeast: max(range.count, Self.stepBytes + Self.stepBytes / 8))
    }
    guard let target = buffer?.bytes else {
      throw ImageError.exhausted("JPEG: there is no memory to read \(range.count) bytes of the file.")
    }
    if let old, !kept.isEmpty {
      memmove(target.baseAddress!, old.bytes.baseAddress! + kept.lowerBound - buffered.lowerBound, kept.count)
    }
    let rest = UnsafeMutableRawBufferPointer(rebasing: target[kept.count..<range.count])
    // If the read fails, the buffer's content is undefined.
    buffered = 0..<0
    let count = try bytes.read(at: range.lowerBound + kept.count, into: rest)
    guard count == rest.count else { throw .bad("JPEG", "the file became shorter while it was read") }
    buffered = range
    return UnsafeRawPointer(target.baseAddress!)
  }
}
