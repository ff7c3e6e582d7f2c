import EaselCore
import EaselTestTags
import Foundation
import Testing

@testable import EaselCLI

/// The files that wait for a watch.
struct WatchQueueTests {
  private func item(_ path: String, hasChanged: Bool = true) -> WatchQueue.Item {
    WatchQueue.Item(path: path, subfolder: "", hasChanged: hasChanged)
  }

  @Test func aFileThatChangesOftenIsConvertedOnce() throws {
    let queue = WatchQueue()
    for _ in 0..<1000 { queue.add(item("a")) }
    queue.add(item("b"))
    let first = try #require(queue.next())
    #expect(first.path == "a" && queue.next()?.path == "b")
    // It changed while it was converted, so it is converted again, once.
    queue.add(item("a"))
    queue.add(item("a"))
    #expect(!queue.finish(first))
    #expect(!queue.finish(item("b")))
    #expect(queue.next()?.path == "a")
    #expect(!queue.finish(first))
    queue.close()
    #expect(queue.next() == nil && queue.next() == nil)
  }

  @Test func aChangeSaysMoreThanALook() throws {
    let queue = WatchQueue()
    queue.add(item("a", hasChanged: false))
    queue.add(item("a"))
    queue.add(item("a", hasChanged: false))
    let first = try #require(queue.next())
    #expect(first.hasChanged)
    // A look while it is converted finds nothing new.
    queue.add(item("a", hasChanged: false))
    #expect(!queue.finish(first))
    queue.close()
    #expect(queue.next() == nil)
  }

  @Test func whatDoesNotFitIsLookedForLater() throws {
    let queue = WatchQueue(most: 3)
    #expect((0..<5).map { queue.add(item("\($0)")) } == [true, true, true, false, false])
    let items = try (0..<3).map { _ in try #require(queue.next()) }
    #expect(items.map { queue.finish($0) } == [false, false, true])
    #expect(queue.add(item("3")))
    #expect(try !queue.finish(#require(queue.next())))
  }
}

/// The events of a folder, when the system drops some of them.
struct LostEventsTests {
  /// Changes a hidden file so often that the system drops all later events.
  private func overflow(_ scratch: Scratch) throws {
    let limit = try String(contentsOfFile: "/proc/sys/fs/inotify/max_queued_events", encoding: .utf8)
    let most = try #require(Int(limit.trimmingCharacters(in: .whitespacesAndNewlines)))
    // Alike events in a row count once, so two names take turns.
    let paths = [".a", ".b"].map(scratch.path)
    for index in 0...most {
      let file = open(paths[index % 2], O_WRONLY | O_CREAT, 0o600)
      #expect(file >= 0)
      close(file)
    }
  }

  @Test func foldersThatCameMeanwhileAreWatched() throws {
    try Scratch.with { scratch in
      let watch = try FolderWatch(scratch.directory.path, recurses: true, leavingOut: nil)
      try overflow(scratch)
      try FileManager.default.createDirectory(at: scratch.url("late/deep"), withIntermediateDirectories: true)
      #expect(try watch.next() == [.lost])
      let path = try scratch.write(Pictures.png(8, 8), "late/deep/a.png")
      #expect(try watch.next() == [.file(path: path, subfolder: "late/deep")])
    }
  }

  @Test func foldersThatWentMeanwhileAreNot() throws {
    try Scratch.with { outside in
      try Scratch.with { scratch in
        try FileManager.default.createDirectory(at: scratch.url("old"), withIntermediateDirectories: true)
        let watch = try FolderWatch(scratch.directory.path, recurses: true, leavingOut: nil)
        try overflow(scratch)
        try FileManager.default.moveItem(at: scratch.url("old"), to: outside.url("old"))
        #expect(try watch.next() == [.lost])
        _ = try outside.write(Pictures.png(8, 8), "old/a.png")
        let path = try scratch.write(Pictures.png(8, 8), "b.png")
        #expect(try watch.next() == [.file(path: path, subfolder: "")])
      }
    }
  }

  @Test func withoutTheFolderTheWatchEnds() throws {
    try Scratch.with { scratch in
      let folder = scratch.url("in")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let watch = try FolderWatch(folder.path, recurses: true, leavingOut: nil)
      try Scratch.with { other in
        try overflow(Scratch(directory: folder))
        try FileManager.default.moveItem(at: folder, to: other.url("in"))
        #expect(throws: ImageError.self) { try watch.next() }
      }
    }
  }
}

/// A folder that is watched.
@Suite(.tags(.alone))
struct WatchTests {
  private func watch(
    _ options: [String] = [], before: [String] = [],
    _ body: (ServeProgram, AsyncScratch) async throws -> Void
  ) async throws {
    try await AsyncScratch.with { scratch in
      try FileManager.default.createDirectory(at: scratch.url("in"), withIntermediateDirectories: true)
      for name in before { try Pictures.png(20, 10).write(to: scratch.url(name)) }
      let program = try ServeProgram(
        ["watch", scratch.path("in"), "--format", "webp", "-o", scratch.path("out")] + options)
      await program.waitForComplaint("easel: watching ")
      #expect(program.end == nil, "\(program.complaints)")
      try await body(program, scratch)
      await program.stop()
    }
  }

