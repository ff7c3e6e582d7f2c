import CEaselWire
import EaselCore
import EaselSupport
import Glibc

/// A connection, in the view of the loop.
protocol WireChannel: AnyObject, Sendable {
  /// Reads what has arrived; returns true if there may be more.
  func read(into buffer: UnsafeMutableRawBufferPointer) -> Bool
  /// Writes bytes that could not be written before.
  func write()
  /// Ends the connection if a reply is overdue; returns true while the connection awaits replies.
  func checkTime(_ now: Duration) -> Bool
}

/// The thread that waits for all connections of the process.
final class WireLoop: Sendable {
  static let shared = Result { () throws(WireError) in try WireLoop() }

  private static let wakerKey: UInt64 = 0
  private static let bufferSize = 1 << 16
  private static let mostReadsAtOnce = 16

  private struct State {
    var channels: [UInt64: any WireChannel] = [:]
    var lastKey: UInt64 = 0
    /// The connections that have bytes to write.
    var writers: [UInt64] = []
    /// True while the loop will still look at `writers` before it sleeps.
    var isAwake = false
  }

  private let poller: CInt
  private let waker: CInt
  private let state = Locked(State())

  private init() throws(WireError) {
    poller = easel_wire_loop_open()
    waker = easel_wire_waker_open()
    let isReady = poller >= 0 && waker >= 0 && easel_wire_loop_add_waker(poller, waker, Self.wakerKey) == 0
    // The loop lives as long as the process.
    guard isReady, PlainThread.start({ self.run() }) else {
      if poller >= 0 { close(poller) }
      if waker >= 0 { close(waker) }
      throw WireError(.unreachable, "The system gives no thread, or no descriptors, to wait for connections.")
    }
  }

  /// Watches a connection; throws if the system refuses.
  func add(_ channel: any WireChannel, _ descriptor: CInt) throws(WireError) -> UInt64 {
    let key = state.withLock { state in
      state.lastKey += 1
      state.channels[state.lastKey] = channel
      return state.lastKey
    }
    guard easel_wire_loop_add(poller, descriptor, key) == 0 else {
      remove(key)
      throw WireError(.unreachable, "The system does not watch another connection.")
    }
    // The loop may be sleeping without a limit, because it had no connections.
    easel_wire_waker_signal(waker)
    return key
  }

  /// Makes the loop write what a connection has collected, after reading what has arrived.
  func write(_ key: UInt64) {
    let mustWake = state.withLock { state in
      state.writers.append(key)
      return !state.isAwake && state.writers.count == 1
    }
    if mustWake { easel_wire_waker_signal(waker) }
  }

  func remove(_ key: UInt64) { _ = state.withLock { $0.channels.removeValue(forKey: key) } }

  private func run() {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.bufferSize, alignment: 64)
    var events = [easel_wire_event](repeating: easel_wire_event(), count: 64)
    var unread: Set<UInt64> = []
    var lastCheck = SystemClock().uptime
    var isBusy = false
    while true {
      let patience = state.withLock { state -> CInt in
        state.isAwake = !unread.isEmpty || !state.writers.isEmpty
        return state.isAwake ? 0 : isBusy ? 100 : state.channels.isEmpty ? -1 : 1000
      }
      let count = events.withUnsafeMutableBufferPointer {
        easel_wire_loop_wait(poller, $0.baseAddress, CInt($0.count), patience)
      }
      state.withLock { $0.isAwake = true }
      for event in events.prefix(Int(max(0, count))) {
        if event.key == Self.wakerKey { easel_wire_waker_clear(waker) }
        if event.flags & UInt32(EASEL_WIRE_READABLE) != 0 { unread.insert(event.key) }
        if event.flags & UInt32(EASEL_WIRE_WRITABLE) != 0 { channel(event.key)?.write() }
      }
      for key in unread {
        guard let channel = channel(key) else {
          unread.remove(key)
          continue
        }
        // A connection that sends without end must not keep the others waiting.
        var reads = 0
        while reads < Self.mostReadsAtOnce, channel.read(into: buffer) { reads += 1 }
        if reads < Self.mostReadsAtOnce { unread.remove(key) }
      }
      for key in state.withLock({ takeWriters(&$0) }) { channel(key)?.write() }
      let now = SystemClock().uptime
      if now - lastCheck >= .milliseconds(100) {
        lastCheck = now
        isBusy = false
        for channel in state.withLock({ Array($0.channels.values) }) where channel.checkTime(now) { isBusy = true }
      }
    }
  }

  private func takeWriters(_ state: inout State) -> [UInt64] {
    guard !state.writers.isEmpty else { return [] }
    defer { state.writers = [] }
    return state.writers
  }

  private func channel(_ key: UInt64) -> (any WireChannel)? { state.withLock { $0.channels[key] } }
}
