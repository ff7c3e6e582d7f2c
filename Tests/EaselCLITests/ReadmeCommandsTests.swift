import EaselCore
import EaselTestTags
import Foundation
import Testing

/// Every command of README and of two guides is run: here, or by the script that a test below names.
@Suite(.tags(.alone)) struct ReadmeCommandsTests {
  private static let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// The commands of a page, without their comments, in their order.
  private static func commands(_ page: String = "README.md") throws -> [String] {
    let text = try String(contentsOf: repository.appendingPathComponent(page), encoding: .utf8)
    let blocks = text.components(separatedBy: "```sh\n").dropFirst().map { $0.components(separatedBy: "\n```")[0] }
    return blocks.flatMap { $0.split(separator: "\n") }.map { line in
      let command = line.components(separatedBy: "  # ")[0]
      return command.trimmingCharacters(in: .whitespaces)
    }
  }

  private static func isRunHere(_ command: String) -> Bool {
    ["easel ", "curl ", "echo "].contains { command.hasPrefix($0) }
  }

  /// Runs a command as a user would who stands in a folder.
  private static func run(_ command: String, in folder: URL) throws -> Child.Outcome {
    var environment = ProcessInfo.processInfo.environment
    let program = URL(fileURLWithPath: EaselProcess.path).deletingLastPathComponent().path
    environment["PATH"] = "\(program):\(environment["PATH"] ?? "/usr/bin:/bin")"
    return try Child.run(
      ["/bin/bash", "-euo", "pipefail", "-c", "cd \"$0\"; \(command)", folder.path], environment: environment)
  }

  /// Starts the server of a command that ends with an ampersand, at a free port.
  private static func serve(_ command: String, in scratch: AsyncScratch) async throws -> ServeProgram {
    let words = command.split(separator: " ").map(String.init)
    let options = words.dropFirst(2).dropLast().map { word in
      FileManager.default.fileExists(atPath: scratch.url(word).path) ? scratch.url(word).path : word
    }
    return try await ServeProgram.listening(Array(options))
  }

  /// Runs the commands of a page in a folder with pictures of the names that pages use.
  private static func follow(_ page: String, in scratch: AsyncScratch) async throws {
    let folder = scratch.url("pictures")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for name in ["before", "after"] { try Pictures.png(800, 600).write(to: scratch.url("\(name).png")) }
    let made = "easel convert before.png -o photo.jpg; easel convert before.png -o moving.gif"
    let source = try Self.run("\(made); cp before.png drawing.png; cp photo.jpg pictures", in: scratch.directory)
    #expect(source.status == 0, "\(source.errors)")

    var server: ServeProgram?
    let commands = try Self.commands(page).filter(Self.isRunHere)
    #expect(commands.count > 3, "\(page) has few commands.")
    for command in commands {
      if command.hasSuffix(" &") {
        server = try await Self.serve(command, in: scratch)
        continue
      }
      let local = command.replacing("127.0.0.1:8080", with: "127.0.0.1:\(server?.port ?? 0)")
      let outcome = try Self.run(local, in: scratch.directory)
      #expect(outcome.status == 0, "\(command): \(outcome.errors)")
    }
    await server?.stop()
  }

  @Test(arguments: ["TheProgram", "Recipes"]) func theCommandsOfGuidesWork(_ guide: String) async throws {
    try await AsyncScratch.with { try await Self.follow("Sources/Easel/Easel.docc/\(guide).md", in: $0) }
  }

  @Test func theCommandsDoWhatTheySay() async throws {
    try await AsyncScratch.with { scratch in
      try await Self.follow("README.md", in: scratch)
      func picture(_ name: String) throws -> Image { try Pictures.decoded(Data(contentsOf: scratch.url(name))) }
      #expect(try picture("card.webp").format == .webp)
      #expect(try picture("card.webp").size == PixelSize(width: 267, height: 200))
      #expect(try picture("web.avif").size == PixelSize(width: 1200, height: 900))
      #expect(try picture("face.png").size == PixelSize(width: 400, height: 400))
      #expect(try picture("thumbs/photo.webp").size == PixelSize(width: 320, height: 240))
    }
  }

  /// Commands that install or build something: `script/test --clean-root --commands` runs the two scripts,
  /// `script/check guides` the installation of the libraries.
  @Test func otherCommandsAreRunElsewhere() throws {
    let others = try Self.commands().filter { !Self.isRunHere($0) }
    let installing = others.filter { $0.hasPrefix("sudo apt-get install -y ") }
    #expect(others.filter { !installing.contains($0) } == ["script/demo", "script/test"])
    let page = Self.repository.appendingPathComponent("Sources/Easel/Easel.docc/AddToAServer.md")
    let guide = try String(contentsOf: page, encoding: .utf8).replacing("\\\n", with: "").split(separator: "\n")
    let line = try #require(guide.first { $0.hasPrefix("sudo apt-get install -y ") })
    let packages = installing.map { Set($0.split(separator: " ")) }
    #expect(packages == [Set(line.split(separator: " "))], "README and the guide install different packages.")
  }
}
