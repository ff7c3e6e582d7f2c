import EaselTestTags
import Foundation
import Glibc
import Testing

/// Many pictures at once, by `easel convert` and `easel thumb`.
@Suite(.tags(.alone))
struct BatchConvertTests {
  /// Runs the program in a folder, so that relative names mean what they say there.
  private func run(in scratch: Scratch, _ words: String...) throws -> EaselProcess.Outcome {
    let quoted = words.map { "'\($0)'" }.joined(separator: " ")
    return try Child.run(["/bin/sh", "-c", "cd '\(scratch.directory.path)' && exec '\(EaselProcess.path)' \(quoted)"])
  }

  private func tree(
    _ names: [String] = ["in/a.png", "in/sub/b.png", "in/sub/deep/c.png"], _ body: (Scratch) throws -> Void
  )
    throws
  {
    try Scratch.with { scratch in
      for (index, name) in names.enumerated() {
        let file = scratch.url(name)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Pictures.png(20 + index, 10).write(to: file)
      }
      try body(scratch)
    }
  }

  private func files(_ scratch: Scratch, _ folder: String) -> [String] {
    (FileManager.default.enumerator(atPath: scratch.path(folder))?.allObjects as? [String] ?? [])
      .filter { !$0.isEmpty && FileManager.default.contents(atPath: scratch.path("\(folder)/\($0)")) != nil }.sorted()
  }

