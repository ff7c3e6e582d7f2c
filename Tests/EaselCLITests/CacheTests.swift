import CEaselDisk
import Easel
import EaselTestSupport
import EaselTestTags
import Foundation
import Testing

@Suite(.tags(.alone))
struct CacheTests {
  private static let url = "http://host/picture.png"

  /// Calls `body` with a cache of an original, a variant of it, and a picture of another name.
  private func withCache(_ body: (Scratch, String) throws -> Void) throws {
    try Scratch.with { scratch in
      let directory = scratch.path("cache")
      let store = SQLiteDiskStore(directory: directory)
      let record = CacheRecord(stored: Date(), generation: 1, mimeType: "image/png")
      let keys = [
        CacheKey(original: Self.url), CacheKey(original: Self.url, suffixes: [CacheKey.Suffix("Resize({32,0},0)")]),
        CacheKey(original: "http://other/\u{1B}[31m.png"),
      ]
      for (index, key) in keys.enumerated() {
        let bytes = ImageBytes([UInt8](repeating: 7, count: 1000 * (index + 1)))
        try store.store(CacheEntry(bytes: bytes, record: record), for: key)
      }
      store.close()
      try body(scratch, directory)
    }
  }

  @Test func stat() throws {
    try withCache { _, directory in
      let said = try EaselProcess.run(["cache", "stat", "--cache", directory, "--json"]).object()
      #expect(said["entries"] as? Int == 3)
      #expect(try #require(said["bytes"] as? Int) >= 6000)
      let text = try EaselProcess.run(["cache", "stat", "--cache", directory]).text
      #expect(text.hasPrefix("\(directory): 3 entries, "))
    }
  }

  @Test func list() throws {
    try withCache { _, directory in
      let outcome = try EaselProcess.run(["cache", "list", "--cache", directory, "--json"])
      let entries = try outcome.objects()
      let variant = try #require(entries.first { ($0["suffixes"] as? [String])?.isEmpty == false })
      #expect(variant["input"] as? String == "http://host/picture-Resize({32,0},0).png")
      #expect(variant["original"] as? String == Self.url && variant["bytes"] as? Int == 2000)
      #expect(variant["type"] as? String == "image/png")
      #expect(try #require(variant["ageSeconds"] as? Int) < 600)
      let text = try EaselProcess.run(["cache", "list", "--cache", directory]).text
      #expect(text.contains("1 kB") && text.contains("  http://host/picture-Resize({32,0},0).png\n"))
      #expect(!text.contains("\u{1B}"))
    }
  }

  @Test(arguments: ["1e308", "-1e308", "1e20", "-9e18"])
  func timesThatCannotBeAreListed(time: String) throws {
    try withCache { _, directory in
      var index: OpaquePointer?
      try #require(sqlite3_open(directory + "/index.sqlite", &index) == SQLITE_OK)
      let sql = "UPDATE entries SET used = \(time), changed = \(time), created = \(time)"
      #expect(sqlite3_exec(index, sql, nil, nil, nil) == SQLITE_OK)
      sqlite3_close(index)
      #expect(try EaselProcess.run(["cache", "list", "--cache", directory, "--json"]).objects().count == 3)
      #expect(try EaselProcess.run(["cache", "list", "--cache", directory]).lines.count == 3)
    }
  }

  @Test func aFileOfAnotherProgramIsNoCache() throws {
    try Scratch.with { scratch in
      let diary = Data("My diary, which is no database.".utf8)
      _ = try scratch.write(diary, "index.sqlite")
      for action in ["stat", "list", "trim", "clear", "remove"] {
        let words = ["cache", action, "--cache", scratch.directory.path, "--json"] + (action == "remove" ? ["x"] : [])
        let outcome = try EaselProcess.run(words)
        #expect(try outcome.status == 1 && outcome.errorCode() == "cacheFailed")
        #expect(outcome.text.contains("its index.sqlite is not the database of a cache"))
      }
      #expect(try scratch.names() == ["index.sqlite"] && scratch.data("index.sqlite") == diary)
    }
  }

  @Test func remove() throws {
    try withCache { _, directory in
      let variant = "http://host/picture-Resize({32,0},0).png"
      let one = try EaselProcess.run(["cache", "remove", variant, "--cache", directory, "--json"]).object()
      #expect(one["removed"] as? Int == 1)
      let missing = try EaselProcess.run(["cache", "remove", variant, Self.url, "--cache", directory, "--json"])
      #expect(missing.status == 1)
      let objects = try missing.objects()
      #expect((objects[0]["error"] as? [String: Any])?["code"] as? String == "notInCache")
      #expect(objects[1]["removed"] as? Int == 1)
      #expect(try EaselProcess.run(["cache", "list", "--cache", directory]).lines.count == 1)
    }
  }

  @Test func aURLMeansAllThatWasMadeOfIt() throws {
    try withCache { _, directory in
      let said = try EaselProcess.run(["cache", "remove", Self.url, "--cache", directory, "--json"]).object()
      #expect(said["removed"] as? Int == 2)
    }
  }

  @Test func trimAndClear() throws {
    try withCache { _, directory in
      let kept = try EaselProcess.run(["cache", "trim", "--cache", directory, "--json"]).object()
      #expect(kept["removed"] as? Int == 0)
      let trimmed = try EaselProcess.run(["cache", "trim", "--max-bytes", "4k", "--cache", directory, "--json"])
        .object()
      #expect(try #require(trimmed["removed"] as? Int) >= 1)
      #expect(try #require(trimmed["bytes"] as? Int) <= 4000)
      let aged = try EaselProcess.run(["cache", "trim", "--max-age", "0", "--cache", directory, "--json"]).object()
      #expect(aged["entries"] as? Int == 0)
    }
    try withCache { _, directory in
      let cleared = try EaselProcess.run(["cache", "clear", "--cache", directory, "--json"]).object()
      #expect(cleared["removed"] as? Int == 3 && cleared["entries"] as? Int == 0)
    }
  }

