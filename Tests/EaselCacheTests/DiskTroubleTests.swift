import EaselCore
import EaselDisk
import EaselTestSupport
import EaselTestTags
import Foundation
import Testing

/// When the disk fails, the picture is delivered and the failure is reported.
@Suite(.tags(.alone))
struct DiskTroubleTests {
  private static let whyNoMount = Comment(rawValue: SmallFileSystem.whyNot)

  private let house: CachingHouse
  private let url = URL(string: "http://host/a.toy")!
  private let picture = ToyImage(width: 40, height: 40, seed: 7)
  private var place: String { house.disk.directory }

  init() throws { house = try CachingHouse { _ in } }

  @Test func aPlaceThatCannotBeADirectory() async throws {
    try Data("a file".utf8).write(to: URL(fileURLWithPath: place))
    try await expectPicturesAndReports()
    try FileManager.default.removeItem(atPath: place)
    try await expectPicturesOfTheDisk()
  }

  @Test(.enabled(if: geteuid() != 0, "root may write everywhere"))
  func aPlaceWhereNothingMayBeWritten() async throws {
    let parent = URL(fileURLWithPath: place).deletingLastPathComponent().path
    chmod(parent, 0o500)
    try await expectPicturesAndReports()
    chmod(parent, 0o700)
    try await expectPicturesOfTheDisk()
  }

  @Test func aDirectoryThatIsDeletedIsMadeAgain() async throws {
    try await expectPicturesOfTheDisk()
    try FileManager.default.removeItem(atPath: place)
    house.clock.advance(by: .seconds(2))
    house.memory.removeAll()
    #expect(try await house.load(url).source == .network)
    try await expectPicturesOfTheDisk()
    #expect(!house.observer.names.contains("cacheFailed"))
  }

  @Test(.enabled(if: SmallFileSystem.isPossible, whyNoMount))
  func aDiskThatIsFull() async throws {
    let fileSystem = try SmallFileSystem(at: place, size: "1m")
    defer { withExtendedLifetime(fileSystem) {} }
    try await expectPicturesOfTheDisk()
    try fileSystem.fill()
    try await expectPicturesAndReports()
  }

  @Test(.enabled(if: SmallFileSystem.isPossible, whyNoMount))
  func aDiskThatCanOnlyBeRead() async throws {
    let fileSystem = try SmallFileSystem(at: place, size: "4m")
    defer { withExtendedLifetime(fileSystem) {} }
    try await expectPicturesOfTheDisk()
    house.disk.close()
    try fileSystem.makeReadOnly()
    let reopened = await house.reopened()
    reopened.loader.script(url, .failure(ImageError(.network, "Lost.")))
    #expect(try await reopened.load(url).source == .disk)
    let other = URL(string: "http://host/b.toy")!
    reopened.loader.script(other, .body(picture.bytes))
    #expect(try await reopened.load(other).source == .network)
    #expect(reopened.observer.names.contains("cacheFailed"))
    reopened.disk.close()
  }

  @Test(.enabled(if: SmallFileSystem.isPossible, whyNoMount))
  func aStoreOnAFullDiskSaysSoAndIsStillRead() throws {
    let fileSystem = try SmallFileSystem(at: place, size: "2m")
    defer { withExtendedLifetime(fileSystem) {} }
    let store = house.disk
    for number in 1...2 { try store.store(entry(number), for: key(number)) }
    var error: ImageError?
    for number in 3..<500 where error == nil {
      do {
        try store.store(entry(number), for: key(number))
      } catch let failure as ImageError {
        error = failure
      }
    }
    #expect(error?.code == .cacheFailed)
    #expect(error?.message.contains("full") == true)
    for number in 1...2 { #expect(try bytes(store, number) == bytes(of: number)) }
    store.close()
  }

  @Test(.enabled(if: SmallFileSystem.isPossible, whyNoMount))
  func aStoreThatCanOnlyBeReadSaysSoAndIsRead() throws {
    let fileSystem = try SmallFileSystem(at: place, size: "4m")
    defer { withExtendedLifetime(fileSystem) {} }
    for number in 1...2 { try house.disk.store(entry(number), for: key(number)) }
    house.disk.close()
    try fileSystem.makeReadOnly()
    let directory = try TemporaryDirectory()
    let store = directory.makeDisk(at: place)
    for number in 1...2 { #expect(try bytes(store, number) == bytes(of: number)) }
    let error = #expect(throws: ImageError.self) { try store.store(entry(3), for: key(3)) }
    #expect(error?.code == .cacheFailed && error?.message.contains("is read-only") == true, "\(error as Any)")
    #expect(throws: ImageError.self) { try store.remove(key(1)) }
    #expect(throws: ImageError.self) { try store.trim() }
    #expect(try store.count() == 2)
    let beside = SQLiteDiskStore(directory: directory.path + "/beside", readOnlyDirectories: [place])
    #expect(try bytes(beside, 1) == bytes(of: 1))
    store.close()
  }

  /// Checks that every load gets its picture although nothing can be stored, and that the observer gets reports.
  private func expectPicturesAndReports() async throws {
    house.memory.removeAll()
    house.observer.forgetEvents()
    for number in 0..<20 {
      let url = URL(string: "http://host/new/\(number).toy")!
      house.loader.script(url, .body(picture.bytes))
      let result = try await house.load(url)
      #expect(result.source == .network)
      #expect(try result.image.bitmap == picture.expectedBitmap())
    }
    #expect(house.observer.names.contains("cacheFailed"))
  }

  /// Checks that loaded pictures are found on the disk.
  private func expectPicturesOfTheDisk() async throws {
    house.loader.script(url, .body(picture.bytes))
    _ = try await house.load(url)
    house.memory.removeAll()
    #expect(try await house.load(url).source == .disk)
  }

  private func key(_ number: Int) -> CacheKey { CacheKey(original: "http://host/\(number)") }

  private func bytes(of number: Int) -> [UInt8] {
    [UInt8](repeating: UInt8(number % 251), count: number % 2 == 0 ? 60 : 30_000)
  }

  private func entry(_ number: Int) -> CacheEntry {
    CacheEntry(bytes: ImageBytes(bytes(of: number)), record: .sample())
  }

  private func bytes(_ store: SQLiteDiskStore, _ number: Int) throws -> [UInt8]? {
    try store.entry(for: key(number))?.bytes?.withUnsafeBytes { Array($0) }
  }
}