  private func size(_ scratch: AsyncScratch, _ name: String) throws -> PixelSize {
    try Pictures.decoded(Data(contentsOf: scratch.url(name))).size
  }

  @Test func aFileThatIsWrittenOrMovedInIsConverted() async throws {
    try await watch(before: ["in/old.png"]) { program, scratch in
      try Pictures.png(20, 10).write(to: scratch.url("in/a.png"))
      #expect(await program.waitForResult("a.webp: webp 20x10"))
      try Pictures.png(30, 10).write(to: scratch.url("b.png"))
      try FileManager.default.moveItem(at: scratch.url("b.png"), to: scratch.url("in/b.png"))
      #expect(await program.waitForResult("b.webp: webp 30x10"))
      // A new version replaces the result of the old one.
      try Pictures.png(40, 10).write(to: scratch.url("in/a.png"))
      #expect(await program.waitForResult("a.webp: webp 40x10"))
      #expect(try size(scratch, "out/a.webp").width == 40)
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: scratch.path("out")).sorted() == ["a.webp", "b.webp"])
      program.send(SIGTERM)
      #expect(await program.waitForEnd().signal == SIGTERM)
      #expect(program.complaints.contains("easel: 3 files written, in "))
    }
  }

  @Test func picturesThatAreThereAreTakenIfAskedFor() async throws {
    try await watch(["--existing"], before: ["in/old.png"]) { program, _ in
      #expect(await program.waitForResult("old.webp: webp 20x10"))
    }
  }

  @Test func aBurstIsConvertedWhole() async throws {
    try await watch(["--jobs", "2"]) { program, scratch in
      for index in 0..<60 { try Pictures.png(8, 8).write(to: scratch.url("in/\(index).png")) }
      for index in 0..<60 { #expect(await program.waitForResult("/\(index).webp: webp")) }
    }
  }

  @Test func foldersThatComeAreWatchedToo() async throws {
    try await watch(["-r"]) { program, scratch in
      try FileManager.default.createDirectory(at: scratch.url("new/deep"), withIntermediateDirectories: true)
      try Pictures.png(8, 8).write(to: scratch.url("new/deep/first.png"))
      try FileManager.default.moveItem(at: scratch.url("new"), to: scratch.url("in/new"))
      #expect(await program.waitForResult("out/new/deep/first.webp: webp"))
      try Pictures.png(8, 8).write(to: scratch.url("in/new/deep/second.png"))
      #expect(await program.waitForResult("out/new/deep/second.webp: webp"))
      try FileManager.default.moveItem(at: scratch.url("in/new"), to: scratch.url("in/other"))
      try Pictures.png(8, 8).write(to: scratch.url("in/other/third.png"))
      #expect(await program.waitForResult("out/other/third.webp: webp"))
      try FileManager.default.removeItem(at: scratch.url("in/other"))
      try Pictures.png(8, 8).write(to: scratch.url("in/fourth.png"))
      #expect(await program.waitForResult("out/fourth.webp: webp"))
    }
  }

  @Test func withoutItsFolderAWatchEnds() async throws {
    try await watch { program, scratch in
      try FileManager.default.removeItem(at: scratch.url("in"))
      #expect(await program.waitForEnd() == ServeProgram.End(status: 1))
      #expect(program.complaints.contains("was moved or deleted"))
    }
  }

  @Test func resultsInTheFolderAreNotWatched() async throws {
    try await AsyncScratch.with { scratch in
      let folder = scratch.path("in")
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      let program = try ServeProgram(["watch", "-r", folder, "--resize", "4", "-o", "\(folder)/out"])
      await program.waitForComplaint("easel: watching ")
      try Pictures.png(8, 8).write(to: scratch.url("in/a.png"))
      #expect(await program.waitForResult("out/a.png: png 4x4"))
      try Pictures.png(8, 8).write(to: scratch.url("in/b.png"))
      #expect(await program.waitForResult("out/b.png: png 4x4"))
      #expect(try FileManager.default.contentsOfDirectory(atPath: "\(folder)/out").sorted() == ["a.png", "b.png"])
      await program.stop()
    }
  }

  @Test func severalFormatsNeedNamesThatFollowThem() throws {
    try Scratch.with { scratch in
      let outcome = try EaselProcess.run([
        "watch", scratch.directory.path, "--format", "webp,png", "-o", "/tmp/{format}-{name}.jpg",
      ])
      #expect(outcome.status == 2 && outcome.errors.contains("--format names several formats"))
    }
  }

  @Test func placesThatWouldNeverEndAreRefused() throws {
    try Scratch.with { scratch in
      let folder = scratch.directory.path
      for output in [folder, "{dir}/small-{name}.png", "\(folder)/{name}.png", "\(folder)/out/{name}-{width}.png"] {
        let outcome = try EaselProcess.run(["watch", folder, "-o", output])
        #expect(outcome.status == 2, "\(output)")
      }
      #expect(try EaselProcess.run(["watch", scratch.path("none"), "-o", "x"]).status == 2)
    }
  }
}
