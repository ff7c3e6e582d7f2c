import Easel
import EaselTestCorpus
import Foundation
import Testing

/// The program decodes in a sandbox when it is told to.
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
        _ = try run("decode", path, "-o", scratch.path("raw"))
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
}
