import EaselCore
import EaselWorkers

/// Orders waiting transfers by priority and then by the age of their loads, and skips busy hosts.
///
/// A host is a name with a port. A host is busy when as many of its transfers run as allowed: a fixed number, or fewer
/// when hosts share the places evenly.
///
/// A transfer whose turn comes while its host is busy moves to a queue of the host, so that choosing the next transfer
/// takes no longer if the queue is long.
final class TransferQueue {
  /// The transfers of one priority, in the order of their turns.
  fileprivate struct Line {
    var first: Transfer?
    var last: Transfer?

    mutating func add(_ transfer: Transfer, after previous: Transfer?) {
      let next = previous.map { $0.link.next } ?? first
      transfer.link.previous = previous
      transfer.link.next = next
      if let previous { previous.link.next = transfer } else { first = transfer }
      if let next { next.link.previous = transfer } else { last = transfer }
    }

    mutating func remove(_ transfer: Transfer) {
      let (previous, next) = (transfer.link.previous, transfer.link.next)
      if let previous { previous.link.next = next } else { first = next }
      if let next { next.link.previous = previous } else { last = previous }
      transfer.link.previous = nil
      transfer.link.next = nil
    }
  }

  fileprivate final class Host {
    /// The number of waiting and running transfers.
    var members = 0
    var running = 0
    /// The transfers whose turn came while the host was busy.
    var waiting = Lines()
    var waitingCount = 0
    let name: String

    init(_ name: String) { self.name = name }
  }

  fileprivate struct Lines {
    private var lines = [Line](repeating: Line(), count: LoadPriority.allCases.count)

    /// Inserts a transfer by its turn.
    ///
    /// The search starts at both ends: a new transfer belongs near one end, and a transfer that has waited for its host
    /// belongs near the end from which transfers are taken.
    mutating func add(_ transfer: Transfer) {
      let index = transfer.priority.rawValue
      let turn = transfer.link.turn
      var (oldest, newest) = (lines[index].first, lines[index].last)
      while let first = oldest, let last = newest {
        if last.link.turn <= turn { return lines[index].add(transfer, after: last) }
        if first.link.turn > turn { return lines[index].add(transfer, after: first.link.previous) }
        (oldest, newest) = (first.link.next, last.link.previous)
      }
      lines[index].add(transfer, after: newest)
    }

    mutating func remove(_ transfer: Transfer) { lines[transfer.priority.rawValue].remove(transfer) }

    func next(_ order: LoadPriority.Order) -> Transfer? {
      for line in lines.reversed() {
        if let transfer = order == .firstInFirstOut ? line.first : line.last { return transfer }
      }
      return nil
    }
  }

  private let order: LoadPriority.Order
  private let mostPerHost: Int
  /// The number of places that hosts share evenly; nil when they do not share.
  private let sharedPlaces: Int?
  /// The number of hosts with waiting or running transfers.
  private var busyHosts = 0
  private var ready = Lines()
  private var hosts: [String: Host] = [:]
  /// The last host that was looked up; the next lookup is usually for the same one.
  private var lastHost: Host?
  private var countForNextCleanup = 64
  /// The number of waiting transfers.
  private(set) var count = 0

  init(order: LoadPriority.Order, hostLimit: Int, sharedPlaces: Int? = nil) {
    self.order = order
    mostPerHost = max(1, hostLimit)
    self.sharedPlaces = sharedPlaces
  }

  /// The most transfers of one host that may run.
  ///
  /// One share stays free, so that the next host need not wait for transfers of the others.
  private var hostLimit: Int {
    guard let sharedPlaces else { return mostPerHost }
    return max(1, min(mostPerHost, sharedPlaces / (busyHosts + 1)))
  }

