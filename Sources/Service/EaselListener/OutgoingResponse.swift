import EaselCore
import EaselService
import Glibc

/// What an answer must know of its request and of the connection.
struct ResponseFrame {
  /// True if the client wants the head alone.
  var isHeadOnly = false
  /// True for HTTP/1.1.
  var isCurrentVersion = true
  /// True if another request may follow on the connection.
  var keepsAlive = false
}

/// An answer that is sent as fast as its client takes it.
struct OutgoingResponse {
  /// The result of one attempt to send.
  enum Progress {
    case done
    /// The client must take something first.
    case blocked
    /// The turn is over, so that other connections get theirs.
    case paused
    /// The connection or a file of the body is broken.
    case failed
  }

  /// True if another request may follow.
  let keepsAlive: Bool
  /// The bytes given to the system so far.
  private(set) var sent = 0
  private let head: [UInt8]
  private let body: [ImageBytes]
  // The place of the next byte: 0 is the head, 1 the first slice of the body.
  private var piece = 0
  private var offset = 0

  /// Frames a response for its connection.
  ///
  /// A response that would break the framing becomes status 500, because the bytes after it could be taken for another
  /// response.
  init(_ response: ServiceResponse, _ frame: ResponseFrame, date: String) {
    let known = response.prepared.flatMap { prepared in
      prepared.bytes(Self.written).map { WrittenFields(bytes: $0, count: prepared.headers.fields.count) }
    }
    let others = response.headers.fields.dropFirst(known?.count ?? 0)
    let isSound = (200...599).contains(response.status) && others.allSatisfy(Self.isSound)
    let written = isSound ? known : nil
    let response = isSound ? response : Self.unsound
    var frame = frame
    frame.keepsAlive = frame.keepsAlive && !Self.wantsClose(response.headers.fields.dropFirst(written?.count ?? 0))
    keepsAlive = frame.keepsAlive
    let hasBody = !frame.isHeadOnly && response.status != 204 && response.status != 304
    body = hasBody ? response.body.filter { !$0.isEmpty } : []
    head = Self.head(of: response, written, frame, hasBody: hasBody, date)
  }

  /// Sends until the client must take something, at most about `most` bytes.
  mutating func send(to descriptor: Int32, through buffer: UnsafeMutableRawBufferPointer, most: Int) -> Progress {
    var left = most
    while piece <= body.count {
      guard left > 0 else { return .paused }
      let done = withUnsafeTemporaryAllocation(of: iovec.self, capacity: Self.piecesAtOnce) { vectors in
        gather(piece, offset, into: vectors, 0, descriptor, buffer)
      }
      if done >= 0 {
        advance(by: done)
        left -= done
      } else if errno == EAGAIN {
        return .blocked
      } else if errno != EINTR {
        return .failed
      }
    }
    return .done
  }

  private static let piecesAtOnce = 16

  /// Collects pieces in memory and sends them with one call; the bytes of a file go through the buffer.
  private func gather(
    _ piece: Int, _ offset: Int, into vectors: UnsafeMutableBufferPointer<iovec>, _ count: Int, _ descriptor: Int32,
    _ buffer: UnsafeMutableRawBufferPointer
  ) -> Int {
    func add(_ bytes: UnsafeRawBufferPointer) {
      vectors[count] = iovec(
        iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress! + offset), iov_len: bytes.count - offset)
    }
    func next() -> Int { gather(piece + 1, 0, into: vectors, count + 1, descriptor, buffer) }
    guard piece <= body.count, count < vectors.count else { return Self.send(vectors[..<count], descriptor) }
    if piece == 0 {
      return head.withUnsafeBytes { bytes in
        add(bytes)
        return next()
      }
    }
    let slice = body[piece - 1]
    let inMemory = slice.withBytesInMemory { bytes in
      add(bytes)
      return next()
    }
    if let inMemory { return inMemory }
    guard let got = try? slice.read(at: offset, into: buffer), got > 0 else {
      errno = EIO
      return -1
    }
    vectors[count] = iovec(iov_base: buffer.baseAddress, iov_len: got)
    return Self.send(vectors[...count], descriptor)
  }

  private static func send(_ vectors: Slice<UnsafeMutableBufferPointer<iovec>>, _ descriptor: Int32) -> Int {
    var message = msghdr()
    message.msg_iov = UnsafeMutableBufferPointer(rebasing: vectors).baseAddress
    message.msg_iovlen = vectors.count
    return sendmsg(descriptor, &message, CInt(MSG_NOSIGNAL))
  }

  private mutating func advance(by count: Int) {
    sent += count
    var left = count
    while piece <= body.count {
      let rest = (piece == 0 ? head.count : body[piece - 1].count) - offset
      guard left >= rest else {
        offset += left
        return
      }
      left -= rest
      piece += 1
      offset = 0
    }
  }
}
