import EaselTestTags
import Foundation
import Testing

@testable import EaselCLI

/// Completions and the manual page are made from the parser's own tables.
@Suite(.tags(.alone))
struct ShellTests {
  private static let hasZsh = FileManager.default.isExecutableFile(atPath: "/usr/bin/zsh")
  private static let hasFish = FileManager.default.isExecutableFile(atPath: "/usr/bin/fish")
  private static let hasMan = FileManager.default.isExecutableFile(atPath: "/usr/bin/groff")

  private func output(_ program: String, _ arguments: [String]) throws -> (status: Int32, text: String) {
    let outcome = try Child.run([program] + arguments)
    return (outcome.status, outcome.text + outcome.errors)
  }

  /// The words that bash offers to complete the last word of a command line.
  private func offered(_ words: String...) throws -> [String] {
    let script = try EaselProcess.run(["completion", "bash"]).text
    let list = words.map { "'\($0)'" }.joined(separator: " ")
    let result = try output(
      "bash",
      [
        "-c",
        "\(script)\nCOMP_WORDS=(\(list)); COMP_CWORD=\(words.count - 1); _easel; printf '%s\\n' \"${COMPREPLY[@]}\"",
      ])
    #expect(result.status == 0, "\(result.text)")
    return result.text.split(separator: "\n").map(String.init)
  }

  @Test func bashCompletes() throws {
    #expect(try offered("easel", "co") == ["convert", "completion"])
    #expect(try offered("easel", "convert", "--res") == ["--resize"])
    #expect(try offered("easel", "convert", "--mode", "fo") == ["force"])
    #expect(try offered("easel", "convert", "--gravity", "north-") == ["north-east", "north-west"])
    #expect(try offered("easel", "cache", "s") == ["stat"])
    #expect(try offered("easel", "completion", "") == ["bash", "zsh", "fish"])
    #expect(try offered("easel", "help", "vi") == ["view"])
    #expect(try offered("easel", "convert", "--mode", "=", "fi") == ["fit", "fill", "fill-down"])
    for command in Program.commands {
      let all = try offered("easel", command.description.name, "--")
      #expect(all == command.description.allOptions.map(\.spelling))
    }
  }

  @Test func bashOffersPicturesAndFolders() throws {
    try Scratch.with { scratch in
      for name in ["a.png", "B.JPG", "notes.txt"] { _ = try scratch.write(Data(), name) }
      try FileManager.default.createDirectory(at: scratch.url("sub"), withIntermediateDirectories: true)
      let start = scratch.directory.path + "/"
      for command in ["info", "convert", "optimize"] {
        #expect(try offered("easel", command, start).sorted() == ["B.JPG", "a.png", "sub"].map { start + $0 })
      }
      #expect(try offered("easel", "watch", start) == [start + "sub"])
    }
  }

  @Test(
    .enabled(if: hasZsh, "zsh is not installed, so that its completions are not tried."),
    .enabled(if: Tmux.isInstalled, "\(Tmux.skipReason)"))
  func zshCompletes() throws {
    try Scratch.with { scratch in
      _ = try scratch.write(try EaselProcess.run(["completion", "zsh"]).output, "_easel")
      let settings = "PS1='> '; fpath=(\(scratch.directory.path) $fpath); autoload -Uz compinit; compinit -u -D\n"
      _ = try scratch.write(Data(settings.utf8), ".zshrc")
      let shell = try Tmux("ZDOTDIR=\(scratch.directory.path) zsh -o noglobalrcs", columns: 100, rows: 40)
      func isReady(_ screen: String) -> Bool { screen.filter { !$0.isWhitespace } == ">" }
      #expect(try shell.waitForText(isReady))
      func offers(_ line: String, _ answers: String...) throws {
        try shell.press("-l", line)
        try shell.press("Tab", "Tab")
        #expect(try shell.waitForText { screen in answers.allSatisfy(screen.contains) })
        try shell.press("C-u", "C-l")
        #expect(try shell.waitForText(isReady))
      }
      try offers("easel ", "cache", "-- Look at a disk cache", "view")
      try offers("easel cache ", "clear", "list", "remove", "stat", "trim")
      try offers("easel convert --mode ", "fit", "fill", "force", "pad")
      try offers("easel convert --resi", "--resize=")
      // An interactive shell outlives its terminal unless it is told to end.
      try shell.press("-l", "exit")
      try shell.press("Enter")
      #expect(try shell.waitForText { $0.contains("status=0") })
    }
  }

  @Test(.enabled(if: hasFish, "fish is not installed, so that its completions are not tried."))
  func fishCompletes() throws {
    try Scratch.with { scratch in
      let file = try scratch.write(try EaselProcess.run(["completion", "fish"]).output, "easel.fish")
      func offered(_ line: String) throws -> String {
        try output("fish", ["--no-config", "-c", "source \(file); complete -C '\(line)'"]).text
      }
      #expect(try offered("easel convert --res").hasPrefix("--resize\t"))
      #expect(try offered("easel cache ").split(separator: "\n") == ["clear", "list", "remove", "stat", "trim"])
      #expect(try offered("easel ").contains("view\tShow a picture in the terminal."))
      #expect(try offered("easel convert --mode p").hasPrefix("pad\t"))
    }
  }

  @Test func allShellsKnowAllOptions() throws {
    for shell in CompletionCommand.Shell.allCases {
      let script = try EaselProcess.run(["completion", shell.rawValue]).text
      for command in Program.commands {
        #expect(script.contains(command.description.name))
        for option in command.description.allOptions {
          #expect(script.contains(shell == .fish ? "-l \(option.name)" : option.spelling))
        }
      }
    }
    #expect(try EaselProcess.run(["completion", "csh"]).status == 2)
  }

  @Test func theManualHasEverything() throws {
    let page = try EaselProcess.run(["man"]).text.replacingOccurrences(of: "\\-", with: "-")
    for command in Program.commands {
      #expect(page.contains(".SS \(command.description.usage)"))
      for option in command.description.options { #expect(page.contains(".B \(HelpText.spelling(option))\n")) }
    }
    for title in ["NAME", "SYNOPSIS", "EXIT STATUS", "ENVIRONMENT"] { #expect(page.contains(".SH \(title)\n")) }
  }

  @Test(.enabled(if: hasMan, "groff is not installed, so that the manual page is not formatted."))
  func theManualCanBeFormatted() throws {
    try Scratch.with { scratch in
      let file = try scratch.write(try EaselProcess.run(["man"]).output, "easel.1")
      let result = try output("groff", ["-man", "-ww", "-z", "-Tutf8", file])
      #expect(result.status == 0 && result.text.isEmpty, "\(result.text)")
    }
  }
}
