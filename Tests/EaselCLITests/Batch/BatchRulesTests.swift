import EaselCore
import EaselSupport
import Foundation
import Testing

@testable import EaselCLI

/// The rules that batches keep: files that are there, memory, sums.
struct BatchRulesTests {
  private func rule(_ options: String...) throws(UsageError) -> ExistingFiles {
    try ExistingFiles(ArgumentParser(ConvertCommand.description).parse(["x"] + options))
  }

  @Test func oneOptionSaysWhatBecomesOfFilesThatAreThere() throws {
    #expect(try rule() == .refuse && rule("--overwrite") == .replace && rule("--skip") == .keep)
    #expect(try rule("--newer") == .renew)
    #expect(throws: UsageError.self) { try rule("--skip", "--newer") }
  }

  @Test func filesThatAreThere() throws {
    try Scratch.with { scratch in
      let path = try scratch.write(Data("x".utf8), "a.png")
      let time = try #require(FileTime(ofFile: path))
      let (older, newer) = (time.moved(seconds: -1), time.moved(seconds: 1))
      #expect(throws: ImageError.self) { try ExistingFiles.refuse.allows(path, from: newer) }
      #expect(try ExistingFiles.replace.allows(path, from: older) && !ExistingFiles.keep.allows(path, from: newer))
      #expect(try ExistingFiles.renew.allows(path, from: newer) && !ExistingFiles.renew.allows(path, from: older))
      #expect(try !ExistingFiles.renew.allows(path, from: time) && ExistingFiles.renew.allows(path, from: nil))
      for rule in [ExistingFiles.refuse, .keep, .renew] {
        #expect(try rule.allows(scratch.path("none"), from: older) && rule.allows("/dev/null", from: older))
      }
    }
  }

  @Test func aFileThatAppearsMeanwhileIsNotReplaced() throws {
    try Scratch.with { scratch in
      let path = scratch.path("a")
      let file = try OutputFile(path, mayReplace: false)
      try Array("mine".utf8).withUnsafeBytes { try file.write($0) }
      _ = try scratch.write(Data("other".utf8), "a")
      let error = try #require(throws: ImageError.self) { try file.finish() }
      #expect(error.message.contains("is there already"))
      #expect(try scratch.data("a") == Data("other".utf8) && scratch.names() == ["a"])
      #expect(throws: ImageError.self) { try OutputFile(path, mayReplace: false) }
      try OutputFile.write(ImageBytes(Array("new".utf8)), to: path, mayReplace: true)
      #expect(try scratch.data("a") == Data("new".utf8) && scratch.names() == ["a"])
    }
  }

  @Test func workWaitsForRoomInMemory() {
    let room = MemoryRoom(bytes: 100)
    let most = Locked((now: 0, most: 0))
    forEachInThreads(count: 60, threads: 6) { index in
      let bytes = [30, 60, 500][index % 3]
      room.run(bytes) {
        most.withLock {
          $0.now += min(bytes, 100)
          $0.most = max($0.most, $0.now)
        }
        most.withLock { $0.now -= min(bytes, 100) }
      }
    }
    #expect(most.withLock { $0.most <= 100 && $0.now == 0 })
  }

  @Test func sums() {
    var summary = BatchSummary()
    summary.add(.written([:], "", bytes: (3_000_000, 1_000_000)))
    #expect(summary.text(in: .seconds(2)) == "1 file written, in 2 s; 3 MB became 1 MB (2 MB, 67 % saved)")
    summary.add(.written([:], "", bytes: (1_000_000, 4_000_000)))
    summary.add(.passedOver("a", "b", "because"))
    summary.failed = 3
    #expect(
      summary.text(in: .milliseconds(5))
        == "2 files written, 1 skipped, 3 failed, in 5 ms; 4 MB became 5 MB (1 MB, 25 % more)")
    #expect(
      summary.done == 6 && summary.text(in: .zero, isDryRun: true).hasPrefix("2 files would be written, 1 skipped"))
  }

  @Test func aBatchReportsInOrderAndGoesOnAfterFailures() throws {
    try Scratch.with { scratch in
      let (output, errors) = (scratch.path("out"), scratch.path("err"))
      let files = [output, errors].map { (path: String) in open(path, O_CREAT | O_WRONLY, 0o600) }
      defer { for file in files { close(file) } }
      let words = (0..<1000).map { "\($0)" }
      let arguments = try ArgumentParser(ConvertCommand.description).parse(["x", "--jobs", "5"])
      let report = Report(Console(output: files[0], errors: files[1]), isJSON: false)
      let run = BatchRun(
        BatchInputs(words: words), total: 1000, try BatchOptions(arguments), report, showsSummary: true)
      run.run { input in
        guard input.index % 100 != 0 else { throw ImageError(.badImageData, "bad") }
        return .written([:], input.word, bytes: (2, 1))
      }
      let lines = String(decoding: try scratch.data("out"), as: UTF8.self).split(separator: "\n").map(String.init)
      #expect(lines == words.filter { (Int($0)! + 1) % 100 != 0 })
      #expect(report.status == .failure && run.summary.failed == 10 && run.summary.written == 990)
      let said = String(decoding: try scratch.data("err"), as: UTF8.self).split(separator: "\n")
      #expect(said.count == 11 && said.last?.hasPrefix("easel: 990 files written, 10 failed, in ") == true)
    }
  }
}

extension FileTime {
  func moved(seconds: Int) -> FileTime { FileTime(timespec(tv_sec: self.seconds + seconds, tv_nsec: nanoseconds)) }
}
