import EaselCore
import EaselService
import NIOCore

extension ServiceResponse {
  /// The bytes of the body in buffers.
  ///
  /// A slice in memory is one buffer. A file is read on a worker thread, part by part, when the next part is wanted.
  public var buffers: BodyBuffers { BodyBuffers(slices: body) }

  /// The whole body in one buffer if it is in memory; nil if a file has to be read.
  public var bufferAtHand: ByteBuffer? {
    var whole = ByteBuffer()
    for slice in body {
      guard slice.withBytesInMemory({ _ = whole.writeBytes($0) }) != nil else { return nil }
    }
    return whole
  }
}

/// The bytes of a body in order, as buffers.
public struct BodyBuffers: AsyncSequence, Sendable {
  let slices: [ImageBytes]

  /// Begins at the first byte.
  public func makeAsyncIterator() -> Iterator { Iterator(slices: slices[...]) }

  /// The place in a body.
  public struct Iterator: AsyncIteratorProtocol {
    var slices: ArraySlice<ImageBytes>
    var file: BodyParts.Iterator?

    init(slices: ArraySlice<ImageBytes>) { self.slices = slices }

    /// The next buffer; nil after the last one.
    public mutating func next() async throws -> ByteBuffer? {
      while true {
        if let part = try await file?.next() { return ByteBuffer(bytes: part) }
        file = nil
        guard let slice = slices.popFirst() else { return nil }
        guard !slice.isEmpty else { continue }
        if let buffer = slice.withBytesInMemory({ ByteBuffer(bytes: $0) }) { return buffer }
        file = ServiceResponse(status: 200, body: [slice]).parts.makeAsyncIterator()
      }
    }
  }
}

/// The readable bytes of buffers, for a pipeline that takes sequences of bytes.
public struct BufferBytes<Base: AsyncSequence & Sendable>: AsyncSequence, Sendable where Base.Element == ByteBuffer {
  let base: Base

  /// Takes a sequence of buffers, such as the body of a request.
  public init(_ base: Base) { self.base = base }

  /// Begins at the first buffer.
  public func makeAsyncIterator() -> Iterator { Iterator(base: base.makeAsyncIterator()) }

  /// The place in the sequence.
  public struct Iterator: AsyncIteratorProtocol {
    var base: Base.AsyncIterator

    /// The bytes of the next buffer; nil after the last one.
    public mutating func next() async throws -> ByteBufferView? { try await base.next()?.readableBytesView }
  }
}
