import Easel
import Testing

@testable import EaselCLI

/// Options from a file.
struct ConfigurationDefaultsTests {
  private func arguments(_ text: String, _ words: String..., of command: any Command.Type = ConvertCommand.self)
    throws(UsageError) -> Arguments
  {
    let given = try ArgumentParser(command.description).parse(["in", "--config", "my.conf"] + words)
    return try ConfigurationDefaults.added(
      to: given, of: command.description, Program.commands.map { $0.description }
    ) { path in path == "my.conf" ? .success(text) : .failure(ServeMistake("no file")) }
  }

  @Test func theCommandLineComesFirst() throws {
    let text = "# Mine\nquality = 70\nresize = 640\nprogressive = yes\nlossless = no\n"
    let all = try arguments(text)
    #expect(
      try quality(all) == 0.7 && all.has(.flag("progressive", "")) && !all.has(.flag("lossless", "")))
    let some = try arguments(text, "--quality", "20")
    #expect(try quality(some) == 0.2 && some.options.map(\.name).contains("resize"))
    #expect(some.operands == ["in"])
  }

  private func quality(_ arguments: Arguments) throws -> Double {
    var options = EncodeOptions()
    try CommonOptions.applyQuality(arguments, to: &options)
    return options.quality
  }

  @Test func oneOfAlternativesTakesThePlaceOfAnother() throws {
    #expect(try ExistingFiles(arguments("newer = true")) == .renew)
    #expect(try ExistingFiles(arguments("newer = true", "--overwrite")) == .replace)
  }

  @Test func whatOnlyAnotherCommandKnowsIsPassedOver() throws {
    let text = "columns = 8\nquality = 70"
    #expect(try arguments(text).options.map(\.name) == ["quality", "config"])
    #expect(try arguments(text, of: MontageCommand.self).options.map(\.name) == ["columns", "quality", "config"])
  }

  @Test(arguments: [
    ("qualty = 3", "my.conf, line 1: no command has an option qualty. Did you mean quality?"),
    ("\nprogressive = maybe", "my.conf, line 2: progressive is true or false, not 'maybe'."),
    ("config = x", "my.conf, line 1: config can only be given on the command line."),
    ("quality = 1\nquality = 2", "my.conf, line 2: quality may be given only once."),
    ("quality", "line 1: the line is"),
  ])
  func mistakes(_ text: String, _ message: String) throws {
    let error = try #require(throws: UsageError.self) { try arguments(text) }
    #expect(error.message.contains(message))
  }

  @Test func aWrongValueIsToldWithItsLine() throws {
    let all = try arguments("quality = 101")
    let error = try #require(throws: UsageError.self) { try quality(all) }
    #expect(error.message.hasPrefix("my.conf, line 1: --quality needs a number from 0 to 1"))
  }
}
