import Easel
import Testing

@testable import EaselCLI

struct ArgumentParserTests {
  private static let flag = Option<Bool>.flag("quiet", letter: "q", "Say nothing.")
  private static let text = Option<String>.text("output", letter: "o", "FILE", "Where to.")
  private static let number = Option<Int>.integer("jobs", "N", in: 1...8, "How many.")
  private static let many = Option<String>(
    OptionDescription(name: "header", letter: "H", placeholder: "K:V", help: "A field.", mayRepeat: true)
  ) { $0 }

  private static let renamed = Option<String>(
    OptionDescription(
      name: "way", formerName: "path", placeholder: "WAY", help: "How.", formerValues: ["old": "new"])
  ) { $0 }

  private let command = CommandDescription(
    name: "test", summary: "Test.", operands: .inputs,
    options: [flag.description, text.description, number.description, many.description, renamed.description],
    examples: [])

  private func parse(_ words: String...) throws(UsageError) -> Arguments {
    try ArgumentParser(command).parse(words)
  }

  private func message(_ words: String...) -> String? {
    do throws(UsageError) {
      let arguments = try ArgumentParser(command).parse(words)
      _ = try arguments.value(Self.text)
      _ = try arguments.value(Self.number)
      return nil
    } catch {
      return error.message
    }
  }

  @Test(arguments: [
    ["--output", "x"], ["--output=x"], ["-o", "x"], ["-ox"],
  ])
  func spellingsOfAValue(_ words: [String]) throws {
    let arguments = try ArgumentParser(command).parse(words + ["in"])
    #expect(try arguments.value(Self.text) == "x")
    #expect(arguments.operands == ["in"])
  }

  @Test func valueMayHoldEqualSignsAndDashes() throws {
    #expect(try parse("--output=a=b", "in").value(Self.text) == "a=b")
    #expect(try parse("--output", "-5", "in").value(Self.text) == "-5")
    #expect(try parse("--output=--quiet", "in").value(Self.text) == "--quiet")
  }

  @Test func formerWordsMeanThePresentOnesAndSaySo() throws {
    let present = try parse("--way", "new", "in")
    #expect(try present.value(Self.renamed) == "new" && present.notes.isEmpty)
    let former = try parse("--path=old", "in")
    #expect(try former.value(Self.renamed) == "new")
    #expect(former.notes == ["--path is called --way now.", "--way old is called new now."])
    #expect(message("--path", "a", "--way", "b", "in")?.contains("only once") == true)
  }

  @Test func operandsStayInOrderAroundOptions() throws {
    let arguments = try parse("a", "--quiet", "b", "-", "c")
    #expect(arguments.operands == ["a", "b", "-", "c"])
    #expect(arguments.has(Self.flag))
  }

  @Test func afterTwoDashesEverythingIsAnOperand() throws {
    let arguments = try parse("--", "--quiet", "-o", "--")
    #expect(arguments.operands == ["--quiet", "-o", "--"])
    #expect(!arguments.has(Self.flag))
  }

  @Test func repeatedOptionsKeepTheirOrder() throws {
    #expect(try parse("-H", "a", "--header=b", "in").values(Self.many) == ["a", "b"])
  }

  @Test func mistakesAreExplained() {
    #expect(message("--otput", "x", "in") == "test has no option --otput. Did you mean --output?")
    #expect(message("--xyzzyx", "in") == "test has no option --xyzzyx.")
    #expect(message("-x", "in") == "test has no option -x.")
    #expect(message("--quiet=yes", "in") == "--quiet takes no value.")
    #expect(message("-qo", "in") == "-q takes no value. Write each option as a word of its own.")
    #expect(message("in", "--output") == "--output needs a text that is not empty.")
    #expect(message("in", "--output", "--quiet")?.contains("--quiet is an option") == true)
    #expect(message("in", "-o", "a", "-o", "b") == "--output may be given only once.")
    #expect(message("in", "--jobs", "9") == "--jobs needs a whole number from 1 to 8, not '9'.")
    #expect(message("in", "--output=") == "--output needs a text that is not empty, not ''.")
    #expect(message() == "test needs at least one INPUT.")
    #expect(message("in") == nil)
  }

