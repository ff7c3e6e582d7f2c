import Easel
import Testing

@testable import EaselCLI

/// Names of files that are written.
struct OutputPatternTests {
  private static let values = OutputPattern.Values(
    name: "cat", folder: "photos/pets/", subfolder: "pets", index: 7, format: .jpeg,
    size: PixelSize(width: 320, height: 200))

  @Test(arguments: [
    ("{name}.{ext}", "cat.jpg"), ("out/{sub}/{name}-{width}x{height}.{format}", "out/pets/cat-320x200.jpeg"),
    ("{dir}/{name}.webp", "photos/pets/cat.webp"), ("{index}.png", "7.png"), ("{{{name}}}.png", "{cat}.png"),
    ("./a//{name}", "a/cat"), ("/{name}", "/cat"),
  ])
  func fields(_ text: String, _ path: String) throws {
    #expect(try OutputPattern(text).path(Self.values) == path)
  }

  @Test func withoutFoldersThereIsNoStepMore() throws {
    let values = OutputPattern.Values(name: "cat")
    #expect(try OutputPattern("{dir}/{sub}/{name}.png").path(values) == "cat.png")
    #expect(OutputPattern(folder: "out/").path(values) == "out/cat.{ext}")
    #expect(OutputPattern(folder: ".").path(values) == "cat.{ext}")
    #expect(OutputPattern(file: "{a}").path(values) == "{a}")
  }

  @Test(arguments: [
    ("{nmae}.png", "Did you mean {name}?"), ("{name", "brace"), ("name}", "brace"), ("{}", "There is no {}"),
  ])
  func mistakes(_ text: String, _ words: String) throws {
    let error = try #require(throws: UsageError.self) { try OutputPattern(text) }
    #expect(error.message.contains(words))
  }

  @Test func whatAPatternSaysOfItself() throws {
    let pattern = try OutputPattern("out/{sub}/{name}.webp")
    #expect(pattern.folder == "out" && pattern.ending == ".webp" && !pattern.isOneFile && !pattern.needsFormat)
    #expect(try OutputPattern("{name}.{ext}").needsFormat && OutputPattern("/{name}").folder == "/")
    #expect(try OutputPattern("a.png").isOneFile && OutputPattern("a.png").resultFolder == nil)
  }
}

/// The meanings of `--output`.
struct OutputDestinationTests {
  private func destination(_ text: String, _ inputs: [String] = ["a"], _ options: [String] = []) throws(UsageError)
    -> OutputDestination
  {
    let arguments = try ArgumentParser(ConvertCommand.description).parse(inputs + options)
    return try OutputDestination(text, for: inputs, try BatchOptions(arguments))
  }

  @Test func aFileAFolderOrAPattern() throws {
    try Scratch.with { scratch in
      let folder = scratch.directory.path
      #expect(try destination("x.webp").pattern == OutputPattern(file: "x.webp"))
      #expect(try destination("x.webp").namedFormat == .webp)
      for (text, inputs) in [("x/", ["a"]), ("x", ["a", "b"])] {
        let found = try destination(text, inputs)
        #expect(found.pattern == OutputPattern(folder: "x") && found.keepsFormats && found.namedFormat == nil)
      }
      #expect(try destination(folder).pattern == OutputPattern(folder: folder))
      #expect(try destination("x", ["a"], ["-r"]).pattern == OutputPattern(folder: "x"))
      #expect(try destination("{name}.png", ["a", "b"]).namedFormat == .png)
      #expect(try destination("{name}.{ext}", ["a", "b"]).keepsFormats)
      #expect(try !destination("{name}", ["a", "b"]).keepsFormats)
    }
  }

  @Test(arguments: [("x.png", ["a", "b"]), ("-", ["a", "b"])])
  func severalPicturesAreNotOneFile(_ text: String, _ inputs: [String]) {
    #expect(throws: UsageError.self) { try destination(text, inputs) }
  }
}
