import Easel
import EaselTerminal
import Glibc

/// Shows a picture in the terminal: a still picture once, an animation until it ends or a key is pressed.
final class Viewer {
  private enum Event {
    case time
    case key
    case signal(Int32)
  }

  private let terminal: Terminal
  private let signals: SignalPipe
  private let graphics: TerminalGraphics
  private var window: TerminalWindow
  private let cell: PixelSize?
  private let decode: (PixelSize) throws -> Image
  private let clock = SystemClock()
  private var image: Image
  /// The drawing on the screen.
  private var drawn: TerminalDrawing?

  init(
    on terminal: Terminal, signals: SignalPipe, graphics: TerminalGraphics?,
    _ decode: @escaping (PixelSize) throws -> Image
  ) throws {
    self.terminal = terminal
    self.signals = signals
    self.decode = decode
    terminal.makeRaw()
    let known: (graphics: TerminalGraphics, cell: PixelSize?) =
      graphics == .blocks || graphics == .shades ? (.blocks, nil) : terminal.capabilities()
    self.graphics = graphics ?? known.graphics
    cell = known.cell
    window = terminal.window
    if let cell { window.cell = cell }
    do {
      image = try decode(window.box(for: self.graphics))
    } catch {
      terminal.restore()
      throw error
    }
  }

  /// Shows the picture; the terminal is restored on return, even after an error.
  func run() throws {
    terminal.write(Array("\u{1B}[?25l".utf8))
    defer { leave() }
    // Pages have no duration, so the first page stays.
    guard let frames = image.frames, frames.count > 1, frames.totalDuration > .zero else {
      return try draw(image.bitmap)
    }
    try play(frames)
  }

  private func play(_ frames: any FrameSource) throws {
    var frames = frames
    let plays = frames.loopCount
    var due = clock.uptime
    var play = 0
    while plays == 0 || play < plays {
      for index in 0..<frames.count {
        try draw(frames.frame(at: index))
        // A late frame is shown at once, but later frames keep their durations.
        due = max(due + frames.duration(at: index), clock.uptime)
        while true {
          let event = wait(until: due)
          if case .time = event { break }
          guard try goOn(after: event) else { return }
          if let fresh = image.frames { frames = fresh }
        }
      }
      play += 1
    }
  }

  /// Handles a key or a signal; returns false if the viewer must close.
  private func goOn(after event: Event) throws -> Bool {
    guard case .signal(let signal) = event else { return false }
    switch signal {
    case SIGWINCH:
      window = terminal.window
      if let cell { window.cell = cell }
      image = try decode(window.box(for: graphics))
      // Only the terminal knows the new place of the old frame, so the screen is cleared.
      terminal.write(Array("\u{1B}[2J\u{1B}[H".utf8))
      drawn = nil
    case SIGTSTP:
      leave()
      SignalPipe.deliver(signal)
      terminal.makeRaw()
      terminal.write(Array("\u{1B}[?25l".utf8))
      drawn = nil
    default:
      leave()
      SignalPipe.deliver(signal)
      return false
    }
    return true
  }

  private func draw(_ bitmap: Bitmap) throws {
    let size = bitmap.size.thumbnail(in: window.box(for: graphics))
    let drawing = try TerminalDrawing(try bitmap.resized(to: size), in: window, by: graphics)
    terminal.write((drawn?.rewinding ?? []) + drawing.bytes)
    drawn = drawing
  }

  private func wait(until due: Duration) -> Event {
    while true {
      var events = [
        pollfd(fd: terminal.descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: signals.descriptor, events: Int16(POLLIN), revents: 0),
      ]
      let left = due - clock.uptime
      // The time is rounded up, because waking too early would only mean waiting again.
      let milliseconds = left <= .zero ? 0 : Int32(clamping: Int((left / .milliseconds(1)).rounded(.up)))
      let count = poll(&events, 2, milliseconds)
      if count == 0 { return .time }
      if count < 0 { continue }
      if events[1].revents != 0 { return .signal(signals.next()) }
      _ = terminal.readKeys()
      return .key
    }
  }

  private func leave() {
    terminal.write(Array("\u{1B}[0m\u{1B}[?25h".utf8))
    terminal.restore()
  }
}
