import EaselCore
import EaselTestSupport
import EaselWorkers
import FoundationEssentials
import Glibc
import Testing

@testable import EaselLocal

struct FileLoaderTests {
  private let folder: Folder
  private let loader = FileLoader()

  init() throws { folder = try Folder() }

  private func load(_ url: URL, by loader: FileLoader? = nil) async throws -> [UInt8] {
    let result = try await (loader ?? self.loader).load(LoadRequest(url: url), into: RecordingSink())
    guard case .bytes(let bytes, let head) = result else { throw ImageError(.network, "\(result)") }
    #expect(head.url == url)
    return try bytes.withUnsafeBytes { Array($0) }
  }

  private func failure(_ url: URL) async -> ImageError? {
    do {
      _ = try await loader.load(LoadRequest(url: url), into: RecordingSink())
      return nil
    } catch {
      return error as? ImageError
    }
  }

  @Test(arguments: [Int.max, 0])
  func itKeepsTheContract(memoryLimit: Int) async throws {
    let samples = try [0, 1, 5000, 1_100_000].map { count in
      let body = ServerBody.bytes(count)
      return ImageLoaderContract.Sample(try folder.write(body, to: "\(count).bin"), body: body)
    }
    let loader = FileLoader(memoryLimit: memoryLimit)
    let contract = ImageLoaderContract(
      loader, samples: samples, foreignURL: URL(string: "http://host/a.png")!, failingURL: folder.url("missing"))
    #expect(await contract.check() == [])
  }

  @Test(arguments: ["a b.png", "ünïcode 日本.png", "a#b?c.png", "100%.png", "%41.png", "semi;colon&.png"])
  func aNameMayHoldAnything(name: String) async throws {
    #expect(try await load(folder.write([1, 2, 3], to: name)) == [1, 2, 3])
  }

  @Test(arguments: [Int.max, 0])
  func theResponseStatesNoType(memoryLimit: Int) async throws {
    let loader = FileLoader(memoryLimit: memoryLimit)
    let result = try await loader.load(LoadRequest(url: folder.write([1, 2], to: "a.png")), into: RecordingSink())
    guard case .bytes(_, let head) = result else { throw ImageError(.network, "\(result)") }
    #expect(head.headers.fields.isEmpty)
  }

  @Test func aNameMayBeNoUTF8() async throws {
    let name: [UInt8] = [0xff, 0xfe, UInt8(ascii: "a")]
    try folder.write([4, 5], to: name)
    #expect(try await load(folder.url(name)) == [4, 5])
    #expect(try await load(folder.url(name), by: FileLoader(memoryLimit: 0)) == [4, 5])
    // The damaged name would lead to another file.
    #expect(await failure(folder.url("\u{fffd}\u{fffd}a"))?.code == .invalidURL)
  }

  @Test func whatFollowsThePathIsNoPartOfIt() async throws {
    let url = try folder.write([7], to: "a.png")
    for suffix in ["?size=3", "#top", "?a#b"] {
      #expect(try await load(URL(string: url.absoluteString + suffix)!) == [7])
    }
  }

  @Test func thisMachineHasNoNameOrLocalhost() async throws {
    try folder.write([7], to: "a.png")
    for beginning in ["file://", "file://localhost", "file://LOCALHOST", "file:", "FILE://"] {
      let url = try #require(URL(string: "\(beginning)\(folder.path)/a.png"))
      #expect(loader.canLoad(url))
      #expect(try await load(url) == [7])
    }
    let elsewhere = try #require(URL(string: "file://elsewhere\(folder.path)/a.png"))
    let error = try #require(await failure(elsewhere))
    #expect(error.code == .unsupportedURL)
    #expect(error.message.contains("elsewhere"))
  }

  @Test(arguments: ["file:a.png", "file:./a.png", "file:", "file://", "file://localhost"])
  func aPathMustBeAbsolute(text: String) async throws {
    #expect(await failure(try #require(URL(string: text)))?.code == .invalidURL)
  }

  @Test func aNullIsRefused() async throws {
    try folder.write([1], to: "a")
    let url = try #require(URL(string: "file://\(folder.path)/a%00.png"))
    #expect(await failure(url)?.code == .invalidURL)
    #expect(loader.origin(of: url).cacheIdentity == loader.origin(of: folder.url("missing")).cacheIdentity)
  }

