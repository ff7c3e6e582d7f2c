import Glibc

/// Pixels in memory: rows of one format from top to bottom, with copy-on-write.
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
  public init(size: PixelSize, format: PixelFormat, bytesPerRow: Int? = nil) throws(ImageError) {
    try self.init(unfilled: size, format: format, bytesPerRow: bytesPerRow)
    // Fresh memory is zero already. Pages that nobody writes to then take no memory, whatever size a file claims.
    if !storage.isFresh { memset(storage.bytes.baseAddress!, 0, byteCount) }
  }

  /// Creates a bitmap with undefined content, for a caller that writes every pixel.
  public init(
    unfilled size: PixelSize, format: PixelFormat, bytesPerRow: Int? = nil, pool: BufferPool = .shared
  ) throws(ImageError) {
    guard !size.isEmpty else {
      throw ImageError(.limitExceeded, "A bitmap needs at least one pixel, \(size) has none.")
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
  public func withUnsafeBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    defer { withExtendedLifetime(storage) {} }
    return try body(UnsafeRawBufferPointer(rebasing: storage.bytes[..<byteCount]))
  }

  /// Calls `body` with the bytes of all rows; they are copied first when another bitmap shares them.
  public mutating func withUnsafeMutableBytes<Result, Failure: Error>(
    _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    makeUnique()
    defer { withExtendedLifetime(storage) {} }
    return try body(UnsafeMutableRawBufferPointer(rebasing: storage.bytes[..<byteCount]))
  }

  /// Changes the stated meaning of alpha without changing the bytes.
  public mutating func assumeAlpha(_ alpha: PixelFormat.Alpha) {
    format = PixelFormat(format.layout, alpha: alpha)
  }

  private mutating func makeUnique() {
    guard !isKnownUniquelyReferenced(&storage) else { return }
    guard let copy = BufferPool.shared.buffer(ofAtLeast: byteCount) else {
      fatalError("There is no memory to copy a bitmap of \(size) that is about to change.")
    }
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