  @Test func aFolderKeepsItsStructure() throws {
    try tree { scratch in
      let outcome = try run(in: scratch, "convert", "-r", "in", "--format", "webp", "-o", "out", "--jobs", "3")
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(files(scratch, "out") == ["a.webp", "sub/b.webp", "sub/deep/c.webp"])
      #expect(outcome.lines.count == 3 && outcome.lines[0].hasPrefix("out/a.webp: webp 20x10, "))
      // Such small files may as well become larger.
      let endings = [" saved)\n", " more)\n"]
      #expect(
        outcome.errors.hasPrefix("easel: 3 files written, in ") && endings.contains { outcome.errors.hasSuffix($0) })
      #expect(try Pictures.decoded(scratch.data("out/sub/b.webp")).size.width == 21)
    }
  }

  @Test func patternsNameFiles() throws {
    try tree { scratch in
      let words = ["in/a.png", "in/sub/b.png"]
      let outcome = try run(
        in: scratch, "convert", words[0], words[1], "--resize", "10", "-o",
        "made/{format}/{index}-{name}-{width}x{height}.{ext}")
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(files(scratch, "made") == ["png/1-a-10x5.png", "png/2-b-10x5.png"])
      #expect(try run(in: scratch, "convert", words[0], "-o", "{dir}/{name}.qoi").status == 0)
      #expect(files(scratch, "in") == ["a.png", "a.qoi", "sub/b.png", "sub/deep/c.png"])
    }
  }

  @Test func ofSeveralFormatsTheSmallestFileIsKept() throws {
    try tree { scratch in
      let several = try run(in: scratch, "convert", "-r", "in", "--format", "png,jpeg", "-o", "out")
      #expect(several.status == 0, "\(several.errors)")
      for path in files(scratch, "out") {
        let name = path.prefix { $0 != "." }
        for format in ["png", "jpg"] {
          #expect(try run(in: scratch, "convert", "in/\(name).png", "-o", "other.\(format)", "--overwrite").status == 0)
          #expect(try scratch.data("other.\(format)").count >= scratch.data("out/\(path)").count, "\(path)")
        }
      }
      let best = try run(
        in: scratch, "convert", "in/a.png", "--format", "best", "--quality", "auto:70", "-o", "{name}.{ext}")
      #expect(best.status == 0 && best.lines.count == 1, "\(best.errors)")
      for output in ["a.webp", "{name}.webp"] {
        let refused = try run(in: scratch, "convert", "in/a.png", "--format", "best", "-o", output)
        #expect(refused.status == 2 && refused.errors.contains("{ext}"))
      }
      for names in ["best,png", "png,", "png,png", "heic,png"] {
        #expect(try run(in: scratch, "convert", "in/a.png", "--format", names, "-o", "out").status == 2, "\(names)")
      }
    }
  }

  @Test func withoutAFormatPicturesKeepTheirs() throws {
    try tree(["in/a.png"]) { scratch in
      #expect(try run(in: scratch, "convert", "in/a.png", "-o", "in/b.gif").status == 0)
      let outcome = try run(in: scratch, "convert", "-r", "in", "--resize", "5", "-o", "out/")
      #expect(outcome.status == 0 && files(scratch, "out") == ["a.png", "b.gif"])
    }
  }

  @Test func nothingIsWrittenByADryRun() throws {
    try tree { scratch in
      let outcome = try run(in: scratch, "convert", "-r", "in", "--format", "webp", "-o", "out", "--dry-run")
      #expect(outcome.status == 0 && files(scratch, "out").isEmpty)
      #expect(
        outcome.lines == [
          "out/a.webp: would be written from in/a.png", "out/sub/b.webp: would be written from in/sub/b.png",
          "out/sub/deep/c.webp: would be written from in/sub/deep/c.png",
        ])
      #expect(outcome.errors == "easel: 3 files would be written\n")
    }
  }

  @Test func twoInputsForOneFileAreRefusedBeforeAnythingIsWritten() throws {
    try tree(["in/a.png", "in/b.png", "in/sub/a.png"]) { scratch in
      let outcome = try run(in: scratch, "convert", "-r", "in", "-o", "out/{name}.webp", "--overwrite")
      #expect(outcome.status == 2 && outcome.output.isEmpty && files(scratch, "out").isEmpty)
      #expect(outcome.errors.contains("Both in/a.png and in/sub/a.png would be written to out/a.webp"))
      let one = try run(in: scratch, "convert", "in/a.png", "in/b.png", "-o", "one.webp")
      #expect(one.status == 2 && one.errors.contains("'{name}.webp'"))
    }
  }

  @Test func filesThatAreThereStayUnlessOneSaysOtherwise() throws {
    try tree { scratch in
      let words = ["convert", "-r", "in", "--format", "png", "--resize", "4", "-o", "out"]
      func run(_ more: String...) throws -> EaselProcess.Outcome {
        let quoted = (words + more).map { "'\($0)'" }.joined(separator: " ")
        return try Child.run(["/bin/sh", "-c", "cd '\(scratch.directory.path)' && '\(EaselProcess.path)' \(quoted)"])
      }
      #expect(try run().status == 0)
      let first = try scratch.data("out/a.png")
      // Without an option each is an error, and nothing changes.
      let refused = try run("--flip", "h")
      #expect(
        refused.status == 1 && refused.output.isEmpty && refused.errors.contains("easel: 0 files written, 3 failed"))
      #expect(refused.errors.contains("out/a.png is there already. Give --overwrite"))
      let skipped = try run("--flip", "h", "--skip")
      #expect(skipped.status == 0 && skipped.errors.contains("0 files written, 3 skipped"))
      #expect(skipped.lines[0] == "out/a.png: skipped, because it is there already")
      #expect(try scratch.data("out/a.png") == first)
      // Only the input that is newer is converted again.
      let old = Date(timeIntervalSinceNow: -1000)
      for name in ["in/a.png", "in/sub/deep/c.png"] {
        try FileManager.default.setAttributes([.modificationDate: old], ofItemAtPath: scratch.path(name))
      }
      let later = Date(timeIntervalSinceNow: 1000)
      try FileManager.default.setAttributes([.modificationDate: later], ofItemAtPath: scratch.path("in/sub/b.png"))
      let newer = try run("--flip", "h", "--newer")
      #expect(newer.status == 0 && newer.errors.contains("1 file written, 2 skipped"))
      #expect(newer.lines[1].hasPrefix("out/sub/b.png: png 4x2"))
      #expect(try scratch.data("out/a.png") == first)
      #expect(try run("--flip", "h", "--overwrite").status == 0)
      #expect(try scratch.data("out/a.png") != first)
    }
  }

  @Test func aPictureInItsOwnFormatIsNotItsOwnResult() throws {
    try tree(["in/a.png"]) { scratch in
      let words = ["convert", "-r", "in", "--format", "qoi", "-o", "{dir}/{name}.{ext}", "--newer"]
      for _ in 0..<2 {
        let quoted = words.map { "'\($0)'" }.joined(separator: " ")
        let outcome = try Child.run([
          "/bin/sh", "-c", "cd '\(scratch.directory.path)' && '\(EaselProcess.path)' \(quoted)",
        ])
        #expect(outcome.status == 0, "\(outcome.errors)")
      }
      #expect(files(scratch, "in") == ["a.png", "a.qoi"])
    }
  }

  @Test func oneThatFailsStopsNoOther() throws {
    try tree(["in/a.png", "in/c.png"]) { scratch in
      _ = try scratch.write(Data("%PDF-1.7\n".utf8), "in/b.png")
      let outcome = try run(in: scratch, "convert", "-r", "in", "--format", "webp", "-o", "out")
      #expect(outcome.status == 1 && files(scratch, "out") == ["a.webp", "c.webp"])
      #expect(outcome.errors.contains("easel: in/b.png: This seems to be a PDF document, which Easel does not read."))
      #expect(outcome.errors.contains("easel: 2 files written, 1 failed, in "))
      let json = try run(in: scratch, "convert", "-r", "in", "--format", "webp", "-o", "out", "--json", "--overwrite")
      #expect(try json.objects().map { $0["error"] != nil } == [false, true, false] && json.errors.isEmpty)
      let quiet = try run(in: scratch, "convert", "-r", "in", "--format", "webp", "-o", "out", "--quiet", "--overwrite")
      #expect(quiet.status == 1 && quiet.output.isEmpty && quiet.errors.split(separator: "\n").count == 1)
    }
  }

  @Test func thumbTakesFoldersToo() throws {
    try tree(["in/a.png", "in/sub/a.png", "in/a.jpg"]) { scratch in
      let outcome = try run(in: scratch, "thumb", "-r", "in", "--size", "8", "--format", "jpeg", "--dir", "in/t")
      #expect(outcome.status == 0 && files(scratch, "in/t") == ["a-2.jpg", "a.jpg", "sub/a.jpg"], "\(outcome.errors)")
      #expect(try run(in: scratch, "thumb", "in/a.png", "--dir", "in", "--overwrite").status == 1)
    }
  }

  /// The second input is a pipe that nobody writes to, so the program is at work when the signal comes.
  @Test(arguments: [SIGINT, SIGTERM])
  func aSignalLeavesNoHalfFileAndSaysHowFarItCame(_ signal: Int32) async throws {
    let scratch = URL(fileURLWithPath: NSTemporaryDirectory()).appendingPathComponent("easel-cli-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: scratch) }
    let picture = scratch.appendingPathComponent("a.png").path
    try Pictures.png(20, 10).write(to: URL(fileURLWithPath: picture))
    let pipe = scratch.appendingPathComponent("b.png").path
    #expect(mkfifo(pipe, 0o600) == 0)
    let out = scratch.appendingPathComponent("out").path
    // The tests may run under nohup, and what they ignore the program would ignore.
    let before = Glibc.signal(signal, SIG_DFL)
    let program = try ServeProgram(["convert", picture, pipe, "--format", "webp", "-o", out + "/"])
    _ = Glibc.signal(signal, before)
    #expect(await program.waitForResult("a.webp: webp 20x10"))
    program.send(signal)
    #expect(await program.waitForEnd().signal == signal)
    #expect(program.complaints.contains("easel: interrupted after 1 of 2 files: 1 file written, in "))
    #expect(try FileManager.default.contentsOfDirectory(atPath: out) == ["a.webp"])
    await program.stop()
  }
}

/// Standard output that is a terminal.
@Suite(.tags(.alone), .enabled(if: Tmux.isInstalled, "\(Tmux.skipReason)"))
struct OutputToATerminalTests {
  @Test(arguments: ["convert --format png", "decode", "montage --format png"])
  func bytesAreRefused(_ command: String) throws {
    try Scratch.with { scratch in
      let path = try scratch.write(try Pictures.png(8, 8), "a.png")
      let terminal = try Tmux("\(EaselProcess.path) \(command) \(path) -o -", columns: 100, rows: 20)
      #expect(try terminal.waitForText { $0.contains("is a terminal") && $0.contains("status=2") })
    }
  }

  @Test(arguments: ["", "NO_COLOR=1"]) func failuresAreRedUnlessColoursAreUnwanted(_ variable: String) throws {
    let terminal = try Tmux("env \(variable) \(EaselProcess.path) info none.png", columns: 100, rows: 20)
    #expect(try terminal.waitForText { $0.contains("status=1") })
    #expect(try terminal.screen().contains("\u{1B}[31measel:") == variable.isEmpty)
  }
}
