import EaselCore
import EaselMemory
import EaselTestSupport
import FoundationEssentials

let storedDate = Date(timeIntervalSince1970: 1_000_000)

func key(_ number: Int, _ suffixes: String...) -> CacheKey {
  CacheKey(original: "http://example.org/\(number).png", suffixes: suffixes.map { CacheKey.Suffix($0) })
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

func response(_ tag: String) -> CacheRecord.Response {
  CacheRecord.Response(status: 200, headers: ["ETag": tag], requested: storedDate, received: storedDate)
}

func makeStore(
  cost: Int = 1 << 30, count: Int? = nil, clock: ManualClock = ManualClock(),
  change: (inout LRUMemoryStore.Configuration) -> Void = { _ in }
) -> LRUMemoryStore {
  var configuration = LRUMemoryStore.Configuration(costLimit: cost, countLimit: count)
  configuration.shrinksUnderPressure = false
  change(&configuration)
  return LRUMemoryStore(configuration, clock: clock, pressure: { nil })
}
