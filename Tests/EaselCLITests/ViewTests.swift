import Easel
import EaselTestSupport
import EaselTestTags
import Foundation
import Testing

@testable import EaselTerminal

@Suite(.tags(.alone))
struct ViewTests {
  @Test func withoutATerminalThePictureIsWritten() throws {
    let outcome = try EaselProcess.run(["view", "-", "--columns", "20"], input: try Pictures.png(40, 20))
    #expect(outcome.status == 0 && outcome.errors.isEmpty)
    #expect(outcome.lines.count == 5)
    #expect(outcome.lines[0].filter { $0 == "▀" }.count == 20)
  }

  @Test func everyWayOfDrawing() throws {
    let data = try Pictures.png(8, 4)
    func drawn(_ graphics: String) throws -> String {
      try EaselProcess.run(["view", "-", "--graphics", graphics], input: data).text
    }
    #expect(try drawn("kitty").hasPrefix("\u{1B}_Ga=T,f=32,s=8,v=4,"))
    #expect(try drawn("sixel").hasPrefix("\u{1B}P0;1;0q\"1;1;8;4"))
    #expect(try drawn("blocks").contains("\u{1B}[38;2;"))
    #expect(try !drawn("shades").contains("\u{1B}"))
    #expect(try EaselProcess.run(["view", "-", "--graphics", "ascii"], input: data).status == 2)
  }

  @Test func withoutColours() throws {
    let data = try Pictures.png(8, 4)
    let plain = try EaselProcess.run(["view", "-"], input: data, environment: ["NO_COLOR": "1"])
    #expect(plain.status == 0 && !plain.text.contains("\u{1B}") && plain.lines.count == 2)
    let empty = try EaselProcess.run(["view", "-"], input: data, environment: ["NO_COLOR": ""])
    #expect(empty.text.contains("\u{1B}[38;2;"))
  }

  @Test func aBackground() throws {
    let data = try Pictures.png(2, 2, alpha: 0)
    #expect(try EaselProcess.run(["view", "-"], input: data).text == "  \u{1B}[0m\n")
    let red = try EaselProcess.run(["view", "-", "--background", "#ff0000"], input: data)
    #expect(red.text == "\u{1B}[38;2;255;0;0m\u{1B}[48;2;255;0;0m▀▀\u{1B}[0m\n")
  }

  @Test func failuresAreTold() throws {
    let outcome = try EaselProcess.run(["view", "/nowhere.png"])
    #expect(outcome.status == 1 && outcome.output.isEmpty)
    #expect(outcome.errors.contains("/nowhere.png: Could not open /nowhere.png"))
    let large = try EaselProcess.run(["view", "-", "--max-pixels", "3"], input: try Pictures.png(2, 2))
    #expect(large.status == 1 && large.errors.contains("over the limit of 3 pixels"))
  }
}

/// Runs the program in a terminal that records its drawing.
@Suite(.tags(.alone), .enabled(if: Tmux.isInstalled, "\(Tmux.skipReason)"))
struct ViewInATerminalTests {
  private func show(
    _ data: Data, _ options: String = "", columns: Int = 40, rows: Int = 12, _ body: (Tmux, Scratch) throws -> Void
  ) throws {
    try Scratch.with { scratch in
      let path = try scratch.write(data, "a.png")
      let terminal = try Tmux(
        "\(EaselProcess.path) view \(options) \(path)", columns: columns, rows: rows)
      try body(terminal, scratch)
    }
  }

  /// A picture of one colour, which no other test uses.
  private func flat(_ size: Int, _ color: (UInt8, UInt8, UInt8)) throws -> Bitmap {
    var bitmap = try Bitmap(size: PixelSize(width: size, height: size), format: .rgba8)
    bitmap.withUnsafeMutableBytes { bytes in
      for index in stride(from: 0, to: bytes.count, by: 4) {
        (bytes[index], bytes[index + 1], bytes[index + 2], bytes[index + 3]) = (color.0, color.1, color.2, 255)
      }
    }
    return bitmap
  }

