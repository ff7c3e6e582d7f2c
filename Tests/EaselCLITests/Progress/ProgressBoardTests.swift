import Testing

@testable import EaselCLI

struct ProgressBoardTests {
  private func board(_ total: Int = 3) -> ProgressBoard { ProgressBoard(total: total, unit: "pictures", at: .zero) }

  @Test func aTransferHasItsRateAndTheTimeLeft() {
    var board = board()
    board.begin(0, "http://host/a.png", at: .zero)
    for second in 1...3 { board.progress(0, second * 1_000_000, 9_000_000, at: .seconds(second)) }
    let lines = board.lines(columns: 120, rows: 24, at: .seconds(3))
    #expect(
      lines == [
        "http://host/a.png" + String(repeating: " ", count: 25)
          + "[======              ]  33 %  3 MB of 9 MB, 1 MB/s, 6 s left",
        "0 of 3 pictures" + String(repeating: " ", count: 27) + "[                    ]   0 %  3 MB, 1 MB/s",
      ])
  }

  @Test func allThatIsFinishedIsInTheLastLine() {
    var board = board()
    board.begin(0, "a", at: .zero)
    board.progress(0, 500, nil, at: .seconds(1))
    board.end(0, at: .seconds(2))
    #expect(
      board.lines(columns: 100, rows: 24, at: .seconds(2)).last?.hasSuffix(" 33 %  500 bytes, 250 bytes/s, 4 s left")
        == true)
    board.begin(1, "b", at: .seconds(2))
    board.begin(2, "c", at: .seconds(2))
    board.end(1, at: .seconds(2))
    #expect(!board.isFinished)
    board.end(2, at: .seconds(2))
    #expect(board.isFinished && board.finished == 3)
  }

  @Test func aTransferThatStandsStill() {
    var board = board()
    board.begin(0, "a", at: .zero)
    #expect(board.lines(columns: 80, rows: 9, at: .seconds(1))[0].hasSuffix("] waiting"))
    board.progress(0, 700, 1000, at: .seconds(1))
    #expect(board.lines(columns: 80, rows: 9, at: .seconds(9))[0].hasSuffix(" 70 %  700 bytes of 1 kB, stalled"))
  }

  @Test(arguments: [1, 2, 5, 10, 20, 30, 40, 60, 80, 200], [1, 2, 3, 24])
  func everythingFitsIntoTheTerminal(_ columns: Int, _ rows: Int) {
    var board = board(30)
    for index in 0..<20 {
      board.begin(index, "http://host/日本語の写真/\(index)-e\u{301}👩‍👩‍👧.png", at: .zero)
      board.progress(index, index * 1_234_567, index % 3 == 0 ? nil : 99_999_999, at: .seconds(5))
    }
    let lines = board.lines(columns: columns, rows: rows, at: .seconds(5))
    #expect(lines.count <= max(1, rows - 1))
    for line in lines { #expect(TextWidth.cells(of: line) < max(2, columns), "\(line)") }
    #expect(lines.last?.contains("…") == true || lines.last?.contains("0 of 30") == true || columns < 4)
    #expect(columns < 120 || lines.last?.contains(" running") == true)
  }

  @Test func workWithoutBytesHasARateOfPieces() {
    var board = ProgressBoard(total: 10, unit: "pictures", countsBytes: false, at: .zero)
    for second in 1...4 { board.end(second, at: .seconds(second)) }
    let line = board.lines(columns: 100, rows: 24, at: .seconds(4))
    #expect(line.count == 1 && line[0].hasSuffix(" 40 %  1.0/s, 6 s left"))
  }

  @Test func namesOfTerminalsAreSafe() {
    var board = board()
    board.begin(0, "a\u{1B}[2Jb", at: .zero)
    #expect(board.lines(columns: 80, rows: 9, at: .zero)[0].hasPrefix("a\\u{1b}[2Jb"))
  }
}

struct TextWidthTests {
  @Test(arguments: [
    ("abc", 3), ("日本", 4), ("e\u{301}", 1), ("👩‍👩‍👧", 2), ("…", 1), ("", 0), ("\u{200B}", 0), ("ﾊﾝ", 2), ("한글", 4),
    ("☃", 1),
  ])
  func cells(_ text: String, _ count: Int) { #expect(TextWidth.cells(of: text) == count) }

  @Test(arguments: [
    ("abcdefghij", 10, "abcdefghij"), ("abcdefghij", 9, "abcd…ghij"), ("abcdefghij", 8, "abc…ghij"),
    ("abcdefghij", 2, "…j"), ("abcdefghij", 1, "…"), ("abcdefghij", 0, ""), ("日本語日本語", 7, "日…本語"),
  ])
  func theMiddleIsLeftOut(_ text: String, _ room: Int, _ short: String) {
    #expect(TextWidth.shortened(text, to: room) == short)
  }

  @Test func theEndIsCut() {
    #expect(TextWidth.cut("日本語", to: 3) == "日" && TextWidth.cut("abc", to: 0).isEmpty)
    #expect(TextWidth.padded("日", to: 4) == "日  " && TextWidth.padded("abc", to: 2) == "abc")
  }
}

struct RateMeterTests {
  @Test func theRateIsThatOfTheLastSeconds() {
    var meter = RateMeter()
    #expect(meter.rate(at: .zero) == nil)
    for second in 0...20 {
      meter.add(Double(second < 10 ? second * 100 : 1000 + (second - 10) * 10), at: .seconds(second))
    }
    #expect(meter.rate(at: .seconds(20)) == 10)
    #expect(meter.rate(at: .seconds(30)) == 0)
    meter.add(3, at: .seconds(30))
    #expect(meter.rate(at: .seconds(30)) == nil, "A transfer that begins anew has no rate yet.")
  }

  @Test func fewSamplesAreKept() {
    var meter = RateMeter()
    for index in 0..<100_000 { meter.add(Double(index), at: .microseconds(index * 100)) }
    #expect(abs((meter.rate(at: .seconds(10)) ?? 0) - 10_000) < 1)
  }
}
