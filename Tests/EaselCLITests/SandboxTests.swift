import Easel
import EaselTestCorpus
import EaselTestTags
import Foundation
import Testing

/// The program decodes in a sandbox when it is told to.
@Suite(.tags(.alone))
struct SandboxTests {
  /// Runs the program with each of these arguments and the options; each must succeed.
  private func run(_ commands: [[String]], _ options: [String]) throws -> [EaselProcess.Outcome] {
    let outcomes = try EaselProcess.runEach(commands.map { $0 + options })
    for (words, outcome) in zip(commands, outcomes) { #expect(outcome.status == 0, "\(words): \(outcome.errors)") }
    return outcomes
  }

  @Test(arguments: ["all", "risky", "off"])
  func everyCommandGivesTheSame(_ which: String) throws {
    try Scratch.with { scratch in
      let png = try scratch.write(try Pictures.png(9, 7), "a.png")
      let avif = scratch.path("a.avif")
      _ = try run([["convert", png, "-o", avif, "--lossless"]], ["--sandbox", which])
      let outcomes = try run(
        [png, avif].flatMap { path -> [[String]] in
          [
            ["info", "--json", path], ["decode", path, "-o", path + ".raw"],
            ["thumb", path, "--size", "3", "--dir", path + ".thumbs"],
            ["view", path, "--graphics", "shades", "--columns", "20"], ["get", "--no-cache", "file://\(path)"],
          ]
        }, ["--sandbox", which])
      for (number, path) in [png, avif].enumerated() {
        #expect(try outcomes[5 * number].object()["width"] as? Int == 9)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path + ".raw")).count == 9 * 7 * 4)
      }
    }
  }

  /// The limit on open files leaves none for the worker's socket.
  @Test func withoutASandboxNothingIsDecodedInstead() throws {
    try Scratch.with { scratch in
      let png = try scratch.write(try Pictures.png(9, 7), "a.png")
      func run(_ options: String) throws -> Child.Outcome {
        try Child.run(["/bin/sh", "-c", "ulimit -n 4; exec '\(EaselProcess.path)' info --json \(options) '\(png)'"])
      }
      let refused = try run("--sandbox all")
      #expect(refused.status == 1)
      #expect(try refused.errorCode() == "decoderCrashed")
      #expect(try run("--sandbox all --sandbox-best-effort").status == 0)
      #expect(try run("--sandbox off").status == 0)
    }
  }

  private static let drawing =
    "<svg xmlns='http://www.w3.org/2000/svg' width='12' height='8'><rect width='12' height='8' fill='red'/></svg>"

  @Test(arguments: [[], ["--sandbox", "risky"], ["--sandbox", "all"]])
  func svgIsDrawnInASandboxAlsoIfNobodyAskedForOne(_ options: [String]) throws {
    try Scratch.with { scratch in
      let svg = try scratch.write(Data(Self.drawing.utf8), "a.svg")
      let (raw, webp, folder) = (scratch.path("raw"), scratch.path("a.webp"), scratch.path("thumbs"))
      let outcomes = try run(
        [
          ["info", "--json", svg], ["get", "--json", "--no-cache", "--thumbnail", "6", "file://\(svg)"],
          ["decode", svg, "-o", raw], ["thumb", svg, "--size", "6", "--dir", folder], ["convert", svg, "-o", webp],
        ], options)
      let header = try outcomes[0].object()
      #expect(header["format"] as? String == "svg")
      #expect(header["width"] as? Int == 12)
      #expect(try outcomes[1].object()["width"] as? Int == 6)
      let pixels = try Data(contentsOf: URL(fileURLWithPath: raw))
      #expect(Array(pixels) == (0..<96).flatMap { _ in [255, 0, 0, 255] as [UInt8] })
      let made = try run([["info", "--json", folder + "/a.png"], ["info", "--json", webp]], options)
      #expect(try made[0].object()["height"] as? Int == 4)
      #expect(try made[1].object()["format"] as? String == "webp")
    }
  }

  /// The lines lie between the pixels of the file's own size.
  @Test func aDrawingThatIsMadeLargerStaysSharp() throws {
    try Scratch.with { scratch in
      let text = "<svg xmlns='http://www.w3.org/2000/svg' width='24' height='24'><path d='M0 0h7.5v24H0'/></svg>"
      let svg = try scratch.write(Data(text.utf8), "a.svg")
      func row(_ options: String...) throws -> [UInt8] {
        let convert = try EaselProcess.run(["convert", svg, "-o", scratch.path("a.png"), "--overwrite"] + options)
        #expect(convert.status == 0, "\(convert.errors)")
        let decode = try EaselProcess.run(["decode", scratch.path("a.png"), "-o", scratch.path("raw"), "--overwrite"])
        #expect(decode.status == 0, "\(decode.errors)")
        let pixels = try Data(contentsOf: URL(fileURLWithPath: scratch.path("raw")))
        return stride(from: 3, to: 800 * 4, by: 4).map { pixels[$0] }
      }
      let sharp = [UInt8](repeating: 255, count: 250) + [UInt8](repeating: 0, count: 550)
      #expect(try row("--resize", "800x0") == sharp)
      #expect(try row("--resize", "800x600", "--mode", "fill") == sharp)
    }
  }

  @Test func aDrawingThatEndsItsProcessIsAnError() throws {
    try Scratch.with { scratch in
      let text = "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><text font-size='1e9'>a</text></svg>"
      let svg = try scratch.write(Data(text.utf8), "a.svg")
      let good = try scratch.write(Data(Self.drawing.utf8), "b.svg")
      let outcome = try EaselProcess.run(["thumb", svg, good, "--size", "6", "--dir", scratch.path("thumbs")])
      // Without fonts there are no letters.
      if outcome.status != 0 { #expect(outcome.errors.contains("a.svg: The coder svg in the sandbox crashed")) }
      #expect(try EaselProcess.run(["info", scratch.path("thumbs/b.png")]).status == 0)
    }
  }

  @Test func svgIsRefusedInTheProgramItself() throws {
    try Scratch.with { scratch in
      let svg = try scratch.write(Data(Self.drawing.utf8), "a.svg")
      for command in ["info", "decode", "convert"] {
        let output = command == "info" ? [] : ["-o", scratch.path("x.png")]
        let outcome = try EaselProcess.run([command, svg, "--sandbox", "off"] + output)
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("SVG is decoded only in a sandbox. Choose --sandbox risky or all"))
      }
      // The limit on open files leaves none for the worker's socket.
      let command = "ulimit -n 4; exec '\(EaselProcess.path)' info --json --sandbox-best-effort '\(svg)'"
      let outcome = try Child.run(["/bin/sh", "-c", command])
      #expect(outcome.status == 1)
      #expect(try outcome.errorCode() == "decoderCrashed")
    }
  }
}
