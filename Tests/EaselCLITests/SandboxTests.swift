import Easel
import EaselTestCorpus
import EaselTestTags
import Foundation
import Testing

/// The program decodes in a sandbox when it is told to.
@Suite(.tags(.alone))
struct SandboxTests {
  @Test(arguments: ["all", "risky", "off"])
  func everyCommandGivesTheSame(_ which: String) throws {
    try Scratch.with { scratch in
      let png = try scratch.write(try Pictures.png(9, 7), "a.png")
      func run(_ words: String...) throws -> EaselProcess.Outcome {
        let outcome = try EaselProcess.run(words + ["--sandbox", which])
        #expect(outcome.status == 0, "\(words): \(outcome.errors)")
        return outcome
      }
      _ = try run("convert", png, "-o", scratch.path("a.avif"), "--lossless")
      for name in ["a.png", "a.avif"] {
        let path = scratch.path(name)
        #expect(try run("info", "--json", path).object()["width"] as? Int == 9)
        _ = try run("decode", path, "-o", scratch.path("raw"), "--overwrite")
        #expect(try Data(contentsOf: URL(fileURLWithPath: scratch.path("raw"))).count == 9 * 7 * 4)
        _ = try run("thumb", path, "--size", "3", "--dir", scratch.path("thumbs"))
        _ = try run("view", path, "--graphics", "shades", "--columns", "20")
        _ = try run("get", "--no-cache", "file://\(path)")
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
      func run(_ words: String...) throws -> EaselProcess.Outcome {
        let outcome = try EaselProcess.run(words + options)
        #expect(outcome.status == 0, "\(words): \(outcome.errors)")
        return outcome
      }
      let header = try run("info", "--json", svg).object()
      #expect(header["format"] as? String == "svg")
      #expect(header["width"] as? Int == 12)
      _ = try run("decode", svg, "-o", scratch.path("raw"))
      let pixels = try Data(contentsOf: URL(fileURLWithPath: scratch.path("raw")))
      #expect(Array(pixels) == (0..<96).flatMap { _ in [255, 0, 0, 255] as [UInt8] })
      _ = try run("thumb", svg, "--size", "6", "--dir", scratch.path("thumbs"))
      #expect(try run("info", "--json", scratch.path("thumbs/a.png")).object()["height"] as? Int == 4)
      _ = try run("convert", svg, "-o", scratch.path("a.webp"))
      #expect(try run("info", "--json", scratch.path("a.webp")).object()["format"] as? String == "webp")
      let got = try run("get", "--json", "--no-cache", "--thumbnail", "6", "file://\(svg)").object()
      #expect(got["width"] as? Int == 6)
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
