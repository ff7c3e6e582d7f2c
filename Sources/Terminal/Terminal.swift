import EaselCore
import EaselSupport
import Glibc

/// The terminal of the process; in raw mode, keys arrive at once and are not echoed.
///
/// Closing or releasing the object restores the terminal's previous state.
public final class Terminal: Sendable {
  private let file: Int32
  private let before: termios
  private let isRaw = Locked(false)

  /// Opens the terminal of the process even if its input is redirected; returns nil if there is no terminal.
  public init?() {
    let file = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    guard file >= 0 else { return nil }
    var state = termios()
    guard tcgetattr(file, &state) == 0 else {
      Glibc.close(file)
      return nil
    }
    self.file = file
    before = state
  }

  deinit {
    restore()
    Glibc.close(file)
  }

  /// The current size of the terminal.
  public var window: TerminalWindow { TerminalWindow(of: file) ?? TerminalWindow() }

  /// The descriptor to wait on for keys.
  public var descriptor: Int32 { file }

  /// Makes keys arrive at once and without echo; the keyboard's signals still work.
  public func makeRaw() {
    var state = before
    state.c_lflag &= ~tcflag_t(ICANON | ECHO)
    withUnsafeMutableBytes(of: &state.c_cc) { characters in
      characters[Int(VMIN)] = 0
      characters[Int(VTIME)] = 0
    }
    tcsetattr(file, TCSADRAIN, &state)
    isRaw.withLock { $0 = true }
  }

  /// Restores the previous state, and drops unread input.
  public func restore() {
    let wasRaw = isRaw.withLock { isRaw in
      defer { isRaw = false }
      return isRaw
    }
    guard wasRaw else { return }
    var state = before
    tcsetattr(file, TCSAFLUSH, &state)
  }

  /// Asks the terminal for its capabilities, and waits briefly for the answer; the terminal must be raw.
  public func capabilities(patience: Duration = .milliseconds(500)) -> (graphics: TerminalGraphics, cell: PixelSize?) {
    write(Array(TerminalReplies.question.utf8))
    let clock = SystemClock()
    let deadline = clock.uptime + patience
    var bytes: [UInt8] = []
    var replies = TerminalReplies()
    while !replies.isComplete, bytes.count < 4096 {
      let left = Int32((deadline - clock.uptime) / .milliseconds(1))
      var event = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
      guard left > 0, poll(&event, 1, left) > 0 else { break }
      let more = readKeys()
      guard !more.isEmpty else { break }
      bytes += more
      replies = TerminalReplies(reading: bytes)
    }
    return (replies.graphics, replies.cell)
  }

  /// The keys that were typed since the last call.
  public func readKeys() -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: 256)
    let count = read(file, &buffer, buffer.count)
    return count > 0 ? Array(buffer[..<count]) : []
  }

  /// Writes all bytes.
  public func write(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }
}
