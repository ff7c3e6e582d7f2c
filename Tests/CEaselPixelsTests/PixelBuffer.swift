import CEaselPixels
import Glibc

/// Pixels at the very end of their allocation, so that a sanitizer catches a kernel that reads beyond them.
final class PixelBuffer {
  let width: Int
  let height: Int
  let format: easel_format
  let bytes: UnsafeMutableRawPointer
  let stride: Int

  var count: Int { stride * height }
  var pixelBytes: Int { format == EASEL_FORMAT_GRAY8 ? 1 : format == EASEL_FORMAT_RGBA8 ? 4 : 8 }

  init(_ width: Int, _ height: Int, _ format: easel_format = EASEL_FORMAT_RGBA8) {
    self.width = width
    self.height = height
    self.format = format
    let size = format == EASEL_FORMAT_GRAY8 ? 1 : format == EASEL_FORMAT_RGBA8 ? 4 : 8
    stride = width * size
    bytes = .allocate(byteCount: max(1, width * size * height), alignment: 8)
    memset(bytes, 0, width * size * height)
  }

  convenience init(random width: Int, _ height: Int, _ format: easel_format, _ source: inout Noise) {
    self.init(width, height, format)
    let extremes = source.next() % 3 == 0
    for index in 0..<count {
      let value = UInt8(truncatingIfNeeded: source.next() >> 24)
      bytes.storeBytes(of: extremes ? (value < 128 ? 0 : 255) : value, toByteOffset: index, as: UInt8.self)
    }
  }

  convenience init(copy other: PixelBuffer) {
    self.init(other.width, other.height, other.format)
    memcpy(bytes, other.bytes, count)
  }

  deinit { bytes.deallocate() }

  var contents: [UInt8] { Array(UnsafeRawBufferPointer(start: bytes, count: count)) }

  func fill(_ pixel: [UInt8]) {
    for index in 0..<count { bytes.storeBytes(of: pixel[index % pixel.count], toByteOffset: index, as: UInt8.self) }
  }

  subscript(x: Int, y: Int) -> [UInt8] {
    get { (0..<pixelBytes).map { bytes.load(fromByteOffset: y * stride + x * pixelBytes + $0, as: UInt8.self) } }
    set {
      for (index, value) in newValue.enumerated() {
        bytes.storeBytes(of: value, toByteOffset: y * stride + x * pixelBytes + index, as: UInt8.self)
      }
    }
  }
}

/// A small random generator with the same sequence in every run.
struct Noise {
  var state: UInt64

  init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }

  mutating func next(in range: ClosedRange<Int>) -> Int {
    range.lowerBound + Int(next() >> 11 % UInt64(range.upperBound - range.lowerBound + 1))
  }
}

/// Runs the work once at each level that this processor supports, and returns the results.
func atEveryLevel(_ work: () -> [UInt8]) -> [[UInt8]] {
  let before = easel_pixels_limit_level(Int32(EASEL_LEVEL_AVX2))
  defer { _ = easel_pixels_limit_level(before) }
  return (0...easel_pixels_level()).map { level in
    _ = easel_pixels_limit_level(level)
    defer { _ = easel_pixels_limit_level(Int32(EASEL_LEVEL_AVX2)) }
    return work()
  }
}
