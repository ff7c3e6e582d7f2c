import EaselTestTags
import Foundation
import Testing

/// The program knows the formats of helpers that are installed, and no others.
///
/// The helper is the worker that misbehaves on command; its pictures have 40x30 pixels.
@Suite(.tags(.alone))
struct HelperTests {
  /// A directory with the card of the helper, a file of its format, and the environment in which the program finds it.
  private func with(_ body: (Scratch, _ file: String, _ environment: [String: String]) throws -> Void) throws {
    try Scratch.with { scratch in
      let file = try scratch.write(Data("EASEL-MISDEED nothing 0".utf8), "a.mis")
      try Self.install(in: scratch.directory)
      try body(scratch, file, ["EASEL_HELPERS": scratch.path("cards")])
    }
  }

  /// Writes a card into the directory `cards`.
  static func install(in directory: URL) throws {
    let program = URL(fileURLWithPath: EaselProcess.path).deletingLastPathComponent()
    let cards = directory.appendingPathComponent("cards")
    try FileManager.default.createDirectory(at: cards, withIntermediateDirectories: true)
    let card = """
      coder = misbehaving
      program = \(program.appendingPathComponent("EaselSandboxWorker").path)
      format = image/x-misbehaving mis
      signature = 0 "EASEL-MISDEED "
      """
    try Data(card.utf8).write(to: cards.appendingPathComponent("mis.card"))
    chmod(cards.path, 0o755)
    chmod(cards.appendingPathComponent("mis.card").path, 0o644)
  }

  @Test func everyCommandKnowsTheFormat() throws {
    try with { scratch, file, environment in
      func run(_ commands: [[String]]) throws -> [EaselProcess.Outcome] {
        let outcomes = try EaselProcess.runEach(commands, environment: environment)
        for (words, outcome) in zip(commands, outcomes) { #expect(outcome.status == 0, "\(words): \(outcome.errors)") }
        return outcomes
      }
      let choices = [[], ["--sandbox", "risky"], ["--sandbox", "all"], ["--sandbox", "off"]]
      for (number, options) in choices.enumerated() {
        let (png, raw, folder) = (scratch.path("\(number).png"), scratch.path("\(number)"), scratch.path("in\(number)"))
        let commands: [[String]] = [
          ["info", "--json", file], ["get", "--json", "--no-cache", "file://\(file)"], ["convert", file, "-o", png],
          ["thumb", file, "--size", "400", "--dir", folder], ["decode", file, "-o", raw],
          ["view", file, "--graphics", "shades", "--columns", "20"],
        ]
        let outcomes = try run(commands.map { $0 + options })
        let header = try outcomes[0].object()
        #expect(header["format"] as? String == "mis" && header["width"] as? Int == 40)
        #expect(try outcomes[1].object()["width"] as? Int == 40)
        #expect(try run([["info", "--json", png] + options])[0].object()["width"] as? Int == 40)
      }
    }
  }

  @Test func theListsNameTheFormat() throws {
    try with { _, _, environment in
      let formats = try EaselProcess.run(["formats"], environment: environment)
      #expect(formats.text.contains("mis: reads; image/x-misbehaving; .mis"))
      let entry = try EaselProcess.run(["thumbnail", "--entry"], environment: environment)
      #expect(entry.text.contains("image/x-misbehaving"))
    }
  }

  @Test func withoutTheCardNothingChanges() throws {
    try with { scratch, file, _ in
      for environment in [["EASEL_HELPERS": ""], ["EASEL_HELPERS": scratch.path("none")]] {
        let outcome = try EaselProcess.run(["info", "--json", file], environment: environment)
        #expect(try outcome.errorCode() == "unsupportedFormat")
        #expect(!(try EaselProcess.run(["formats"], environment: environment)).text.contains("misbehaving"))
      }
    }
  }

  @Test func aHelperThatCrashesCostsItsPicture() throws {
    try with { scratch, file, environment in
      let bad = try scratch.write(Data("EASEL-MISDEED crash 0".utf8), "b.mis")
      let outcome = try EaselProcess.run(
        ["thumb", bad, file, "--size", "400", "--dir", scratch.path("thumbs")], environment: environment)
      #expect(outcome.status == 1 && outcome.errors.contains("The coder misbehaving in the sandbox crashed"))
      #expect(FileManager.default.fileExists(atPath: scratch.path("thumbs/a.png")))
    }
  }

  @Test func aCardThatCannotBeUsedIsNamed() throws {
    try with { scratch, _, environment in
      try Data("coder = misbehaving\n".utf8).write(to: scratch.url("cards/z.card"))
      chmod(scratch.path("cards/z.card"), 0o644)
      let outcome = try EaselProcess.run(["formats"], environment: environment)
      #expect(outcome.status == 0 && outcome.errors.contains("z.card is not used: the line program = PATH is missing."))
    }
  }

  @Test func theServerServesTheFormat() async throws {
    try await AsyncScratch.with { scratch in
      try Self.install(in: scratch.directory)
      try Data("EASEL-MISDEED nothing 0".utf8).write(to: scratch.url("a.mis"))
      let program = try await ServeProgram.listening(
        ["--unsafe", "--local", scratch.path], environment: ["EASEL_HELPERS": scratch.path("cards")])
      let answer = try await program.get(ServeProgram.url("w:4", "a.mis") + "@png")
      #expect(answer.status == 200 && answer.headers["Content-Type"] == "image/png", "\(answer.status)")
      #expect(try Pictures.decoded(Data(answer.body)).bitmap.width == 4)
      await program.stop()
    }
  }
}
