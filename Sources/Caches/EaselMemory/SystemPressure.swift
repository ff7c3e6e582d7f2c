import EaselCore
import EaselSupport
import FoundationEssentials
import Glibc

/// Reports memory pressure from the kernel: pressure stall information, and events of the control group.
///
/// Unchecked, because the descriptors never change, the kernel serializes their use, and only one thread uses the
/// counters.
package final class SystemPressure: PressureSource, @unchecked Sendable {
  private let stalls: CInt
  private let events: CInt
  private let ending: (reader: CInt, writer: CInt)
  private var limitHits: Int

  /// Returns nil when the kernel offers neither source.
  package convenience init?() {
    let stalls = ControlGroup.path(of: "memory.pressure") ?? "/proc/pressure/memory"
    self.init(stalls: stalls, events: ControlGroup.path(of: "memory.events"))
  }

  package init?(stalls: String, events: String?) {
    self.stalls = Self.openStalls(stalls)
    self.events = events.map { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) } ?? -1
    var ends: [CInt] = [-1, -1]
    if pipe(&ends) == 0 { for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) } }
    ending = (ends[0], ends[1])
    limitHits = Self.limitHits(self.events) ?? 0
    if ending.reader < 0 || (self.stalls < 0 && self.events < 0) { return nil }
  }

  deinit {
    for descriptor in [stalls, events, ending.reader, ending.writer] where descriptor >= 0 { close(descriptor) }
  }

  package func next() -> PressureLevel? {
    var waits = [
      pollfd(fd: ending.reader, events: Int16(POLLIN), revents: 0),
      pollfd(fd: stalls, events: Int16(POLLPRI), revents: 0),
      pollfd(fd: events, events: Int16(POLLPRI), revents: 0),
    ]
    while true {
      let ready = poll(&waits, nfds_t(waits.count), -1)
      if ready < 0 && errno != EINTR || waits[0].revents != 0 { return nil }
      if ready > 0, let level = level(waits[1].revents, waits[2].revents, &waits) { return level }
    }
  }

  package func stop() { write(ending.writer, "x", 1) }

  private func level(_ stalls: Int16, _ events: Int16, _ waits: inout [pollfd]) -> PressureLevel? {
    // While a control group is being removed, the kernel reports only errors for it.
    if stalls & Int16(POLLERR) != 0 { waits[1].fd = -1 }
    if events != 0 {
      let hits = Self.limitHits(self.events)
      if hits == nil { waits[2].fd = -1 }
      defer { limitHits = hits ?? limitHits }
      if let hits, hits > limitHits { return .atLimit }
    }
    return stalls & Int16(POLLPRI) != 0 && stalls & Int16(POLLERR) == 0 ? .stalling : nil
  }

  /// Asks the kernel to report when tasks wait long enough for memory.
  ///
  /// If the kernel refuses the short window to an unprivileged process, this asks for the window that everyone may
  /// have.
  private static func openStalls(_ path: String) -> CInt {
    for trigger in ["some 150000 1000000", "some 300000 2000000"] {
      let descriptor = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK)
      guard descriptor >= 0 else { return -1 }
      let written = trigger.withCString { write(descriptor, $0, strlen($0) + 1) }
      if written > 0 { return descriptor }
      close(descriptor)
    }
    return -1
  }

  /// The number of times that the group reached its limits.
  ///
  /// Reading it also prepares the next wait.
  private static func limitHits(_ descriptor: CInt) -> Int? {
    guard descriptor >= 0 else { return nil }
    var bytes = [UInt8](repeating: 0, count: 512)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    return count < 0 ? nil : limitHits(in: String(decoding: bytes[..<count], as: UTF8.self))
  }

  package static func limitHits(in text: String) -> Int {
    text.split(separator: "\n").reduce(0) { sum, line in
      let words = line.split(separator: " ")
      guard words.count == 2, ["high", "max", "oom"].contains(words[0]), let count = Int(words[1]) else { return sum }
      return sum &+ count
    }
  }
}