  @Test func whereThereIsNoCache() throws {
    try Scratch.with { scratch in
      let missing = scratch.path("missing")
      for action in ["stat", "list", "trim", "clear"] {
        #expect(try EaselProcess.run(["cache", action, "--cache", missing]).status == 0)
      }
      #expect(try scratch.names().isEmpty, "Looking makes nothing.")
      // Files that are not the cache's must stay.
      let text = try scratch.write(Data("mine".utf8), "letter.txt")
      let outcome = try EaselProcess.run(["cache", "clear", "--cache", scratch.directory.path, "--json"])
      #expect(outcome.status == 1)
      #expect(try outcome.errorCode() == "cacheFailed")
      #expect(try EaselProcess.run(["cache", "stat", "--cache", text]).status == 1)
      #expect(try scratch.names() == ["letter.txt"])
    }
  }

  @Test func aPasswordIsNotShown() throws {
    try Scratch.with { scratch in
      let (directory, store) = (scratch.path("cache"), SQLiteDiskStore(directory: scratch.path("cache")))
      let record = CacheRecord(stored: Date(), generation: 1, mimeType: "image/png")
      let urls = ["http://alice:s3cret@host/a.png", "http://alice:s3cret@host/b.png"]
      for url in urls {
        try store.store(CacheEntry(bytes: ImageBytes([1, 2, 3]), record: record), for: CacheKey(original: url))
      }
      store.close()
      for more in [[], ["--json"]] {
        let said = try EaselProcess.run(["cache", "list", "--cache", directory] + more).lines.joined()
        #expect(said.contains("http://***@host/a.png") && !said.contains("s3cret"))
      }
      // The text that is listed names the entry, and so does the URL itself.
      let listed = try EaselProcess.run(["cache", "remove", "http://***@host/a.png", "--cache", directory, "--json"])
      #expect(try listed.object()["removed"] as? Int == 1)
      let known = try EaselProcess.run(["cache", "remove", urls[1], "--cache", directory])
      #expect(known.status == 0 && known.lines.first?.contains("1 entry removed") == true)
      #expect(!known.lines.joined().contains("s3cret"))
    }
  }

  @Test func oneOfTwoFormsOfAWordIsRemovedAlone() throws {
    try Scratch.with { scratch in
      let store = SQLiteDiskStore(directory: scratch.path("cache"))
      let record = CacheRecord(stored: Date(), generation: 1, mimeType: "image/png")
      let forms = ["http://host/caf\u{E9}.png", "http://host/cafe\u{301}.png"]
      for form in forms {
        try store.store(CacheEntry(bytes: ImageBytes([1, 2, 3]), record: record), for: CacheKey(original: form))
      }
      store.close()
      let said = try EaselProcess.run(["cache", "remove", forms[0], "--cache", scratch.path("cache"), "--json"])
      #expect(try said.object()["removed"] as? Int == 1)
      #expect(try store.contains(CacheKey(original: forms[1])))
      #expect(try !store.contains(CacheKey(original: forms[0])))
    }
  }

  @Test(
    .enabled(if: SmallFileSystem.isPossible, Comment(rawValue: SmallFileSystem.whyNot)),
    arguments: ["clear", "remove", "trim"])
  func aFullDiskCanBeEmptied(action: String) throws {
    try Scratch.with { scratch in
      let directory = scratch.path("disk/cache")
      let fileSystem = try SmallFileSystem(at: scratch.path("disk"), size: "4m")
      defer { withExtendedLifetime(fileSystem) {} }
      let store = SQLiteDiskStore(directory: directory)
      let record = CacheRecord(stored: Date(), generation: 1, mimeType: "image/png")
      for number in 0..<40 {
        let bytes = ImageBytes([UInt8](repeating: 7, count: 500 + number * 500))
        try store.store(CacheEntry(bytes: bytes, record: record), for: CacheKey(original: "http://host/\(number)"))
      }
      let size = try store.totalSize()
      store.close()
      try fileSystem.fill()
      let more =
        ["remove": ["http://host/1", "http://host/39"], "trim": ["--max-bytes", "\(size / 2)"]][action] ?? []
      let outcome = try EaselProcess.run(["cache", action] + more + ["--cache", directory, "--json"])
      #expect(outcome.status == 0, "\(outcome.text)")
      let left = try EaselProcess.run(["cache", "stat", "--cache", directory, "--json"]).object()
      let entries = try #require(left["entries"] as? Int)
      switch action {
      case "clear": #expect(entries == 0)
      case "remove": #expect(entries == 38)
      default: #expect(entries > 0 && (left["bytes"] as? Int).map { $0 <= size / 2 } == true)
      }
    }
  }

  @Test func aDirectoryThatIsALinkIsRefused() throws {
    try withCache { scratch, directory in
      symlink(directory, scratch.path("link"))
      for action in ["stat", "clear"] {
        let outcome = try EaselProcess.run(["cache", action, "--cache", scratch.path("link"), "--json"])
        #expect(outcome.status == 1)
        #expect(try outcome.errorCode() == "cacheFailed")
      }
      let said = try EaselProcess.run(["cache", "stat", "--cache", directory, "--json"]).object()
      #expect(said["entries"] as? Int == 3)
    }
  }

  @Test func theDefaultIsTheUsersOwn() throws {
    try Scratch.with { scratch in
      let said = try EaselProcess.run(
        ["cache", "stat", "--json"], environment: ["XDG_CACHE_HOME": scratch.directory.path]
      ).object()
      #expect(said["input"] as? String == scratch.path("easel"))
    }
  }
}
