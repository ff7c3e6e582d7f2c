import CEaselSandbox
import EaselCore
import EaselSupport
import Glibc

/// The children that a server has made before anybody asked, and those that it was told to make.
struct WaitingChildren {
  /// The children that are ready; the oldest is first.
  var ready: [SandboxChild] = []
  /// The errors of children that could not be made.
  var failures: [(kind: SandboxChild.Kind, code: CInt)] = []
  /// The number of children of each kind that the server was told to make.
  var ordered: [SandboxChild.Kind: Int] = [:]
  /// The number of pictures that wait for a child of each kind.
  var pictures: [SandboxChild.Kind: Int] = [:]

  /// The number of children of a kind that wait for a picture, so that no picture has to wait for a fork.
  ///
  /// One is not enough if pictures follow one another: the next child would be made while the next picture waits.
  static let spares = 2
  /// The number of children of all kinds that wait, each of which has about two hundred kilobytes of its own.
  static let most = 6

  /// The children that are still to be made so that each picture of the kind has one, and `spares` more remain.
  func missing(of kind: SandboxChild.Kind, spares: Int) -> Int {
    let there = ready.count { $0.kind == kind } + ordered[kind, default: 0]
    return pictures[kind, default: 0] + spares - there
  }

  /// Takes a child of the kind.
  mutating func take(_ kind: SandboxChild.Kind) -> SandboxChild? {
    // Somebody may have ended one meanwhile.
    ready.removeAll { $0.end.isOver(within: 0) }
    return ready.firstIndex { $0.kind == kind }.map { ready.remove(at: $0) }
  }

  /// Takes an error that says why there is no child of the kind.
  mutating func takeFailure(_ kind: SandboxChild.Kind) -> CInt? {
    failures.firstIndex { $0.kind == kind }.map { failures.remove(at: $0).code }
  }

  /// Takes the children that are too many: the oldest, but none of this kind.
  mutating func takeSurplus(besides kind: SandboxChild.Kind) -> [SandboxChild] {
    var surplus: [SandboxChild] = []
    while ready.count > Self.most {
      guard let index = ready.firstIndex(where: { $0.kind != kind }) else { break }
      surplus.append(ready.remove(at: index))
    }
    return surplus
  }
}

extension ForkServer {
  /// A child for a picture; throws ``Gone`` if the server has ended.
  ///
  /// If `patience` is not nil, the wait throws ``DecoderProcess/NeverBegan`` after so long, and does not use up the time of
  /// the work.
  func child(of kind: SandboxChild.Kind, patience: Duration?, work: WorkContext) throws -> SandboxChild {
    waiting.withLock { $0.pictures[kind, default: 0] += 1 }
    defer { waiting.withLock { $0.pictures[kind, default: 0] -= 1 } }
    var clock: RunningClock?
    while true {
      try collect()
      let (child, failure) = waiting.withLock { state in
        let child = state.take(kind)
        return (child, child == nil ? state.takeFailure(kind) : nil)
      }
      if let child { return child }
      if let failure { throw ImageError.sandboxLacks("a process for the picture", code: failure) }
      try order(kind, spares: 0)
      guard easel_sandbox_wait_readable(control.number, 20) == 0 else { continue }
      if isStopped { throw Gone() }
      if let patience {
        let started = clock ?? RunningClock(of: process)
        clock = started
        guard !started.isOver(patience) else {
          waiting.withLock { $0.ordered[kind] = 0 }
          throw DecoderProcess.NeverBegan()
        }
        // The work on the picture has not begun.
        work.time.giveBack(.milliseconds(20))
      }
      try work.checkCancellation()
    }
  }

  /// Has children made for the pictures that come next.
  func prepare(_ kind: SandboxChild.Kind) {
    // If the server is gone, the next picture notices.
    try? collect()
    let surplus = waiting.withLock { $0.takeSurplus(besides: kind) }
    withExtendedLifetime(surplus) {}
    try? order(kind, spares: WaitingChildren.spares)
  }

  private func order(_ kind: SandboxChild.Kind, spares: Int) throws {
    try waiting.withLock { state in
      var order = easel_sandbox_kind(has_threads: kind.hasThreads ? 1 : 0)
      while state.missing(of: kind, spares: spares) > 0 {
        guard easel_sandbox_order(control.number, &order) == 0 else {
          // A server that reads slowly has no room for an order.
          if errno == EAGAIN { return }
          throw Gone()
        }
        state.ordered[kind, default: 0] += 1
      }
    }
  }

  /// Takes over the children that the server has made.
  private func collect() throws {
    try waiting.withLock { state in
      while true {
        var ready = easel_sandbox_ready()
        var (talk, end): (CInt, CInt) = (-1, -1)
        switch easel_sandbox_receive_ready(control.number, &ready, &talk, &end) {
        case 0: return
        case 1:
          let kind = SandboxChild.Kind(hasThreads: ready.kind.has_threads != 0)
          state.ordered[kind] = max(0, state.ordered[kind, default: 0] - 1)
          if ready.start_error == 0 {
            state.ready.append(
              SandboxChild(kind, process: ready.process, talk: Descriptor(talk), end: ChildEnd(Descriptor(end))))
          } else {
            // Children that nobody waits for may fail as often as they like.
            state.failures = state.failures.suffix(16) + [(kind, ready.start_error)]
          }
        default: throw Gone()
        }
      }
    }
  }
}
