import Easel
import EaselTerminal
import Glibc

/// Shows the figures of a server on the whole terminal, until a key or a signal ends it.
final class StatsScreen {
  private let source: MetricsSource
  private let terminal: Terminal
  private let signals: SignalPipe
  private let clock = SystemClock()
  /// The readings of the last ten seconds, oldest first.
  private var readings: [(reading: MetricsReading, time: Duration)] = []
  private var history: [Double] = []
  private var failed: Duration?

  private static let window = Duration.seconds(10)
  private static let longestHistory = 60

  init(_ source: MetricsSource, on terminal: Terminal, signals: SignalPipe) throws {
    self.source = source
    self.terminal = terminal
    self.signals = signals
    // The first reading fails before the screen changes if the server cannot be reached.
    try read()
  }

  static var date: Double {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// Shows the screen; the terminal is restored on return, even after an error.
  func run() throws {
    enter()
    defer { leave() }
    var due = clock.uptime
    while true {
      draw()
      due = max(due + .seconds(1), clock.uptime)
      while let event = wait(until: due) {
        guard goOn(after: event) else { return }
      }
      do { try read() } catch { failed = failed ?? readings.last?.time }
    }
  }

  private func read() throws {
    let source = source
    let reading = try BackgroundThread.run(heeding: signals, onSignal: leave) { try source.read() }
    let now = clock.uptime
    if let last = readings.last,
      let rate = ServerFigures(
        reading, since: last.reading, seconds: (now - last.time) / .seconds(1)
      ).rate("easel_requests_total")
    {
      history = Array((history + [rate]).suffix(Self.longestHistory))
    }
    readings.append((reading, now))
    while readings.count > 2, now - readings[0].time > Self.window { readings.removeFirst() }
    failed = nil
  }

  private func draw() {
    guard let first = readings.first, let last = readings.last else { return }
    let figures =
      readings.count == 1
      ? ServerFigures(last.reading)
      : ServerFigures(last.reading, since: first.reading, seconds: (last.time - first.time) / .seconds(1))
    let view = StatsView(
      address: printable(source.address), figures: figures, history: history,
      secondsLost: failed.map { Int((clock.uptime - $0) / .seconds(1)) }, date: Self.date)
    let window = terminal.window
    let lines = view.lines(columns: window.columns, rows: window.rows)
    // Each line erases the rest of its row, so that the screen never becomes empty.
    let text = lines.map { $0 + "\u{1B}[K" }.joined(separator: "\r\n")
    terminal.write(Array("\u{1B}[?2026h\u{1B}[H\(text)\u{1B}[J\u{1B}[?2026l".utf8))
  }

  /// Handles a key or a signal; returns false if the screen must close.
  private func goOn(after event: Event) -> Bool {
    switch event {
    case .keys(let keys): return !keys.contains { [UInt8(ascii: "q"), UInt8(ascii: "Q"), 0x1B, 4].contains($0) }
    case .signal(SIGWINCH): draw()
    case .signal(let signal):
      leave()
      SignalPipe.deliver(signal)
      guard signal == SIGTSTP else { return false }
      enter()
      draw()
    }
    return true
  }

  private enum Event {
    case keys([UInt8])
    case signal(Int32)
  }

  /// The next event; nil if the time is over.
  private func wait(until due: Duration) -> Event? {
    while true {
      var events = [
        pollfd(fd: terminal.descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: signals.descriptor, events: Int16(POLLIN), revents: 0),
      ]
      let left = due - clock.uptime
      guard left > .zero else { return nil }
      let count = poll(&events, 2, Int32(clamping: Int((left / .milliseconds(1)).rounded(.up))))
      if count <= 0 { continue }
      if events[1].revents != 0 { return .signal(signals.next()) }
      let keys = terminal.readKeys()
      // If there is nothing to read, the terminal is gone.
      return .keys(keys.isEmpty ? [UInt8(ascii: "q")] : keys)
    }
  }

  /// Switches to the terminal's second screen, so that the first screen is unchanged afterwards.
  private func enter() {
    terminal.makeRaw()
    terminal.write(Array("\u{1B}[?1049h\u{1B}[?25l".utf8))
  }

  private func leave() {
    terminal.write(Array("\u{1B}[?25h\u{1B}[?1049l".utf8))
    terminal.restore()
  }
}