  private func png(_ bitmap: Bitmap) throws -> Data {
    try PNGCoder().encode(Image(bitmap), as: .png, options: EncodeOptions(), work: WorkContext()).data()
  }

  @Test func aStillFitsTheWindowAndTheTerminalIsAsBefore() throws {
    try show(try png(try flat(300, (12, 34, 56)))) { terminal, _ in
      #expect(try terminal.wait { $0.contains("status=0") && $0.contains("terminal=echo") })
      let lines = try terminal.text().split(separator: "\n", omittingEmptySubsequences: false)
      // Twelve rows, one of them for the prompt, leave room for a square of 22 pixels.
      #expect(lines.filter { $0 == String(repeating: "▀", count: 22) }.count >= 9)
      #expect(try terminal.screen().contains("38;2;12;34;56"))
      #expect(try terminal.run(["display-message", "-p", "#{cursor_flag}"]) == "1\n")
    }
  }

  @Test func framesFollowEachOtherInPlace() throws {
    try show(try Pictures.apng(8, 8, frames: 3, loopCount: 2)) { terminal, _ in
      #expect(try terminal.wait { $0.contains("status=0") })
      let lines = try terminal.text().split(separator: "\n").map(String.init)
      #expect(lines.filter { $0.contains("▀") }.count == 4, "Four rows, however often they were drawn.")
      // The last frame stays; its blue is 30.
      #expect(try terminal.screen().contains("38;2;0;0;30"))
    }
  }

  @Test func aKeyEndsWhatNeverEnds() throws {
    try show(try Pictures.apng(8, 8, frames: 3, loopCount: 0)) { terminal, _ in
      #expect(try terminal.wait { $0.contains("38;2;0;0;20") })
      #expect(try !terminal.text().contains("status="))
      try terminal.press("q")
      #expect(try terminal.wait { $0.contains("status=0") && $0.contains("terminal=echo") })
      #expect(try terminal.run(["display-message", "-p", "#{cursor_flag}"]) == "1\n")
    }
  }

  @Test(arguments: ["TERM", "INT", "HUP"])
  func aSignalEndsItAndTheTerminalIsAsBefore(_ signal: String) throws {
    try Scratch.with { scratch in
      let path = try scratch.write(try Pictures.apng(8, 8, frames: 3, loopCount: 0), "a.png")
      let mark = scratch.path("pid")
      let terminal = try Tmux(
        "sh -c 'echo $$ > \(mark); exec \(EaselProcess.path) view \(path)'", columns: 40, rows: 12)
      #expect(try terminal.wait { $0.contains("38;2;0;0;20") })
      let process = try #require(Int32(String(decoding: try scratch.data("pid"), as: UTF8.self).dropLast()))
      let number = ["TERM": SIGTERM, "INT": SIGINT, "HUP": SIGHUP][signal]!
      #expect(kill(process, number) == 0)
      #expect(try terminal.wait { $0.contains("status=\(128 + number)") && $0.contains("terminal=echo") })
      #expect(try terminal.run(["display-message", "-p", "#{cursor_flag}"]) == "1\n")
    }
  }

  @Test func aWindowThatChangesIsDrawnAnew() throws {
    let frames = try Pictures.apng(60, 60, frames: 2, loopCount: 0)
    try show(frames, columns: 80, rows: 40) { terminal, _ in
      #expect(try terminal.wait { $0.contains(String(repeating: "▀", count: 1)) })
      try terminal.run(["resize-window", "-x", "20", "-y", "10"])
      let row = String(repeating: "▀", count: 18)
      #expect(try terminal.waitForText { $0.split(separator: "\n").contains { $0 == row } })
      try terminal.press("x")
      #expect(try terminal.wait { $0.contains("status=0") })
    }
  }

  @Test func aWayOfDrawingCanBeChosen() throws {
    try show(try png(try flat(4, (255, 255, 255))), "--graphics shades") { terminal, _ in
      let isOver = try terminal.wait { $0.contains("status=0") }
      let text = try terminal.text()
      #expect(isOver && text.hasPrefix("████\n████\n"))
    }
  }
}
