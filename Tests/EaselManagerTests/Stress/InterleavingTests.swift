import EaselSupport
import EaselTestStudio
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager

/// Loading A never changes the result of loading B, even when both run at the same time.
///
/// Rounds of concurrent random operations use a server that changes its pictures; between two rounds everything is at
/// rest. The model has no cache: a delivered picture must equal, pixel by pixel, the decoded and transformed picture of
/// its URL, its scope, its variant and one of the allowed versions. A load that must ask the server may get any version
/// that was current at some time in this round. Other loads may get any version that was current since all caches were
/// last cleared at rest. A load that begins after the manager removed its picture gets no version that had ended when
/// the removal began, even if other loads were in progress.
struct InterleavingTests {
  private static let urls = (0..<3).map { URL(string: "http://host/\($0).toy")! }

  private enum Variant: CaseIterable {
    case plain, small, smaller, tagged, taggedTwice, otherTag, smallTagged

    var thumbnail: PixelSize? {
      switch self {
      case .small, .smallTagged: PixelSize(width: 4, height: 4)
      case .smaller: PixelSize(width: 3, height: 2)
      default: nil
      }
    }

    var tags: [UInt8] {
      switch self {
      case .plain, .small, .smaller: []
      case .tagged, .smallTagged: [1]
      case .taggedTwice: [1, 2]
      case .otherTag: [2]
      }
    }

    var transformer: TransformerPipeline { TransformerPipeline(tags.map { TaggingTransformer($0) }) }

    /// The pixels that the model makes of the bytes.
    func pixels(of picture: ToyImage) throws -> Bitmap {
      var options = DecodeOptions()
      options.thumbnailSize = thumbnail
      let image = try ToyCoder().decode(picture.imageBytes, options: options, work: WorkContext())
      return try transformer.transform(image, work: WorkContext()).bitmap
    }
  }

  /// The model's pixels of each version, computed once because they are compared very often.
  private final class Model: Sendable {
    private struct Place: Hashable {
      let url: URL
      let version: Int
      let token: String?
      let variant: Variant
    }

    private let made = Locked<[Place: Bitmap]>([:])

    func pixels(_ url: URL, version: Int, token: String?, _ variant: Variant) throws -> Bitmap {
      let place = Place(url: url, version: version, token: token, variant: variant)
      if let known = made.withLock({ $0[place] }) { return known }
      let bitmap = try variant.pixels(of: ChangingServer.picture(url, version: version, token: token))
      made.withLock { $0[place] = bitmap }
      return bitmap
    }
  }

  private let model = Model()

  /// The oldest versions that may be seen after a removal.
  private struct Removals: Sendable {
    private var ofAll: [URL: Int] = [:]
    private var ofOne: [CacheKey: Int] = [:]

    func oldest(_ url: URL, _ key: CacheKey?) -> Int { max(ofAll[url] ?? 1, key.flatMap { ofOne[$0] } ?? 1) }

    mutating func add(_ version: Int, of url: URL) { ofAll[url] = max(ofAll[url] ?? 1, version) }

    mutating func add(_ version: Int, of key: CacheKey) { ofOne[key] = max(ofOne[key] ?? 1, version) }
  }

  private struct Ask {
    let url: URL
    let variant: Variant
    let options: ImageOptions
    let token: String?
    let encryption: UInt8?
    let decryption: UInt8?
    let isCancelled: Bool

    init(_ random: inout SeededRandom) {
      url = random.element(of: InterleavingTests.urls)
      variant = random.element(of: Variant.allCases)
      let choices: [ImageOptions] = [
        [], [], [], .fromLoaderOnly, .refreshCached, .fromCacheOnly, .waitStore, .includeData, .progressive,
        [.refreshCached, .includeData],
      ]
      options = random.element(of: choices)
      token = random.element(of: [nil, nil, "a", "b"])
      encryption = random.element(of: [nil, nil, 7, 9])
      decryption = encryption == 7 && random.below(4) == 0 ? 9 : encryption
      isCancelled = random.below(6) == 0
    }

    var isDecryptedWrongly: Bool { encryption != decryption }
    var asksTheServer: Bool { options.contains(.fromLoaderOnly) || options.contains(.refreshCached) }

    var request: ImageRequest {
      var context: ImageContext = [.transformer(variant.transformer)]
      context[.thumbnailSize] = variant.thumbnail
      var headers = HTTPHeaders()
      headers["Authorization"] = token
      headers["X-Encrypt"] = encryption.map { "\($0)" }
      context[.headers] = headers
      if let decryption { context[.decryptor] = XORDecryptor(key: decryption) }
      return ImageRequest(url: url, options: options, context: context)
    }
  }