  @Test func surplusOperandsAreRefused() {
    let command = CommandDescription(name: "one", summary: "", operands: .oneInput, options: [], examples: [])
    #expect(throws: UsageError("one does not take the extra argument 'b'.")) {
      try ArgumentParser(command).parse(["a", "b"])
    }
  }

  @Test func helpNeedsNothingElse() throws {
    #expect(try parse("--help").has(CommandDescription.help))
    #expect(try parse("-h").has(CommandDescription.help))
  }

  @Test(arguments: [
    ("320x240", 320, 240), ("320", 320, 320), ("320x0", 320, 0), ("320x", 320, 0), ("x240", 0, 240), ("1X2", 1, 2),
  ])
  func sizes(_ text: String, _ width: Int, _ height: Int) {
    #expect(PixelSize(reading: text) == PixelSize(width: width, height: height))
  }

  @Test(arguments: ["", "x", "0", "0x0", "-5", "-5x5", "5x5x5", "axb", "99999999", "5 x 5", "+5x5", "5.5x5"])
  func noSizes(_ text: String) { #expect(PixelSize(reading: text) == nil) }

  @Test func amounts() throws {
    let bytes = Option<Int>.bytes("b", "")
    #expect(["10", "10k", "2M", "1G"].map(bytes.read) == [10, 10_000, 2_000_000, 1_000_000_000])
    #expect(["", "k", "1.5k", "-1", "9999999999999G", "1kk"].map(bytes.read) == [nil, nil, nil, nil, nil, nil])
    let time = Option<Duration>.time("t", "")
    #expect(["5", "1.5s", "2m", "1h", "1d"].map(time.read) == [5, 1.5, 120, 3600, 86_400].map { .seconds($0) })
    #expect(["", "m", "-1", "1w", "1e9", "99999999999d"].map(time.read) == [nil, nil, nil, nil, nil, nil])
    let number = Option<Double>.number("n", "N", in: -10...10, "", "")
    #expect(["-2.5", "0x1p3", "nan", "1e1", "11"].map(number.read) == [-2.5, nil, nil, nil, nil])
  }

  @Test func colours() {
    #expect(PixelColor(reading: "#ff8800") == PixelColor(red: 255, green: 136, blue: 0))
    #expect(PixelColor(reading: "80ff8800") == PixelColor(red: 255, green: 136, blue: 0, alpha: 128))
    #expect(PixelColor(reading: "white") == .white && PixelColor(reading: "transparent") == .clear)
    #expect(PixelColor(reading: "#ff88") == nil && PixelColor(reading: "#gg8800") == nil)
  }

  @Test func nearestNames() {
    #expect(NearestName.of("inof", among: ["info", "get"]) == "info")
    #expect(NearestName.of("convrt", among: ["info", "convert"]) == "convert")
    #expect(NearestName.of("completely", among: ["info", "get"]) == nil)
    #expect(NearestName.distance("abc", "acb") == 1)
    #expect(NearestName.distance("", "abc") == 3 && NearestName.distance("abc", "") == 3)
  }

  @Test(arguments: [
    ("photo.png", Input.file("photo.png")), ("-", .standardInput), ("./-", .file("./-")),
    ("http://host/x", .url("http://host/x")), ("HTTPS://host", .url("HTTPS://host")),
    ("data:image/png;base64,x", .url("data:image/png;base64,x")), ("file:/x", .url("file:/x")),
    ("c:/x", .file("c:/x")), ("a:b", .file("a:b")), ("odd:name.png", .file("odd:name.png")), ("", .file("")),
    ("dir/http://x", .file("dir/http://x")),
  ])
  func inputs(_ word: String, _ input: Input) { #expect(Input(word) == input) }
}
