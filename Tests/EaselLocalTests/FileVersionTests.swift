import EaselCore
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselLocal

/// An edited file counts as another picture.
struct FileVersionTests {
  private let folder: Folder
  private let loader = FileLoader()

  init() throws { folder = try Folder() }

  private func version(_ name: String) -> String? { loader.origin(of: folder.url(name)).cacheIdentity.name }

  @Test func anUntouchedFileKeepsItsName() throws {
    let url = try folder.write([1, 2], to: "a")
    let origin = loader.origin(of: url)
    #expect(origin == loader.origin(of: url))
    #expect(origin.key == url.absoluteString)
    #expect(origin.diskUse == .variantsOnly)
    #expect(origin.cacheIdentity.name != nil)
    // A plain file:// path without escapes is the same file.
    let plain = try #require(URL(string: "file://\(folder.path)/a"))
    #expect(loader.origin(of: plain).cacheIdentity == origin.cacheIdentity)
  }

  @Test func eachThingThatTellsVersionsApartCounts() throws {
    try folder.write([1, 2], to: "a")
    try folder.setModified("a", seconds: 1000, nanoseconds: 5)
    var seen = [try #require(version("a"))]
    func isNew() -> Bool {
      guard let now = version("a"), !seen.contains(now) else { return false }
      seen.append(now)
      return true
    }
    try folder.setModified("a", seconds: 1000, nanoseconds: 6)
    #expect(isNew(), "A nanosecond")
    try folder.setModified("a", seconds: 1001, nanoseconds: 6)
    #expect(isNew(), "A second")
    try folder.truncate("a", to: 1)
    try folder.setModified("a", seconds: 1001, nanoseconds: 6)
    #expect(isNew(), "The size")
    try folder.write([3], to: "b")
    try folder.setModified("b", seconds: 1001, nanoseconds: 6)
    try folder.rename("b", to: "a")
    #expect(isNew(), "The inode")
    try folder.remove("a")
    #expect(isNew(), "No file")
    #expect(version("a") == version("never was"))
  }

  @Test func aFileIsLoadedOnlyUnderItsOwnName() async throws {
    let url = try folder.write([1, 2], to: "a")
    let origin = loader.origin(of: url)
    let scope = CacheKey.Scope(parts: [.init(name: "loader", value: try #require(origin.cacheIdentity.name))])
    let request = LoadRequest(url: url, key: CacheKey(original: origin.key, scope: scope))
    _ = try await loader.load(request, into: RecordingSink())
    try folder.write([1, 2, 3], to: "a")
    for limit in [Int.max, 0] {
      let error = try await #require(throws: ImageError.self) {
        try await FileLoader(memoryLimit: limit).load(request, into: RecordingSink())
      }
      #expect(error.message.contains("changed"))
      #expect(error.code == .truncatedBody)
    }
    // A loader in front of this one names the bytes in its own way.
    let foreign = CacheKey.Scope(parts: [.init(name: "loader", value: "signed")])
    let result = try await loader.load(
      LoadRequest(url: url, key: CacheKey(original: "x", scope: foreign)), into: RecordingSink())
    guard case .bytes(let bytes, _) = result else { throw ImageError(.network, "\(result)") }
    #expect(bytes.count == 3)
  }

  @Test(arguments: [0, 1, 2_000_000])
  func aFileThatShrinksWhileItIsReadIsAnError(count: Int) throws {
    let url = try folder.write(ServerBody.bytes(3_000_000), to: "a")
    let file = try LocalFile(LocalPath(url))
    try folder.truncate("a", to: count)
    let error = try #require(throws: ImageError.self) { try file.contents(Cancellation()) }
    #expect(error.code == .truncatedBody)
    #expect(error.message.contains("3000000 bytes, but now it ends at \(count)"))
  }

  @Test func aLargeFileThatShrinksIsAnError() async throws {
    let url = try folder.write(ServerBody.bytes(1000), to: "a")
    let result = try await FileLoader(memoryLimit: 0).load(LoadRequest(url: url), into: RecordingSink())
    guard case .bytes(let bytes, _) = result else { throw ImageError(.network, "\(result)") }
    try folder.truncate("a", to: 10)
    #expect(throws: ImageError.self) { try bytes.withUnsafeBytes { $0.count } }
  }

  @Test func aFileThatIsWrittenWhileItIsReadIsAnError() throws {
    let url = try folder.write([1, 2, 3], to: "a")
    try folder.setModified("a", seconds: 1, nanoseconds: 0)
    let file = try LocalFile(LocalPath(url))
    try file.requireUnchanged()
    _ = try file.contents(Cancellation())
    try folder.write([4, 5, 6], to: "a")
    #expect(throws: ImageError.self) { try file.requireUnchanged() }
  }

  @Test func aCancelledReadStops() throws {
    let file = try LocalFile(LocalPath(try folder.write([1, 2, 3], to: "a")))
    let cancellation = Cancellation()
    cancellation.cancel()
    #expect(throws: CancellationError.self) { try file.contents(cancellation) }
  }
}
