import EaselCore
import EaselMemory
import FoundationEssentials

/// A generator whose numbers depend on its seed alone.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed &+ 0x9E37_79B9_7F4A_7C15 }

  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state &* 0x2545_F491_4F6C_DD1D
  }
}

let storedDate = Date(timeIntervalSince1970: 1_000_000)

func key(_ number: Int, _ suffixes: String...) -> CacheKey {
  CacheKey(original: "http://example.org/\(number).png", suffixes: suffixes.map { KeySuffix($0) })
}

func entry(cost: Int = 1, generation: UInt64 = 1) -> CacheEntry {
  CacheEntry(
    bytes: ImageBytes([UInt8](repeating: 7, count: cost)),
    record: CacheRecord(stored: storedDate, generation: generation))
}

func pictureEntry() throws -> CacheEntry {
  let bitmap = try Bitmap(size: PixelSize(width: 4, height: 4), format: .rgba8)
  return CacheEntry(image: Image(bitmap), record: CacheRecord(stored: storedDate, generation: 1))
}

func response(_ tag: String) -> ResponseRecord {
  ResponseRecord(status: 200, headers: ["ETag": tag], requested: storedDate, received: storedDate)
}

func makeStore(
  cost: Int = 1 << 30, count: Int? = nil, clock: HandClock = HandClock(),
  change: (inout LRUMemoryStore.Configuration) -> Void = { _ in }
) -> LRUMemoryStore {
  var configuration = LRUMemoryStore.Configuration(costLimit: cost, countLimit: count)
  configuration.shrinksUnderPressure = false
  change(&configuration)
  return LRUMemoryStore(configuration, clock: clock, pressure: { nil })
}
