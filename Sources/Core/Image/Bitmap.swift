import EaselSupport
import Glibc

/// Pixels in memory: rows of one format from top to bottom, with copy-on-write.
///
/// ```swift
/// var bitmap = try Bitmap(size: PixelSize(width: 2, height: 1), format: .opaqueRGBA8)
/// bitmap.withUnsafeMutableBytes { $0.copyBytes(from: [255, 0, 0, 255, 0, 0, 255, 255]) }
/// print(bitmap.pixel(x: 1, y: 0) ?? .clear)
/// ```
public struct Bitmap: Sendable {
  /// The number of columns.
  public let width: Int
  /// The number of rows.
  public let height: Int
  /// The distance between the first bytes of two rows.
  public let bytesPerRow: Int
  /// The layout of the bytes and the meaning of alpha.
  public private(set) var format: PixelFormat

  private var storage: PooledBuffer

  /// Creates a bitmap whose bytes are all zero.
  ///
  /// ```swift
  /// let canvas = try Bitmap(size: PixelSize(width: 640, height: 480), format: .opaqueRGBA8)
  /// ```
  public init(size: PixelSize, format: PixelFormat, bytesPerRow: Int? = nil) throws(ImageError) {
    try self.init(unfilled: size, format: format, bytesPerRow: bytesPerRow)
    // Fresh memory is zero already. Pages that nobody writes to then use no memory, even if a file claims a huge size.
    if !storage.isFresh { memset(storage.bytes.baseAddress!, 0, byteCount) }
  }

  /// Creates a bitmap whose bytes are all zero: transparent pixels in the default format.
  ///
  /// ```swift
  /// let canvas = try Bitmap(width: 320, height: 240)
  /// ```
  public init(width: Int, height: Int, format: PixelFormat = .rgba8) throws(ImageError) {
    try self.init(size: PixelSize(width: width, height: height), format: format)
  }

  /// Creates a bitmap with undefined content, for a caller that writes every pixel.
  public init(unfilled size: PixelSize, format: PixelFormat, bytesPerRow: Int? = nil) throws(ImageError) {
    try self.init(unfilled: size, format: format, bytesPerRow: bytesPerRow, pool: .shared)
  }

  package init(
    unfilled size: PixelSize, format: PixelFormat, bytesPerRow: Int? = nil, pool: BufferPool
  ) throws(ImageError) {
    guard !size.isEmpty else {
      throw ImageError(.limitExceeded, "A bitmap needs at least one pixel, but \(size) has none.")
    }
    let (packed, rowOverflows) = size.width.multipliedReportingOverflow(by: format.bytesPerPixel)
    let stride = bytesPerRow ?? packed
    guard rowOverflows || stride >= packed else {
      throw ImageError(
        .limitExceeded,
        "A row of \(size.width) pixels of \(format.bytesPerPixel) bytes does not fit in \(stride) bytes.")
    }
    let (total, overflows) = stride.multipliedReportingOverflow(by: size.height)
    guard !rowOverflows, !overflows, let storage = pool.buffer(ofAtLeast: total) else {
      throw .exhausted(
        "There is no memory for a bitmap of \(size) at \(format.bytesPerPixel) bytes a pixel.")
    }
    width = size.width
    height = size.height
    self.bytesPerRow = stride
    self.format = format
    self.storage = storage
  }

  /// The width and height.
  public var size: PixelSize { PixelSize(width: width, height: height) }

  /// The bytes of all rows, padding included.
  public var byteCount: Int { bytesPerRow * height }

  /// The memory that the bitmap holds, which may exceed ``byteCount``.
  public var memoryCost: Int { storage.bytes.count }

