import NIOCore
import Vapor

/// The body of a request, read no faster than it is taken.
///
/// Vapor's own sequence ends the process if there is no body.
struct UploadBody: AsyncSequence, Sendable {
  typealias Element = ByteBuffer

  let request: Request

  func makeAsyncIterator() -> Iterator {
    let (pieces, input) = AsyncThrowingStream<Piece, any Error>.makeStream()
    request.body.drain { [loop = request.eventLoop] part in
      switch part {
      case .buffer(let buffer):
        let piece = Piece(buffer, takenAs: loop.makePromise())
        input.yield(piece)
        return piece.isTaken.futureResult
      case .error(let error): input.finish(throwing: error)
      case .end: input.finish()
      }
      return loop.makeSucceededVoidFuture()
    }
    return Iterator(pieces: pieces.makeAsyncIterator())
  }

  struct Iterator: AsyncIteratorProtocol {
    fileprivate var pieces: AsyncThrowingStream<Piece, any Error>.Iterator

    mutating func next() async throws -> ByteBuffer? { try await pieces.next()?.buffer }
  }

  /// A part of the body; the next one is read when it is released, also if nobody has taken it.
  fileprivate final class Piece: Sendable {
    let buffer: ByteBuffer
    let isTaken: EventLoopPromise<Void>

    init(_ buffer: ByteBuffer, takenAs isTaken: EventLoopPromise<Void>) {
      self.buffer = buffer
      self.isTaken = isTaken
    }

    deinit { isTaken.succeed() }
  }
}
