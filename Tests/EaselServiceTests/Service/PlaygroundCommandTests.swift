import EaselTestPixels
import EaselTestTags
import Testing

@testable import EaselCore
@testable import EaselService

/// The commands that the page shows, as a shell reads them when they are pasted.
@Suite(.tags(.alone))
struct PlaygroundCommandTests {
  private func texts(_ source: String, options: String = "", format: String = "") throws -> [String: String] {
    let rules = try SourceRules(allowing: [], folder: true)
    return try PlaygroundVisitor { $0.sources = rules }.texts(source, options: options, format: format)
  }

  /// The words that a shell hands to the program; a command within a word would print more.
  private func words(_ command: String) throws -> [String] {
    let program = "easel() { for word; do printf '%s\\0' \"$word\"; done; }\n"
    let output = try #require(Process.output(of: ["sh", "-c", program + command], input: []))
    return output.split(separator: 0, omittingEmptySubsequences: false).dropLast().map {
      String(decoding: $0, as: UTF8.self)
    }
  }

  @Test(arguments: [
    "a.jpg", "my photo.jpg", "it's.jpg", "\"quoted\".jpg", "$(echo hit).jpg", "`echo hit`.jpg", "a;echo hit", "-o",
    "--help", "a\\", "*", "~", "!!", "#a", "a&b|c<d>e", "$HOME", "https://host/a", "data:,a", "f\u{fc}r.jpg", "'", "''",
    "a'\u{301}; echo hit; '\u{301}b.jpg",
  ])
  func theNameOfAFileIsOneWord(_ name: String) throws {
    let texts = try self.texts("local:///\(name)", options: "rs:fit:20:20/", format: "@jpg")
    let words = try self.words(#require(texts["command"]))
    #expect(words.dropFirst(3).map(ByteText.init) == ["./\(name)", "-o", "picture.jpg"].map(ByteText.init))
    #expect(words.prefix(2) == ["convert", "--transform"] && words[2].hasPrefix("Resize({20,20},4,4,1)-Encode(jpeg,"))
    #expect(texts["hint"]?.contains("--local") == true)
  }

  @Test(arguments: [
    ("https://host/a.jpg", "https://host/a.jpg"), ("https://host/a;echo hit", "https://host/a;echo%20hit"),
    ("https://host/a'b.jpg?x=1&y=$(echo hit)", "https://host/a'b.jpg?x=1&y=$(echo%20hit)"),
    ("https://host/`echo hit`.jpg", "https://host/%60echo%20hit%60.jpg"),
  ])
  func anAddressIsOneWord(_ address: String, _ word: String) throws {
    let texts = try self.texts(address, options: "rs:fit:20:20/")
    #expect(try words(#require(texts["command"])).dropFirst(3).first == word)
    #expect(texts["hint"] == "")
  }

  @Test(arguments: ["a\nb.jpg", "a\u{3}rm\n", "\u{1B}[201~a", "a\u{9B}b", "a\tb", "a\u{7F}"])
  func aTerminalGetsNothingThatItObeys(_ name: String) throws {
    let texts = try self.texts("local:///\(name)")
    #expect(texts["command"] == nil && texts["swift"] == nil && texts["url"] != nil)
    #expect(texts["hint"]?.contains("terminal") == true)
  }

  @Test func theCommandReadsThePictureAsTheServerDoes() throws {
    let texts = try self.texts("https://host/a", options: "ar:0/rs:fit:20:20/q:50/", format: "@webp")
    let words = try self.words(#require(texts["command"]))
    #expect(words[2] == "Resize({20,20},4,4,1)-Orientation(raw)-Encode(webp,q50,quality-scale:1)")
    #expect(texts["swift"]?.contains("DecodeOptions(appliesOrientation: false, keeps16Bits: false)") == true)
  }

  @Test(arguments: ["pg:2/", "raw:1/", "wm:0.5:ce/"])
  func whatTheProgramCannotDoHasNoCommand(_ options: String) throws {
    let texts = try self.texts("https://host/a", options: options)
    #expect(texts["command"] == nil && texts["hint"]?.isEmpty == false && texts["url"] != nil)
  }

  @Test(arguments: [
    ("a\"b", "\"a\\\"b\""), ("a\\(b)", "\"a\\\\(b)\""), ("a\nb\u{7F}", "\"a\\u{a}b\\u{7f}\""), ("\u{e4}", "\"\u{e4}\""),
  ])
  func aLiteralOfSwiftHasNoMeaningWithin(_ text: String, _ literal: String) {
    #expect(PlaygroundCode.swiftQuoted(text) == literal)
  }
}

/// A text whose bytes count: a letter with an accent is not the same as the two of them.
private struct ByteText: Equatable {
  let bytes: [UInt8]
  init(_ text: String) { bytes = Array(text.utf8) }
}
