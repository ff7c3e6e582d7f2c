import EaselTestSupport
import EaselTestTags
import Foundation
import Testing

/// Runs the program in a terminal while a server stalls.
@Suite(.tags(.alone), .enabled(if: Tmux.isInstalled, "\(Tmux.skipReason)"))
struct ProgressInATerminalTests {
  private func show(
    _ options: String = "", names: [String] = ["half.png"], columns: Int = 100, variable: String = "",
    _ body: (Tmux, ScriptableServer, Scratch) throws -> Void
  ) throws {
    let routes = Dictionary(
      uniqueKeysWithValues: names.map { ("/\($0)", ServerRoute.always(.stalling(after: 500, of: 1000))) })
    let server = try ScriptableServer(routes: routes)
    defer { server.close() }
    try Scratch.with { scratch in
      let urls = names.map { "\(server.origin)/\($0)" }.joined(separator: " ")
      let command = "exec env \(variable) \(EaselProcess.path) get --no-cache \(options) \(urls)"
      let terminal = try Tmux(
        "sh -c 'echo $$ > \(scratch.path("pid")); \(command)'", columns: columns, rows: 12)
      try body(terminal, server, scratch)
    }
  }

  private func cursor(_ terminal: Tmux) throws -> String {
    try terminal.run(["display-message", "-p", "#{cursor_flag}"])
  }

  @Test(arguments: ["", "--data-only"]) func aLineForEachTransferAndOneForAll(_ option: String) throws {
    try show("--timeout 50 \(option)", names: ["half.png", "other.png"], columns: 130) { (terminal, server, _) throws in
      #expect(
        try terminal.waitForText { text in
          ["half.png", "other.png"].allSatisfy { name in
            text.split(separator: "\n").contains {
              $0.hasPrefix("\(server.origin)/\(name) ")
                && $0.contains("[==========          ]  50 %  500 bytes of 1 kB")
            }
          } && text.contains("0 of 2 pictures")
        })
      #expect(try cursor(terminal) == "0\n")
      // Frames at the top of the screen leave nothing above it.
      #expect(try terminal.run(["display-message", "-p", "#{history_size}"]) == "0\n")
      // In the end the lines are gone, and the failures are there.
      server.close()
      #expect(try terminal.waitForText { $0.contains("status=1") && !$0.contains("[") && !$0.contains("of 2") })
      #expect(try cursor(terminal) == "1\n")
    }
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
  func aSignalShowsTheCursorAgain(_ signal: Int32) throws {
    try show("--timeout 50") { (terminal, _, scratch) throws in
      #expect(try terminal.waitForText { $0.contains(" 50 %") })
      let text = String(decoding: try scratch.data("pid"), as: UTF8.self)
      let process = try #require(Int32(text.dropLast()))
      #expect(kill(process, signal) == 0)
      #expect(try terminal.waitForText { $0.contains("status=\(128 + signal)") && $0.contains("terminal=echo") })
      #expect(try cursor(terminal) == "1\n")
    }
  }

  @Test func inANarrowTerminalNamesLoseTheirMiddle() throws {
    try show("--timeout 50", names: ["a-very-long-name-of-a-picture.png"], columns: 30) { (terminal, _, _) throws in
      #expect(try terminal.waitForText { $0.contains("…") && $0.contains(".png") && $0.contains(" 50 %") })
      // A window made narrower wraps the old lines; the new ones fit again.
      try terminal.run(["resize-window", "-x", "24", "-y", "12"])
      #expect(
        try terminal.waitForText { text in
          let lines = text.split(separator: "\n").filter { $0.contains("%") || $0.contains("…") }
          return lines.count == 2 && lines.allSatisfy { $0.count < 24 }
        })
    }
  }

  @Test(arguments: [("--no-progress", ""), ("", "TERM=dumb")])
  func withoutProgress(_ option: String, _ variable: String) throws {
    // Lines would be there after less than half a second.
    try show("--timeout 1 \(option)", variable: variable) { (terminal, server, _) throws in
      var hasShown = false
      #expect(
        try terminal.waitForText { text in
          hasShown = hasShown || text.contains("0 of 1")
          return text.contains("status=1")
        })
      #expect(!hasShown)
    }
  }
}

@Suite(.tags(.alone))
struct PlainProgressTests {
  @Test(arguments: ["xterm", "dumb"]) func nothingButTheLinesGoesIntoAPipe(_ term: String) throws {
    let server = try ScriptableServer(routes: ["/a.png": .always(.stalling(after: 10, of: 1000))])
    defer { server.close() }
    let outcome = try EaselProcess.run(
      ["get", "--no-cache", "--timeout", "0.7", server.origin + "/a.png"], environment: ["TERM": term])
    #expect(outcome.status == 1 && outcome.output.isEmpty)
    #expect(outcome.errors.split(separator: "\n").count == 1 && !outcome.errors.contains("\u{1B}"))
  }
}
