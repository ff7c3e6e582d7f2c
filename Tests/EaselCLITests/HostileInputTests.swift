import Easel
import EaselTestCorpus
import EaselTestTags
import Foundation
import Testing

/// For any input the program ends by itself, with an error that names the input.
@Suite(.tags(.alone))
struct HostileInputTests {
  private static let commands = [
    ["info", "--json"], ["info", "--json", "--placeholder"],
    ["decode", "--json", "-o", "/dev/null", "--frames"],
    ["decode", "--json", "-o", "/dev/null", "--allow-partial", "--chunk", "50"],
    ["convert", "--json", "-o", "/dev/null", "--format", "png", "--resize", "9x9"],
  ]

  private func check(_ input: String, stdin: Data = Data(), mustFail: Bool = true) throws {
    let outcomes = try EaselProcess.runEach(Self.commands.map { $0 + [input] }, input: stdin)
    for (command, outcome) in zip(Self.commands, outcomes) {
      #expect(!outcome.wasKilled, "\(command) \(input)")
      #expect(outcome.status == 1 || !mustFail && outcome.status == 0, "\(command) \(input)")
      let object = try outcome.object()
      #expect(object["input"] as? String == input)
      #expect(outcome.errors.isEmpty, "\(outcome.errors)")
      guard outcome.status == 1 else { continue }
      let error = try #require(object["error"] as? [String: Any])
      let names = Set(ImageError.Code.allCases.map(\.name))
      #expect(names.contains(error["code"] as? String ?? "") && !(error["message"] as? String ?? "").isEmpty)
    }
  }

  @Test func noPictures() throws {
    try Scratch.with { scratch in
      try check(scratch.directory.path)
      try check(scratch.path("missing.png"))
      try check(try scratch.write(Data(), "empty.png"))
      try check(try scratch.write(Data("GIF89a".utf8), "short.gif"))
      try check(try scratch.write(Data(repeating: 0xFF, count: 5000), "ff"))
      try check("")
      try check("http://[::broken")
      try check("nowhere://host/x")
      try check("-")
    }
  }

  @Test func sizesThatNobodyHasMemoryFor() throws {
    var data = try Pictures.png(4, 4)
    // The width and height of IHDR, and the checksum that makes them valid.
    data.replaceSubrange(16..<24, with: [0x7F, 0xFF, 0xFF, 0xFF, 0x7F, 0xFF, 0xFF, 0xFF])
    data.replaceSubrange(29..<33, with: Self.sum(data[12..<29]))
    try check("-", stdin: data)
    let raised = try EaselProcess.run(
      ["decode", "-", "--max-pixels", "1000000000000", "-o", "/dev/null", "--json"], input: data)
    #expect(raised.status == 1 && !raised.wasKilled)
  }

  @Test func filesCutAnywhere() throws {
    let data = try Pictures.apng(20, 20, frames: 2)
    for count in stride(from: 1, to: data.count, by: max(1, data.count / 6)) {
      try check("-", stdin: data.prefix(count), mustFail: false)
    }
  }

  @Test(.enabled(if: Corpus.shared != nil, "\(Corpus.skipReason)"))
  func damagedFilesOfStrangers() throws {
    let corpus = try #require(Corpus.shared)
    let damaged = corpus.entries.filter { $0.format == "png" && [.reject, .limit].contains($0.expectation) }
    #expect(!damaged.isEmpty)
    let chosen = damaged.prefix(12)
    let commands = chosen.map { ["decode", corpus.path(of: $0), "-o", "/dev/null", "--json"] }
    let outcomes = try EaselProcess.runEach(commands)
    for (entry, outcome) in zip(chosen, outcomes) {
      #expect(!outcome.wasKilled && outcome.status == 1, "\(entry.path)")
      _ = try outcome.object()
    }
  }

  @Test func aStreamWithoutEnd() throws {
    let outcome = try EaselProcess.run(["info", "--json", "/dev/zero"])
    #expect(outcome.status == 1)
    #expect(try outcome.errorCode() == "limitExceeded")
  }

  @Test func namesCannotCommandTheTerminal() throws {
    let outcome = try EaselProcess.run(["info", "\u{1B}]0;title\u{7}.png"])
    #expect(!outcome.errors.contains("\u{1B}]") && outcome.errors.contains("\\u{1b}]0;title"))
  }

  private static func sum(_ bytes: Data) -> [UInt8] {
    var crc: UInt32 = ~0
    for byte in bytes {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
    }
    return withUnsafeBytes(of: (~crc).bigEndian) { Array($0) }
  }
}
