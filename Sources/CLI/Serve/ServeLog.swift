import EaselCore
import EaselService
import EaselSupport

/// The log of requests that the present settings want.
final class ServeLog: Sendable {
  private struct Style: Equatable {
    let form: ServeSettings.LogForm
    let level: RequestLog.Level
    let showsPaths: Bool

    init(_ settings: ServeSettings) {
      (form, level, showsPaths) = (settings.log, settings.logLevel, settings.logsURLs)
    }

    func log() -> RequestLog? {
      switch form {
      case .text: RequestLog(.text, level: level, showsPaths: showsPaths)
      case .json: RequestLog(.json, level: level, showsPaths: showsPaths)
      case .off: nil
      }
    }
  }

  private struct Former {
    weak var log: RequestLog?
  }

  private struct State {
    var style: Style
    var log: RequestLog?
    /// The logs that requests still write to which began before the settings changed.
    var former: [Former] = []
  }

  private let state: Locked<State>

  init(_ settings: ServeSettings) {
    let style = Style(settings)
    state = Locked(State(style: style, log: style.log()))
  }

  /// Nil if no requests are logged.
  var current: RequestLog? { state.withLock { $0.log } }

  /// Begins another log if the settings want one.
  func follow(_ settings: ServeSettings) {
    let style = Style(settings)
    guard state.withLock({ $0.style != style }) else { return }
    // It starts a thread, which is nothing to do under a lock.
    let log = style.log()
    let old = state.withLock { state in
      let old = state.log
      state.former = state.former.filter { $0.log != nil } + [Former(log: old)]
      (state.style, state.log) = (style, log)
      return old
    }
    withExtendedLifetime(old) {}
  }

  /// Writes what is queued, for a second at most.
  func close() {
    let logs = state.withLock { state in [state.log] + state.former.map(\.log) }
    for log in logs { log?.close() }
  }
}
