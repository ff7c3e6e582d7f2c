import EaselSupport
import FoundationEssentials
import Glibc

/// Encoded bytes for a coder, in memory or in a file that is read piece by piece.
///
/// ```swift
/// let bytes = try ImageBytes(contentsOfFile: "photo.png")
/// let isPNG = try bytes.prefix(4) == [0x89, 0x50, 0x4E, 0x47]
/// ```
public struct ImageBytes: Sendable {
  private enum Backing: Sendable {
    case data(Data)
    case buffer(PooledBuffer)
    case file(OpenFile)
  }

  private let backing: Backing
  /// The number of bytes.
  public let count: Int

  /// Creates bytes that share the memory of `data`.
  ///
  /// ```swift
  /// let bytes = ImageBytes(try Data(contentsOf: file))
  /// let header = try CoderRegistry.standard.probe(bytes, work: WorkContext())
  /// ```
  public init(_ data: Data) {
    backing = .data(data)
    count = data.count
  }

  /// Creates bytes from an array.
  public init(_ bytes: [UInt8]) { self.init(Data(bytes)) }

  /// Opens a file whose bytes are read on demand.
  ///
  /// The file is not mapped into memory, so if another program truncates it, the result is an error and not a crash.
  public init(contentsOfFile path: String) throws(ImageError) {
    let file = try OpenFile(path: path)
    backing = .file(file)
    count = file.count
  }

  /// Opens a file with the loader's own `opener`; messages call the file `name`.
  ///
  /// The bytes must never change: a read after a change of the file is an error.
  package init(fileNamed name: String, openedBy opener: @escaping @Sendable () -> CInt) throws(ImageError) {
    let file = try OpenFile(named: name, opener: opener)
    backing = .file(file)
    count = file.count
  }

  package init(_ buffer: PooledBuffer, count: Int) {
    backing = .buffer(buffer)
    self.count = count
  }

  /// True when there are no bytes.
  public var isEmpty: Bool { count == 0 }

  /// Copies bytes from `offset` on into `target`, and returns how many it copied.
  public func read(at offset: Int, into target: UnsafeMutableRawBufferPointer) throws(ImageError) -> Int {
    guard offset >= 0, offset < count, !target.isEmpty else { return 0 }
    let wanted = min(target.count, count - offset)
    let part = UnsafeMutableRawBufferPointer(rebasing: target[..<wanted])
    if case .file(let file) = backing { return try file.read(at: offset, into: part) }
    withBytesInMemory { bytes in
      part.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + wanted]))
    }
    return wanted
  }

  /// Calls `body` with all bytes when they are in memory; otherwise returns nil.
  @discardableResult
  public func withBytesInMemory<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result? {
    switch backing {
    case .data(let data): return try data.withUnsafeBytes(body)
    case .buffer(let buffer):
      defer { withExtendedLifetime(buffer) {} }
      return try body(UnsafeRawBufferPointer(rebasing: buffer.bytes[..<count]))
    case .file: return nil
    }
  }

  /// Calls `body` with all bytes; the bytes of a file are in memory only during the call.
  public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) throws -> Result {
    if let result = try withBytesInMemory(body) { return result }
    return try loaded().withUnsafeBytes(body)
  }

  /// The bytes in memory, after reading them if they are in a file.
  public func loaded() throws(ImageError) -> ImageBytes {
    guard case .file(let file) = backing else { return self }
    guard let buffer = BufferPool.shared.buffer(ofAtLeast: count) else {
      throw ImageError.exhausted("There is no memory for the \(count) bytes of \(file.path).")
    }
    let copied = try file.read(at: 0, into: UnsafeMutableRawBufferPointer(rebasing: buffer.bytes[..<count]))
    return ImageBytes(buffer, count: copied)
  }

  /// The first bytes, at most `length`.
  ///
  /// ```swift
  /// let signature = try bytes.prefix(12)
  /// ```
  public func prefix(_ length: Int) throws(ImageError) -> [UInt8] { try part(at: 0, count: length) }

  /// Returns a part of the bytes; the result is shorter than `count` if the bytes end earlier.
  ///
  /// ```swift
  /// let width = try bytes.part(at: 16, count: 4).reduce(0) { $0 << 8 | Int($1) }
  /// ```
  public func part(at offset: Int, count: Int) throws(ImageError) -> [UInt8] {
    guard offset >= 0, offset < self.count, count > 0 else { return [] }
    var part = [UInt8](repeating: 0, count: min(count, self.count - offset))
    let result = part.withUnsafeMutableBytes { target in
      Result<Int, ImageError> { () throws(ImageError) in try read(at: offset, into: target) }
    }
    _ = try result.get()
    return part
  }

  /// All bytes as data, which the caller may change.
  ///
  /// ```swift
  /// let body = try await manager.bytes(for: request).data()
  /// ```
  public func data() throws(ImageError) -> Data {
    // `Data` changes foreign memory in place, but other values may hold these bytes.
    if case .buffer = backing, count > 0 { return withBytesInMemory { Data($0) }! }
    return try unchangedData()
  }

  /// Returns all bytes as data, without a copy if they are in memory; the caller must not change the data.
  package func unchangedData() throws(ImageError) -> Data {
    switch backing {
    case .data(let data): return data
    case .buffer(let buffer):
      guard count > 0 else { return Data() }
      return Data(
        bytesNoCopy: buffer.bytes.baseAddress!, count: count,
        deallocator: .custom { _, _ in withExtendedLifetime(buffer) {} })
    case .file: return try loaded().unchangedData()
    }
  }

  /// The path of the file that holds the bytes; nil when they are in memory.
  public var filePath: String? {
    if case .file(let file) = backing, file.hasPath { return file.path }
    return nil
  }

  /// True when the bytes are in a file.
  package var isInFile: Bool { if case .file = backing { true } else { false } }

  /// True when the bytes are in a file of a loader, which other programs may change at any time.
  package var isInLoadersFile: Bool { isInFile && filePath == nil }

  /// Calls `body` with a descriptor of the file that holds the bytes; returns nil when they are in memory.
  package func withFileDescriptor<Result>(_ body: (CInt) throws -> Result) throws -> Result? {
    guard case .file(let file) = backing else { return nil }
    return try file.withDescriptor(body)
  }

  /// True when both have the same memory or the same file, so that nothing has to be compared.
  package func isIdentical(to other: ImageBytes) -> Bool {
    guard count == other.count else { return false }
    switch (backing, other.backing) {
    case (.file(let file), .file(let otherFile)): return file === otherFile
    case (.buffer(let buffer), .buffer(let otherBuffer)): return buffer === otherBuffer
    case (.data(let data), .data(let otherData)):
      // `Data` stores so few bytes in the value itself, so their address says nothing.
      guard count > 64 else { return data == otherData }
      return data.withUnsafeBytes { $0.baseAddress } == otherData.withUnsafeBytes { $0.baseAddress }
    default: return false
    }
  }

  /// The memory that the bytes hold.
  public var memoryCost: Int {
    switch backing {
    case .data: count
    case .buffer(let buffer): buffer.bytes.count
    case .file: 0
    }
  }
}
