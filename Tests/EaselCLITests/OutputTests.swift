import EaselCore
import EaselSupport
import Foundation
import Testing

@testable import EaselCLI

struct OutputTests {
  @Test func jsonIsReadBack() throws {
    let text = "quote \" backslash \\ line\nbell \u{7} del \u{7F} csi \u{9B} separator \u{2028} snowman ☃ 𝄞"
    let json: JSON = [
      "text": .string(text), "none": .null, "yes": true, "whole": .integer(-5), "half": .number(0.5),
      "odd": .number(.nan), "list": .array([.integer(1), .string("")]), "object": ["a": .null],
    ]
    #expect(json.text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F })
    let read = try #require(try JSONSerialization.jsonObject(with: Data(json.text.utf8)) as? [String: Any])
    #expect(read["text"] as? String == text)
    #expect(read["none"] is NSNull && read["odd"] is NSNull)
    #expect(read["half"] as? Double == 0.5 && read["whole"] as? Int == -5 && read["yes"] as? Bool == true)
    #expect((read["list"] as? [Any])?.count == 2)
  }

  @Test func fieldsStayInOrder() {
    #expect(JSON.object([]).text == "{}")
    let json: JSON = ["z": .integer(1), "a": .integer(2)]
    #expect(json.adding(["m": .integer(3)]).text == #"{"z":1,"a":2,"m":3}"#)
  }

  @Test func whatCouldCommandATerminalIsShownInstead() {
    #expect(printable("a\u{1B}[31mb\nc") == "a\\u{1b}[31mb\\u{a}c")
    #expect(printable("right\u{202E}to left") == "right\\u{202e}to left")
    #expect(printable("schön ☃.png") == "schön ☃.png")
    #expect(printable("http://alice:s3cret@host/a.png") == "http://***@host/a.png")
  }

  @Test func quantities() {
    #expect(
      [0, 1, 999, 1000, 1500, 999_949, 999_950, 12_345_678, 2_000_000_000].map(Quantity.bytes) == [
        "0 bytes", "1 byte", "999 bytes", "1 kB", "1.5 kB", "1000 kB", "1 MB", "12.3 MB", "2 GB",
      ])
    let numbers = [(0.0, 2), (1.005, 1), (-0.04, 1), (-1.25, 1), (99.99, 0), (.infinity, 1), (1e300, 4)]
    #expect(
      numbers.map(Quantity.decimals) == ["0.00", "1.0", "0.0", "-1.3", "100", "inf", "1e+300"])
    let times: [Double] = [0, 0.0005, 0.25, 1.25, 59.9, 60, 3600, 86_400, 172_800, 864_000]
    #expect(
      times.map { Quantity.duration(.seconds($0)) } == [
        "0 ms", "0.5 ms", "250 ms", "1.3 s", "59.9 s", "1 min", "1 h", "24 h", "2 days", "10 days",
      ])
  }

  @Test(arguments: [
    ("photo.png", "photo"), ("dir.x/photo", "photo"), ("a/b/c.tar.gz", "c.tar"), (".hidden", "hidden"), ("-", "stdin"),
    ("http://host/a%20b.png?x=1/2#y", "a b"), ("http://host/", "host"), ("http://host/a%2Fb.png", "a%2Fb"),
    ("http://host/%00%0a.png", "%00%0a"), ("data:image/png;base64,AAAA", "data"), ("..", "picture"),
    ("http://host/..", "picture"), ("http://host/%zz.png", "%zz"),
  ])
  func namesOfFiles(_ word: String, _ stem: String) { #expect(FileNames.stem(of: word) == stem) }

  @Test func namesAreNeverTakenTwice() {
    var names = FileNames()
    #expect(["a/x.png", "b/x.jpg", "x-2.png", "x.gif"].map { names.next(for: $0) } == ["x", "x-2", "x-2-2", "x-3"])
    #expect(FileNames.stem(of: String(repeating: "ä", count: 300)).utf8.count == 200)
  }

  @Test func linesComeInTheOrderOfTheInputs() {
    let lines = OrderedLines()
    let seen = Locked<[Int]>([])
    for index in [2, 0, 3, 1] { lines.add(index) { seen.withLock { $0.append(index) } } }
    #expect(seen.withLock { $0 } == [0, 1, 2, 3])
  }

  @Test func everyNumberIsTakenOnceByThreads() {
    let seen = Locked<[Int]>([])
    forEachInThreads(count: 100, threads: 7) { index in seen.withLock { $0.append(index) } }
    #expect(seen.withLock { $0.sorted() } == Array(0..<100))
    forEachInThreads(count: 0, threads: 3) { _ in Issue.record("There was nothing to do.") }
  }

  @Test func theMiddleOfTimes() {
    #expect(Stopwatch.median([.seconds(3), .seconds(1), .seconds(2)]) == .seconds(2))
    #expect(Stopwatch.median([.seconds(1), .seconds(4), .seconds(2), .seconds(3)]) == .seconds(2.5))
    #expect(Stopwatch.median([]) == .zero)
  }
}
