import Foundation
import Testing

/// A separate terminal that shows the program's output.
final class Tmux {
  static let isInstalled = ["/usr/bin/tmux", "/usr/local/bin/tmux"].contains(
    where: FileManager.default.isExecutableFile)
  static let skipReason = "tmux is not installed, so that nothing is shown in a terminal."

  private let socket: String
  private let scratch: URL

  /// Starts a command in a window of this many cells.
  init(_ command: String, columns: Int, rows: Int, environment: [String] = []) throws {
    let name = "easel-\(UUID().uuidString.prefix(8))"
    scratch = FileManager.default.temporaryDirectory.appendingPathComponent(name)
    try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
    socket = scratch.appendingPathComponent("socket").path
    let settings = scratch.appendingPathComponent("settings")
    // The window prints the command's status and stays for a while; after that the server ends in any case.
    try Data("set -g status off\nset -g default-shell /bin/sh\n".utf8).write(to: settings)
    let set = environment.flatMap { ["-e", $0] }
    try run(
      ["-f", settings.path, "new-session", "-d", "-x", "\(columns)", "-y", "\(rows)"] + set
        + ["\(command); echo status=$?; echo terminal=$(stty -a | tr ' ' '\\n' | grep -x -- '-*echo'); sleep 60"])
  }

  deinit {
    _ = try? run(["kill-server"])
    try? FileManager.default.removeItem(at: scratch)
  }

  @discardableResult
  func run(_ arguments: [String]) throws -> String {
    let environment = ProcessInfo.processInfo.environment.filter { !["TMUX", "NO_COLOR"].contains($0.key) }
    return try Child.run(["tmux", "-S", socket] + arguments, environment: environment).text
  }

  /// The text on the screen, with colours.
  func screen() throws -> String { try run(["capture-pane", "-e", "-p"]) }

  /// The text on the screen, without colours.
  func text() throws -> String { try run(["capture-pane", "-p"]) }

  func press(_ keys: String...) throws { try run(["send-keys"] + keys) }

  /// Waits until `condition` holds for the screen with colours; false if it never does.
  func wait(for condition: (String) -> Bool) throws -> Bool { try look(screen, condition) }

  /// Waits until `condition` holds for the screen without colours; false if it never does.
  func waitForText(_ condition: (String) -> Bool) throws -> Bool { try look(text, condition) }

  private func look(_ screen: () throws -> String, _ condition: (String) -> Bool) throws -> Bool {
    let end = Date().addingTimeInterval(60)
    var last = ""
    while Date() < end {
      last = try screen()
      if condition(last) { return true }
      // Another program's drawing sends no notification, so this polls.
      usleep(20_000)
    }
    Issue.record("For a minute the screen did not become what was waited for; it showed last:\n\(last)")
    return false
  }
}
