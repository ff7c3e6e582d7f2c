import EaselCore

/// Reads bytes in order through a small buffer, so that a file is read in windows.
struct ByteReader {
  private let bytes: ImageBytes
  private var buffer: [UInt8] = []
  private var place = 0
  private var start: Int

  private static let windowBytes = 32_768

  init(_ bytes: ImageBytes, at offset: Int = 0) {
    self.bytes = bytes
    start = offset
  }

  /// The offset of the next byte.
  var position: Int { start + place }

  /// The next byte; nil at the end.
  mutating func next() throws(ImageError) -> UInt8? {
    if place == buffer.count { guard try fill() else { return nil } }
    let byte = buffer[place]
    place += 1
    return byte
  }

  /// The next byte, without reading past it; nil at the end.
  mutating func peek() throws(ImageError) -> UInt8? {
    if place == buffer.count { guard try fill() else { return nil } }
    return buffer[place]
  }

  /// Copies the next bytes into `target`; returns how many there were.
  mutating func read(into target: UnsafeMutableRawBufferPointer) throws(ImageError) -> Int {
    var done = 0
    while done < target.count {
      if place == buffer.count {
        // Long rows are read without the buffer.
        guard target.count - done < Self.windowBytes / 16 else { return try done + readPast(target, done) }
        guard try fill() else { break }
      }
      let count = min(target.count - done, buffer.count - place)
      buffer.withUnsafeBytes { source in
        UnsafeMutableRawBufferPointer(rebasing: target[done..<done + count])
          .copyMemory(from: UnsafeRawBufferPointer(rebasing: source[place..<place + count]))
      }
      place += count
      done += count
    }
    return done
  }

  /// Reads the next bytes directly into `target`, because the buffer is used up; returns how many there were.
  private mutating func readPast(_ target: UnsafeMutableRawBufferPointer, _ done: Int) throws(ImageError) -> Int {
    let offset = position
    let count = try bytes.read(at: offset, into: UnsafeMutableRawBufferPointer(rebasing: target[done...]))
    (start, place, buffer) = (offset + count, 0, [])
    return count
  }

  private mutating func fill() throws(ImageError) -> Bool {
    start += buffer.count
    place = 0
    buffer = try bytes.part(at: start, count: Self.windowBytes)
    return !buffer.isEmpty
  }
}