  /// Calls `body` with the bytes of all rows.
  ///
  /// ```swift
  /// let sum = bitmap.withUnsafeBytes { bytes in bytes.reduce(0) { $0 + Int($1) } }
  /// ```
  public func withUnsafeBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    defer { withExtendedLifetime(storage) {} }
    return try body(UnsafeRawBufferPointer(rebasing: storage.bytes[..<byteCount]))
  }

  /// Calls `body` with the bytes of all rows, after copying them if another bitmap shares them.
  public mutating func withUnsafeMutableBytes<Result, Failure: Error>(
    _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    makeUniqueOrEnd()
    defer { withExtendedLifetime(storage) {} }
    return try body(UnsafeMutableRawBufferPointer(rebasing: storage.bytes[..<byteCount]))
  }

  /// Changes what alpha means without changing the bytes.
  public mutating func assumeAlpha(_ alpha: PixelFormat.Alpha) {
    format = PixelFormat(format.layout, alpha: alpha)
  }

  /// Changes the order of the components in the format, after a caller has reordered the bytes.
  package mutating func assumeLayout(_ layout: PixelFormat.Layout) {
    precondition(layout.bytesPerPixel == format.bytesPerPixel, "Pixels of another size need another bitmap.")
    format = PixelFormat(layout, alpha: format.alpha)
  }

  /// Copies the pixels if another bitmap shares them, so that the following change needs no memory.
  ///
  /// Throws if there is no memory for the copy. ``withUnsafeMutableBytes(_:)`` cannot throw that error: without this
  /// call it would end the program.
  package mutating func makeUnique(pool: BufferPool = .shared) throws(ImageError) {
    guard !isKnownUniquelyReferenced(&storage) else { return }
    guard let copy = pool.buffer(ofAtLeast: byteCount) else {
      throw .exhausted("There is no memory to copy a bitmap of \(size) that is about to change.")
    }
    replaceStorage(by: copy)
  }

  private mutating func makeUniqueOrEnd() {
    guard !isKnownUniquelyReferenced(&storage) else { return }
    guard let copy = BufferPool.shared.buffer(ofAtLeast: byteCount, urgent: true) else {
      fatalError("There is no memory to copy a bitmap of \(size) that is about to change.")
    }
    replaceStorage(by: copy)
  }

  private mutating func replaceStorage(by copy: PooledBuffer) {
    memcpy(copy.bytes.baseAddress!, storage.bytes.baseAddress!, byteCount)
    storage = copy
  }
}

extension Bitmap: Equatable {
  /// True when two bitmaps have the same size, format and pixels; padding does not count.
  public static func == (left: Bitmap, right: Bitmap) -> Bool {
    guard left.size == right.size, left.format == right.format else { return false }
    let rowBytes = left.width * left.format.bytesPerPixel
    return left.withUnsafeBytes { leftBytes in
      right.withUnsafeBytes { rightBytes in
        (0..<left.height).allSatisfy { row in
          memcmp(
            leftBytes.baseAddress! + row * left.bytesPerRow, rightBytes.baseAddress! + row * right.bytesPerRow,
            rowBytes) == 0
        }
      }
    }
  }
}

extension Bitmap {
  /// The colour of a pixel, counted from the top left corner; nil outside the picture.
  ///
  /// The result has straight alpha and 8 bits per component, whatever the format of the bitmap. For many pixels use
  /// ``pixels(in:)`` or read the bytes.
  ///
  /// ```swift
  /// if let color = bitmap.pixel(x: 10, y: 20) { print(color.red, color.green, color.blue) }
  /// ```
  public func pixel(x: Int, y: Int) -> PixelColor? {
    guard (0..<width).contains(x), (0..<height).contains(y) else { return nil }
    return withUnsafeBytes { color(in: $0, at: y * bytesPerRow + x * format.bytesPerPixel) }
  }

  /// The colours of a rectangle, row by row.
  ///
  /// Pixels outside the picture are left out.
  ///
  /// The results have straight alpha and 8 bits per component, whatever the format of the bitmap.
  public func pixels(in rect: PixelRect) -> [PixelColor] {
    let part = rect.intersection(PixelRect(covering: size))
    var colors: [PixelColor] = []
    colors.reserveCapacity(part.size.area)
    withUnsafeBytes { bytes in
      for y in part.y..<part.y + part.height {
        for x in part.x..<part.x + part.width {
          colors.append(color(in: bytes, at: y * bytesPerRow + x * format.bytesPerPixel))
        }
      }
    }
    return colors
  }

  private func color(in bytes: UnsafeRawBufferPointer, at place: Int) -> PixelColor {
    let stored: (red: Int, green: Int, blue: Int, alpha: Int)
    switch format.layout {
    case .gray8: stored = (Int(bytes[place]), Int(bytes[place]), Int(bytes[place]), 255)
    case .rgba8: stored = (Int(bytes[place]), Int(bytes[place + 1]), Int(bytes[place + 2]), Int(bytes[place + 3]))
    case .bgra8: stored = (Int(bytes[place + 2]), Int(bytes[place + 1]), Int(bytes[place]), Int(bytes[place + 3]))
    case .rgba16:
      let words = (0..<4).map { Int(bytes.loadUnaligned(fromByteOffset: place + 2 * $0, as: UInt16.self)) }
      stored = (words[0], words[1], words[2], words[3])
    }
    let most = format.layout == .rgba16 ? 65_535 : 255
    let isPremultiplied = format.alpha == .premultiplied
    let divisor = isPremultiplied ? stored.alpha : most
    func component(_ value: Int) -> UInt8 {
      guard divisor > 0 else { return 0 }
      return UInt8(min(255, (value * 255 + divisor / 2) / divisor))
    }
    let alpha = format.alpha == .opaque ? 255 : (stored.alpha * 255 + most / 2) / most
    return PixelColor(
      red: component(stored.red), green: component(stored.green), blue: component(stored.blue), alpha: UInt8(alpha))
  }
}
