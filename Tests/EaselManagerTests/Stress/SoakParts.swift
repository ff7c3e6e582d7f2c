import EaselSupport
import EaselTestSupport
import FoundationEssentials

@testable import EaselCore

/// Plug-ins without memory, so that anything left after many loads belongs to the manager.
enum SoakParts {
  /// Delivers four bytes in two steps after some yields; every seventh URL fails.
  final class Loader: ImageLoader {
    let cacheIdentity = CacheIdentity.plain
    private let counter = Locked(0)

    var callCount: Int { counter.withLock { $0 } }

    func canLoad(_ url: URL) -> Bool { true }

    func load(_ request: LoadRequest, into sink: any LoadSink) async throws -> LoadResult {
      let number = counter.withLock { count in
        count += 1
        return count
      }
      let follower = Locked(LoadPriority.normal)
      request.priority.onChange { priority in follower.withLock { $0 = priority } }
      for _ in 0..<number % 5 {
        try Task.checkCancellation()
        await Task.yield()
      }
      let text = request.url.absoluteString
      if text.hasSuffix("7") { throw ImageError(.network, "The line is cut.", subject: text) }
      if try !sink.beginAtOnce(ResponseHead(status: 200, expectedLength: 4)) {
        try await sink.begin(ResponseHead(status: 200, expectedLength: 4))
      }
      let value = UInt8(truncatingIfNeeded: text.utf8.reduce(0) { $0 &+ Int($1) })
      for part: [UInt8] in [[83, 79], [65, value]] {
        guard part.withUnsafeBytes(sink.append) == .more else { throw CancellationError() }
        if number % 3 == 0 { await Task.yield() }
      }
      return .body(nil)
    }
  }

  /// Makes a bitmap of one pixel from the last byte.
  struct Coder: ImageCoder {
    let identifier = "soak"
    let formats = [ImageFormat(mimeType: "image/x-soak")]

    func canDecode(prefix: [UInt8]) -> Bool { prefix.starts(with: [83, 79]) }

    func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader {
      throw ImageError(.unsupportedFormat, "Nobody asks for headers here.")
    }

    func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image {
      try work.checkCancellation()
      let value = try bytes.withUnsafeBytes { $0[3] }
      var bitmap = try Bitmap(size: PixelSize(width: 1, height: 1), format: .rgba8)
      bitmap.withUnsafeMutableBytes { $0[0] = value }
      return Image(bitmap)
    }
  }

  struct Adder: Transformer {
    let amount: UInt8
    var cacheKey: String { "Add(\(amount))" }

    func transform(_ image: Image, work: WorkContext) throws -> Image {
      var image = image
      image.bitmap.withUnsafeMutableBytes { $0[0] &+= amount }
      return image
    }
  }

  /// Keeps at most 40 entries.
  final class Store: MemoryStore {
    private let entries = Locked<[CacheKey: CacheEntry]>([:])

    func entry(for key: CacheKey) -> CacheEntry? { entries.withLock { $0[key] } }
    func store(_ entry: CacheEntry, for key: CacheKey) {
      entries.withLock { entries in
        if entries.count >= 40 { entries = [:] }
        entries[key] = entry
      }
    }
    func renew(_ response: CacheRecord.Response?, ofOriginal key: CacheKey, generation: UInt64) {}
    func remove(_ key: CacheKey) { entries.withLock { $0[key] = nil } }
    func contains(_ key: CacheKey) -> Bool { entries.withLock { $0[key] != nil } }
    func removeAll() { entries.withLock { $0 = [:] } }
    func trim() {}
    var count: Int { entries.withLock { $0.count } }
    var totalCost: Int { 0 }
  }

  /// The resident memory of the process in bytes.
  static func residentBytes() -> Int {
    let words = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ") ?? []
    return words.count > 1 ? (Int(words[1]) ?? 0) * 4096 : 0
  }
}
