import Foundation

/// A terminal of its own that shows what the program draws.
final class Tmux {
  static let isInstalled = ["/usr/bin/tmux", "/usr/local/bin/tmux"].contains(
    where: FileManager.default.isExecutableFile)
  static let skipReason = "tmux is not installed, so that nothing is shown in a terminal."

  private let socket: String
  private let scratch: URL

  /// Starts a command in a window of so many cells.
  init(_ command: String, columns: Int, rows: Int, environment: [String] = []) throws {
    let name = "easel-\(UUID().uuidString.prefix(8))"
    scratch = FileManager.default.temporaryDirectory.appendingPathComponent(name)
    try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
    socket = scratch.appendingPathComponent("socket").path
    let settings = scratch.appendingPathComponent("settings")
    // The window says what came of the command and stays for a while; the server ends with it, whatever else happens.
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

  /// What is on the screen, with colours.
  func screen() throws -> String { try run(["capture-pane", "-e", "-p"]) }

  /// What is on the screen, without.
  func text() throws -> String { try run(["capture-pane", "-p"]) }

  func press(_ keys: String...) throws { try run(["send-keys"] + keys) }

  /// Looks until `condition` holds; false when it never does.
  func wait(for condition: (String) -> Bool) throws -> Bool { try look(screen, condition) }

  /// The same without colours.
  func waitForText(_ condition: (String) -> Bool) throws -> Bool { try look(text, condition) }

  private func look(_ screen: () throws -> String, _ condition: (String) -> Bool) throws -> Bool {
    let end = Date().addingTimeInterval(60)
    while Date() < end {
      if condition(try screen()) { return true }
      // Nothing tells when another program has drawn.
      usleep(20_000)
    }
    return false
  }
}
