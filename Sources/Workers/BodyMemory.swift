import EaselCore
import EaselSupport

/// Limits the memory of bodies that wait to be decoded, so that transfers do not run far ahead of decoding.
///
/// A transfer waits after its head, before the first byte of its body. The most urgent transfer goes first, and urgent
/// ones may take a quarter more room. The limit is soft: plug-ins may load by the same manager while other transfers
/// wait for them, and such a circle must not last for ever.
package final class BodyMemory: Sendable {
  /// Reserved room; ``letGo()``, or the release of this object, gives it back.
  package final class Reservation: Sendable {
    private let room: BodyMemory
    private let bytes: Locked<Int>

    fileprivate init(_ bytes: Int, of room: BodyMemory) {
      self.room = room
      self.bytes = Locked(bytes)
    }

    deinit { letGo() }

    package func letGo() {
      let bytes = bytes.withLock { bytes in
        defer { bytes = 0 }
        return bytes
      }
      if bytes > 0 { room.giveBack(bytes) }
    }
  }

  private struct Waiter {
    let number: UInt64
    let bytes: Int
    let priority: LoadPriority.Live
    let continuation: UnsafeContinuation<Bool, Never>
  }

  private struct State {
    var taken = 0
    var waiting: [Waiter] = []
    var lastNumber: UInt64 = 0
    /// Transfers that were cancelled before they began to wait.
    var withdrawn: Set<UInt64> = []

    func fits(_ bytes: Int, in capacity: Int) -> Bool { taken == 0 || taken + bytes <= capacity }

    /// The index of the most urgent waiter; if several are equally urgent, the first.
    func next() -> Int? {
      waiting.indices.max { first, second in
        let (one, other) = (waiting[first].priority.value, waiting[second].priority.value)
        return one == other ? first > second : one < other
      }
    }
  }

  /// The assumed size of a body of unknown length.
  private static let usualBytes = 1 << 20

  private let capacity: Int
  private let patience: Duration
  private let clock: any ImageClock
  private let state = Locked(State())

  package init(capacity: Int, patience: Duration = .seconds(5), clock: any ImageClock) {
    self.capacity = capacity
    self.patience = patience
    self.clock = clock
  }

  /// The number of reserved bytes.
  package var taken: Int { state.withLock { $0.taken } }

  /// The number of transfers that wait for room.
  package var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// The room for bodies of this priority.
  ///
  /// Urgent ones may take more, so that a crowd of others does not hold them up.
  private func capacity(at priority: LoadPriority) -> Int { priority > .normal ? capacity + capacity / 4 : capacity }

  /// Takes room if there is enough and no other transfer waits.
  package func takeAtOnce(_ bytes: Int?) -> Reservation? {
    let bytes = room(for: bytes)
    let isTaken = state.withLock { state in
      guard state.waiting.isEmpty, state.fits(bytes, in: capacity) else { return false }
      state.taken += bytes
      return true
    }
    return isTaken ? Reservation(bytes, of: self) : nil
  }

  /// Takes room when there is enough, or when the wait has become too long.
  package func take(_ bytes: Int?, at priority: LoadPriority.Live) async throws -> Reservation {
    if let reservation = takeAtOnce(bytes) { return reservation }
    let bytes = room(for: bytes)
    let number = state.withLock { state in
      state.lastNumber += 1
      return state.lastNumber
    }
    let timer = Task { [clock, patience] in
      try await clock.sleep(for: patience)
      self.admit(number)
    }
    defer { timer.cancel() }
    let isAdmitted = await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
        let waiter = Waiter(number: number, bytes: bytes, priority: priority, continuation: continuation)
        let isWithdrawn = state.withLock { state in
          guard state.withdrawn.remove(number) == nil else { return true }
          state.waiting.append(waiter)
          return false
        }
        if isWithdrawn { continuation.resume(returning: false) }
        // Just before this transfer began to wait, another may have given room back, and found nobody to wake up.
        admitThoseThatFit()
      }
    } onCancel: {
      withdraw(number)
    }
    // If the cancellation came too late, it has left its number in the set.
    _ = state.withLock { $0.withdrawn.remove(number) }
    guard isAdmitted else { throw CancellationError() }
    return Reservation(bytes, of: self)
  }

  /// The room that a body takes.
  ///
  /// It is never more than the capacity, because the announced length could overflow the sum.
  private func room(for bytes: Int?) -> Int { min(bytes ?? Self.usualBytes, max(1, capacity)) }

  private func giveBack(_ bytes: Int) {
    state.withLock { $0.taken -= bytes }
    admitThoseThatFit()
  }

  private func admitThoseThatFit() {
    let admitted = state.withLock { state in
      var admitted: [Waiter] = []
      while let index = state.next() {
        let waiter = state.waiting[index]
        guard state.fits(waiter.bytes, in: capacity(at: waiter.priority.value)) else { break }
        state.taken += state.waiting[index].bytes
        admitted.append(state.waiting.remove(at: index))
      }
      return admitted
    }
    for waiter in admitted { waiter.continuation.resume(returning: true) }
  }

  /// Admits a transfer even without room.
  private func admit(_ number: UInt64) {
    let waiter = state.withLock { state -> Waiter? in
      guard let index = state.waiting.firstIndex(where: { $0.number == number }) else { return nil }
      state.taken += state.waiting[index].bytes
      return state.waiting.remove(at: index)
    }
    waiter?.continuation.resume(returning: true)
  }

  private func withdraw(_ number: UInt64) {
    let waiter = state.withLock { state -> Waiter? in
      guard let index = state.waiting.firstIndex(where: { $0.number == number }) else {
        state.withdrawn.insert(number)
        return nil
      }
      return state.waiting.remove(at: index)
    }
    waiter?.continuation.resume(returning: false)
    // A later transfer may be small enough for the remaining room.
    admitThoseThatFit()
  }
}
