import CEaselListener
import Glibc

/// A connection, which only the thread of its loop touches.
final class Connection {
  enum State {
    /// A head is awaited or has come in part.
    case reading
    /// The handler makes the answer.
    case waiting(Task<Void, Never>)
    /// The answer is on its way.
    case sending
    /// All is sent; the client may still have to read it.
    case lingering
  }

  let descriptor: Int32
  let key: ConnectionKey
  let client: ClientAddress?
  private let peer: easel_peer
  /// The address of the client as text; nil for a Unix socket.
  lazy var clientAddress = Self.text(of: peer)
  /// False for a connection over a limit, which gets its refusal, or an answer that needs no waiting.
  var isCounted = true
  var state = State.reading
  var frame = ResponseFrame()
  var answer: OutgoingResponse?
  var reader = HeadReader()
  /// The time since which the answer of the handler is sent; nil if none is, or nobody wants to know.
  var sendingSince: Duration?
  /// True as long as reading may give bytes; the system reports only changes.
  var mayRead = false
  /// The bytes that were discarded while lingering.
  var discarded = 0
  /// The bytes of the answer that the client had confirmed when its deadline was set.
  var confirmed = 0

  /// The bytes that came and are not used yet: a part of a head, or heads that must wait.
  private(set) var input: [UInt8] = []
  private var inputStart = 0
  /// True when the reader has not seen all of the input.
  private(set) var hasNews = false
  /// True before the first byte of the first head.
  private(set) var isFresh = true

  // The places in a deadline queue, which only the queue changes.
  var queue: DeadlineQueue.Kind?
  var deadline = Duration.zero
  var previous: Int32 = -1
  var next: Int32 = -1

  init(_ descriptor: Int32, _ key: ConnectionKey, _ client: ClientAddress?, _ peer: easel_peer = easel_peer()) {
    self.descriptor = descriptor
    self.key = key
    self.client = client
    self.peer = peer
  }

  private static func text(of peer: easel_peer) -> String? {
    guard peer.version != 0 else { return nil }
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    let isWritten = withUnsafeBytes(of: peer.bytes) { bytes in
      inet_ntop(peer.version == 4 ? AF_INET : AF_INET6, bytes.baseAddress, &text, socklen_t(text.count)) != nil
    }
    return isWritten
      ? String(decoding: text.prefix { $0 != 0 }.map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self) : nil
  }

  var hasInput: Bool { inputStart < input.count }

  /// True for a connection that no client waits on: it has answered all, and nothing of another head has come.
  var isIdle: Bool {
    if case .reading = state { return !isFresh && !hasInput }
    return false
  }

  /// Reads the next head out of new bytes and those that came before.
  func readHead(_ bytes: UnsafeRawBufferPointer, _ limits: HeadLimits) -> HeadReader.Result {
    if !bytes.isEmpty { isFresh = false }
    guard !hasInput else {
      input += bytes
      return readHead(limits)
    }
    let result = reader.read(bytes, limits)
    switch result {
    case .incomplete: keep(bytes[...], isNews: false)
    case .head(_, let length): keep(bytes[length...], isNews: true)
    case .refused: break
    }
    return result
  }

  /// Reads the next head out of bytes that came before.
  func readHead(_ limits: HeadLimits) -> HeadReader.Result {
    let result = input.withUnsafeBytes { reader.read(UnsafeRawBufferPointer(rebasing: $0[inputStart...]), limits) }
    if case .head(_, let length) = result {
      reader = HeadReader()
      inputStart += length
      hasNews = hasInput
      if !hasInput { forgetInput() }
    } else {
      hasNews = false
    }
    return result
  }

  private func keep(_ rest: Slice<UnsafeRawBufferPointer>, isNews: Bool) {
    if isNews { reader = HeadReader() }
    inputStart = 0
    // An idle connection keeps no memory for bytes.
    input = rest.isEmpty ? [] : Array(rest)
    hasNews = isNews && !rest.isEmpty
  }

  /// Drops all bytes, because no other head is read.
  func forgetInput() {
    input = []
    inputStart = 0
    hasNews = false
  }
}

/// The name of a connection, which is never used again.
struct ConnectionKey: Hashable, Sendable {
  /// The number that events of the system carry.
  let raw: UInt64

  init(raw: UInt64) { self.raw = raw }

  init(slot: Int, generation: UInt32) { raw = UInt64(generation) << 32 | UInt64(slot) }

  var slot: Int { Int(raw & 0xFFFF_FFFF) }
}

/// The connections of a loop, by their keys.
struct ConnectionTable {
  private(set) var slots: [Connection?] = []
  private var freeSlots: [Int] = []
  // Below 2^31, so that no key equals one of the listener's own.
  private var generation: UInt32 = 0
  private(set) var count = 0

  /// The connection of a key; nil if it was closed.
  subscript(key: ConnectionKey) -> Connection? {
    guard key.slot < slots.count, let connection = slots[key.slot], connection.key == key else { return nil }
    return connection
  }

  mutating func add(_ descriptor: Int32, _ client: ClientAddress?, _ peer: easel_peer = easel_peer()) -> Connection {
    generation = (generation + 1) & 0x7FFF_FFFF
    let slot = freeSlots.popLast() ?? slots.count
    let connection = Connection(descriptor, ConnectionKey(slot: slot, generation: generation), client, peer)
    if slot == slots.count { slots.append(connection) } else { slots[slot] = connection }
    count += 1
    return connection
  }

  mutating func remove(_ connection: Connection) {
    slots[connection.key.slot] = nil
    freeSlots.append(connection.key.slot)
    count -= 1
  }
}
