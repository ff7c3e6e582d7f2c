import EaselCore
import Testing

@testable import EaselTerminal

struct TerminalTests {
  private func replies(_ text: String) -> TerminalReplies { TerminalReplies(reading: Array(text.utf8)) }

  @Test func whatTerminalsAnswer() {
    let kitty = replies("\u{1B}_Gi=31;OK\u{1B}\\\u{1B}[6;20;10t\u{1B}[?62;c")
    #expect(kitty.graphics == .kitty && kitty.isComplete && kitty.cell == PixelSize(width: 10, height: 20))
    let xterm = replies("\u{1B}[6;13;6t\u{1B}[?63;1;2;4;6;9c")
    #expect(xterm.graphics == .sixel && xterm.isComplete && xterm.cell == PixelSize(width: 6, height: 13))
    #expect(replies("\u{1B}[?1;2c").graphics == .blocks)
    // The leading 4 is a model number, not a feature.
    #expect(replies("\u{1B}[?4c").graphics == .blocks)
    #expect(replies("\u{1B}_Gi=31;EINVAL:no\u{1B}\\\u{1B}[?62c").graphics == .blocks)
  }

  @Test func halfAnAnswerIsNone() {
    #expect(!replies("").isComplete && !replies("\u{1B}[?62;").isComplete)
    #expect(replies("\u{1B}[6;20").cell == nil && replies("\u{1B}[6;0;0t\u{1B}[6;1t\u{1B}[6;x;yt").cell == nil)
    #expect(replies("q\u{1B}[A\u{1B}").graphics == .blocks)
  }

  @Test func room() {
    let window = TerminalWindow(columns: 80, rows: 25, cell: PixelSize(width: 9, height: 18))
    #expect(window.box(for: .blocks) == PixelSize(width: 80, height: 48))
    #expect(window.box(for: .kitty) == PixelSize(width: 720, height: 432))
    #expect(window.rows(of: PixelSize(width: 5, height: 19), in: .sixel) == 2)
    let tiny = TerminalWindow(columns: 0, rows: 0, cell: PixelSize(width: 0, height: 0))
    #expect(tiny.box(for: .blocks) == PixelSize(width: 1, height: 2) && tiny.cell == TerminalWindow.usualCell)
  }

  @Test func aFileIsNoTerminal() {
    #expect(TerminalWindow(of: -1) == nil)
  }
}