  @Test func aLinkIsFollowed() async throws {
    try folder.write([9], to: "target")
    #expect(symlink("target", "\(folder.path)/link") == 0)
    #expect(try await load(folder.url("link")) == [9])
    #expect(symlink("nothing", "\(folder.path)/dangling") == 0)
    #expect(await failure(folder.url("dangling"))?.message.contains("There is no file") == true)
    #expect(symlink("ring", "\(folder.path)/ring") == 0)
    #expect(await failure(folder.url("ring"))?.code == .invalidURL)
  }

  @Test func whatIsNoFileIsRefusedAndNeverBlocks() async throws {
    #expect(mkfifo("\(folder.path)/pipe", 0o600) == 0)
    try FileManager.default.createDirectory(atPath: "\(folder.path)/directory", withIntermediateDirectories: true)
    let cases = [
      (folder.url("pipe"), "a pipe"), (folder.url("directory"), "a directory"),
      (URL(string: "file:///dev/zero")!, "a device"), (URL(string: "file:///dev/null")!, "a device"),
    ]
    for (url, kind) in cases {
      let error = try #require(await failure(url))
      #expect(error.code == .invalidURL)
      #expect(error.message.contains(kind), "\(error)")
    }
  }

  @Test func aMissingFileIsNamed() async throws {
    for url in [folder.url("missing.png"), URL(string: "file:///dev/null/below")!] {
      let error = try #require(await failure(url))
      #expect(error.code == .invalidURL)
      #expect(error.message.contains("There is no file /"))
      // The manager's rule applies: such a URL is blocked for a while.
      #expect(loader.shouldBlock(url, after: error) == nil)
    }
  }

  @Test func aFileThatMayNotBeReadIsTriedAgain() async throws {
    let url = try folder.write([1], to: "secret")
    #expect(chmod("\(folder.path)/secret", 0) == 0)
    // The thread runs as `nobody`, because root may read everything.
    let workers = WorkerSet(threads: 1)
    let isNobody = try await workers.run {
      typealias SetUser = @convention(c) (uid_t) -> CInt
      guard let symbol = dlsym(nil, "setfsuid") else { return false }
      _ = unsafeBitCast(symbol, to: SetUser.self)(65_534)
      return true
    }
    try #require(isNobody)
    #expect(chmod(folder.path, 0o755) == 0)
    let loader = FileLoader(memoryLimit: .max, workers: workers)
    let error = try await #require(throws: ImageError.self) {
      try await loader.load(LoadRequest(url: url), into: RecordingSink())
    }
    #expect(error.code == .invalidURL)
    #expect(error.message.contains("may not read"))
    #expect(loader.shouldBlock(url, after: error) == false)
  }

  @Test func aFileOverTheLimitIsNotRead() async throws {
    // A sparse file of a terabyte, which could not be read.
    try folder.write([], to: "huge")
    try folder.truncate("huge", to: 1 << 40)
    #expect(await failure(folder.url("huge"))?.code == .limitExceeded)
    let small = try folder.write([1, 2, 3], to: "small")
    let exact = LoadRequest(url: small, byteLimit: 3)
    _ = try await loader.load(exact, into: RecordingSink())
    let error = await #expect(throws: ImageError.self) {
      try await loader.load(LoadRequest(url: small, byteLimit: 2), into: RecordingSink())
    }
    #expect(error?.code == .limitExceeded)
    #expect(error?.message.contains("3 bytes") == true)
  }

  @Test func aLargeFileStaysWhereItIs() async throws {
    let url = try folder.write(ServerBody.bytes(101), to: "large")
    for (limit, isInFile) in [(100, true), (101, false)] {
      let loader = FileLoader(memoryLimit: limit)
      let result = try await loader.load(LoadRequest(url: url), into: RecordingSink())
      guard case .bytes(let bytes, _) = result else {
        Issue.record("\(result)")
        return
      }
      #expect(bytes.filePath == (isInFile ? "\(folder.path)/large" : nil))
    }
  }

  @Test func readingHappensOnWorkers() async throws {
    let url = try folder.write([1], to: "a")
    let workers = WorkerSet(threads: 1)
    let gate = Gate()
    workers.start(at: LoadPriority.Live()) { gate.pass() }
    await gate.waitForWaiters()
    let loader = FileLoader(memoryLimit: .max, workers: workers)
    let loads = (0..<2).map { _ in Task { try await load(url, by: loader) } }
    // A cancelled load ends although the only thread is busy.
    loads[0].cancel()
    await #expect(throws: CancellationError.self) { try await loads[0].value }
    gate.open()
    #expect(try await loads[1].value == [1])
  }
}