  @Test(arguments: 0..<repetitions(200, inDebug: 24))
  func everyPictureIsWhatTheModelMakesOfAVersionItMayBeOf(seed: Int) async throws {
    var random = SeededRandom(seed: UInt64(seed))
    let server = ChangingServer(seed: UInt64(seed))
    let studio = Studio { configuration in
      configuration.loader = server
      configuration.identityHeaders = ["Authorization", "X-Encrypt"]
      configuration.observer = nil
    }
    let removals = Locked(Removals())
    var oldest = Self.urls.map { server.version(of: $0) }
    for _ in 0..<6 {
      let current = Self.urls.map { server.version(of: $0) }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<14 {
          let delay = random.below(30)
          if random.below(5) == 0 {
            let choice = random.below(8)
            let ask = Ask(&random)
            group.addTask {
              for _ in 0..<delay { await Task.yield() }
              try await Self.disturb(choice, ask, removals, server, studio)
            }
            continue
          }
          let ask = Ask(&random)
          let index = Self.urls.firstIndex(of: ask.url)!
          let stored = oldest[index]
          let first = ask.asksTheServer ? current[index] : stored
          let patience = random.below(40)
          group.addTask {
            for _ in 0..<delay { await Task.yield() }
            try await check(
              ask, from: first, oldest: stored, patience: patience, removals, server, studio)
          }
        }
        try await group.waitForAll()
      }
      await studio.settle()
      // A caller that cancels is answered before its run has ended.
      await waitUntil { studio.isAtRest }
      await studio.waitUntilNoRoomIsTaken()
      try checkCaches(studio, server)
      if random.below(3) == 0 {
        try await studio.cache.clear(.all)
        oldest = Self.urls.map { server.version(of: $0) }
      }
    }
  }

  private static func disturb(
    _ choice: Int, _ ask: Ask, _ removals: Locked<Removals>, _ server: ChangingServer, _ studio: Studio
  ) async throws {
    let url = ask.url
    switch choice {
    case 0, 1: server.change(url)
    case 5, 6:
      let request = ask.request
      let version = server.version(of: url)
      try await studio.manager.removeCachedImage(for: request)
      if let key = studio.manager.cacheKey(for: request)?.originalKey { removals.withLock { $0.add(version, of: key) } }
    case 7:
      let versions = urls.map { ($0, server.version(of: $0)) }
      try await studio.manager.clearCache()
      removals.withLock { removals in
        for (url, version) in versions { removals.add(version, of: url) }
      }
    case 2: try await studio.cache.clear(.memory)
    case 3: try await studio.cache.remove(CacheKey(original: url.absoluteString), from: .all)
    default: try await studio.cache.clear(.disk)
    }
  }

  private func check(
    _ ask: Ask, from first: Int, oldest: Int, patience: Int, _ removals: Locked<Removals>, _ server: ChangingServer,
    _ studio: Studio
  ) async throws {
    let request = ask.request
    let key = studio.manager.cacheKey(for: request)?.originalKey
    let removed = removals.withLock { $0.oldest(ask.url, key) }
    let (first, oldest) = (max(first, removed), max(oldest, removed))
    let task = studio.manager.load(request)
    let canceller = Task {
      guard ask.isCancelled else { return }
      for _ in 0..<patience { await Task.yield() }
      task.cancel()
    }
    defer { canceller.cancel() }
    do {
      let result = try await task.result
      #expect(!ask.isDecryptedWrongly, "A picture came of bytes that were decrypted with the wrong key.")
      // If the server could not be asked, the cached picture is allowed.
      let from = result.revalidationError == nil ? first : oldest
      let candidates = from...server.version(of: ask.url)
      let version = try candidates.first { version in
        try model.pixels(ask.url, version: version, token: ask.token, ask.variant) == result.image.bitmap
      }
      #expect(version != nil, "\(ask) from \(result.source) is none of the versions \(candidates).")
      #expect(
        TaggingTransformer.tags(of: result.image).isEmpty
          || ask.variant.tags == TaggingTransformer.tags(of: result.image))
      #expect(!result.image.traits.contains(.partial))
      if ask.options.contains(.includeData), let version {
        let bytes = try #require(result.bytes)
        let decoded = try ToyCoder().decode(bytes, options: DecodeOptions(), work: WorkContext())
        #expect(decoded.bitmap == result.image.bitmap, "The bytes of version \(version) are another picture's.")
      }
    } catch let error as ImageError {
      switch error.code {
      case .cancelled: #expect(ask.isCancelled)
      case .notInCache: #expect(ask.options.contains(.fromCacheOnly))
      case .network: break
      case .unsupportedFormat, .badImageData: #expect(ask.isDecryptedWrongly, "\(ask): \(error)")
      default: Issue.record("\(ask): \(error)")
      }
    }
  }

  /// At rest each entry matches its key, and all entries of an original in one layer come from the same bytes.
  private func checkCaches(_ studio: Studio, _ server: ChangingServer) throws {
    for (layer, entries) in [("memory", studio.memory.entries), ("disk", studio.disk.entries)] {
      let originals = Dictionary(grouping: entries, by: \.key.originalKey)
      for (original, entries) in originals {
        let generations = Set(entries.map(\.value.record.generation))
        #expect(generations.count == 1, "\(layer) has \(generations.count) generations of \(original).")
        let url = Self.urls.first { $0.absoluteString == original.original }!
        let hash = original.scope.parts.first { $0.name.contains("authorization") }?.value
        let token = ["a", "b"].first { hexadecimal(SHA256.hash($0.utf8)) == hash }
        #expect((token == nil) == (hash == nil))
        for (key, entry) in entries {
          let variant = Variant.allCases.first { variant in
            let size = variant.thumbnail.map { ["Thumbnail({\($0.width),\($0.height)},1,1)"] } ?? []
            return key.suffixes.map(\.text) == size + variant.tags.map { "Tag(\($0))" }
          }!
          let image =
            try entry.image
            ?? ToyCoder().decode(entry.bytes!, options: DecodeOptions(), work: WorkContext())
          let isRight = try (1...server.version(of: url)).contains { version in
            try model.pixels(url, version: version, token: token, variant) == image.bitmap
          }
          #expect(isRight, "\(layer) has something else under \(key).")
        }
      }
    }
  }
}