  /// Adds a transfer among those of its priority, at the turn of its load.
  ///
  /// Loads that wait for caches come late, and not in the order of their beginning. A transfer without a load comes
  /// last.
  func add(_ transfer: Transfer) {
    transfer.link.turn = transfer.job.request.priority.turn ?? StartNumber.next()
    let host = host(of: transfer)
    if host.members == 0 { busyHosts += 1 }
    host.members += 1
    transfer.link.host = host
    makeReady(transfer)
    count += 1
  }

  /// Removes a transfer; returns false when it was not waiting.
  @discardableResult
  func remove(_ transfer: Transfer) -> Bool {
    switch transfer.link.position {
    case .ready:
      ready.remove(transfer)
      // The host may have kept a free place for this transfer, so another transfer of the host may now run.
      makeNextReady(of: transfer.link.host!)
    case .waitingForHost: removeFromHost(transfer)
    case .outside: return false
    }
    transfer.link.position = .outside
    count -= 1
    leave(transfer.link.host!)
    return true
  }

  /// Moves a waiting transfer to its place in the new priority.
  func move(_ transfer: Transfer, to priority: LoadPriority) {
    guard transfer.priority != priority else { return }
    guard remove(transfer) else { return transfer.priority = priority }
    transfer.priority = priority
    add(transfer)
  }

  /// Removes the next transfer, and counts it as running; returns nil when none may run.
  func next() -> Transfer? {
    while let transfer = ready.next(order) {
      ready.remove(transfer)
      let host = transfer.link.host!
      if host.running < hostLimit {
        transfer.link.position = .outside
        count -= 1
        host.running += 1
        return transfer
      }
      transfer.link.position = .waitingForHost
      host.waiting.add(transfer)
      host.waitingCount += 1
    }
    return nil
  }

  /// Notes that a running transfer pauses; the next transfer of its host may run.
  func notePause(of transfer: Transfer) {
    let host = transfer.link.host!
    host.running -= 1
    makeNextReady(of: host)
  }

  /// Notes that a paused transfer runs again, even if its host is busy by then.
  func noteResumption(of transfer: Transfer) { transfer.link.host!.running += 1 }

  /// Notes that a transfer has ended; the next transfer of its host may run.
  func noteEnd(of transfer: Transfer) {
    let host = transfer.link.host!
    host.running -= 1
    leave(host)
    makeNextReady(of: host)
    // Idle hosts are removed from time to time, so that they do not pile up in a program that contacts many hosts.
    if hosts.count >= countForNextCleanup {
      hosts = hosts.filter { $0.value.members > 0 }
      lastHost = nil
      countForNextCleanup = max(64, hosts.count * 2)
    }
  }

  /// Removes a transfer from its host's count; if it was the last one, the shares of the other hosts grow.
  private func leave(_ host: Host) {
    host.members -= 1
    guard host.members == 0 else { return }
    busyHosts -= 1
    guard sharedPlaces != nil else { return }
    for other in hosts.values where other.waitingCount > 0 {
      for _ in 0..<max(0, hostLimit - other.running) { makeNextReady(of: other) }
    }
  }

  private func host(of transfer: Transfer) -> Host {
    let name = transfer.server
    if let lastHost, lastHost.name == name { return lastHost }
    let host = hosts[name] ?? Host(name)
    hosts[name] = host
    lastHost = host
    return host
  }

  private func makeReady(_ transfer: Transfer) {
    transfer.link.position = .ready
    ready.add(transfer)
  }

  private func makeNextReady(of host: Host) {
    guard host.waitingCount > 0, host.running < hostLimit, let next = host.waiting.next(order) else { return }
    removeFromHost(next)
    makeReady(next)
  }

  private func removeFromHost(_ transfer: Transfer) {
    transfer.link.host!.waiting.remove(transfer)
    transfer.link.host!.waitingCount -= 1
  }
}

/// The position of a transfer in the queue; only the queue uses it.
struct QueueLink {
  enum Position { case outside, ready, waitingForHost }

  var position = Position.outside
  var turn: UInt64 = 0
  fileprivate var host: TransferQueue.Host?
  var next: Transfer?
  var previous: Transfer?
}
