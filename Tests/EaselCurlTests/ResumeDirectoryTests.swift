import EaselCore
import EaselTestSupport
import EaselTestTags
import FoundationEssentials
import Glibc
import Testing

@testable import EaselCurl

/// Cut bodies in a directory, which outlives the process and may contain damaged or planted files.
@Suite(.tags(.alone))
struct ResumeDirectoryTests {
  private let body = CutFile.body

  @Test func aDirectoryOutlivesTheStore() async throws {
    let directory = FileManager.default.temporaryDirectory.appending(
      path: "easel-resume-\(UInt64.random(in: 0...(.max)))")
    defer { try? FileManager.default.removeItem(at: directory) }
    let cut = CutFile.cut(after: 50_000)
    let file = CutFile.whole()
    let server = try ScriptableServer(routes: ["/a": ServerRoute { $0.visit == 0 ? cut : file.answer(to: $0) }])
    defer { server.close() }
    let store = CurlLoader.ResumeStore(directory: directory.path())
    try await withLoader({
      $0.maximumResumptions = 0
      $0.resumeStore = store
    }) { loader in
      let failure = await loader.failure(of: server.url("/a"))
      #expect(failure?.code == .truncatedBody)
      try Task.checkCancellation()
    }
    await store.waitForFiles()
    #expect(store.count == 0)
    try await withLoader({ $0.resumeStore = CurlLoader.ResumeStore(directory: directory.path()) }) { loader in
      let sink = try await loader.body(server.url("/a")).sink
      #expect(sink.body == body)
      #expect(sink.heads.count == 1)
    }
    #expect(server.requests.last?.headers["Range"] == "bytes=50000-")
    let left = try FileManager.default.contentsOfDirectory(atPath: directory.path())
    #expect(left.isEmpty)
  }

  /// Only the check of the bytes detects this damage.
  @Test(arguments: [10, -1, -40_000, -100])
  func aDamagedPartOnDiskIsNotJoined(place: Int) async throws {
    let directory = FileManager.default.temporaryDirectory.appending(
      path: "easel-resume-\(UInt64.random(in: 0...(.max)))")
    defer { try? FileManager.default.removeItem(at: directory) }
    let store = CurlLoader.ResumeStore(directory: directory.path())
    let (sink, requests) = try await CutFile.twoLoads(store, then: CutFile.whole()) {
      await store.waitForFiles()
      let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path())) ?? []
      #expect(names.count == 1)
      for name in names {
        let file = directory.appending(path: name)
        guard var bytes = try? Data(contentsOf: file) else { continue }
        bytes[place < 0 ? bytes.count + place : place] ^= 1
        try? bytes.write(to: file)
      }
    }
    #expect(sink.body == body)
    #expect(requests.last?.headers["Range"] == nil)
  }

  /// Another user who may write to the directory could plant half a picture.
  @Test(arguments: [true, false])
  func aDirectoryOfOthersIsNotUsed(isLink: Bool) async throws {
    let place = FileManager.default.temporaryDirectory.appending(path: "easel-resume-\(UInt64.random(in: 0...(.max)))")
    let directory = place.appending(path: "kept")
    let target = place.appending(path: "target")
    try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: place) }
    if isLink {
      try FileManager.default.createSymbolicLink(at: directory, withDestinationURL: target)
    } else {
      try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
      #expect(chmod(directory.path(), 0o777) == 0)
    }
    let store = CurlLoader.ResumeStore(directory: directory.path())
    let (sink, requests) = try await CutFile.twoLoads(store, then: CutFile.whole()) {
      await store.waitForFiles()
      #expect((try? FileManager.default.contentsOfDirectory(atPath: directory.path())) == [])
    }
    #expect(sink.body == body)
    #expect(requests.last?.headers["Range"] == nil)
  }

  @Test func nothingIsRemovedThroughALink() async throws {
    let place = FileManager.default.temporaryDirectory.appending(path: "easel-resume-\(UInt64.random(in: 0...(.max)))")
    let target = place.appending(path: "target")
    try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: place) }
    let letter = target.appending(path: "letter.partial")
    try Data("letter".utf8).write(to: letter)
    let directory = place.appending(path: "kept")
    try FileManager.default.createSymbolicLink(at: directory, withDestinationURL: target)
    await CurlLoader.ResumeStore(directory: directory.path()).removeAll()
    #expect(try Data(contentsOf: letter) == Data("letter".utf8))
    await CurlLoader.ResumeStore(directory: target.path()).removeAll()
    #expect(try FileManager.default.contentsOfDirectory(atPath: target.path()).isEmpty)
  }
}
