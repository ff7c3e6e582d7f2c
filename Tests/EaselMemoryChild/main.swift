import EaselCore
import EaselManager
import EaselMemory
import EaselTiers
import FoundationEssentials

// usage: EaselMemoryChild PICTURES LIMIT-IN-MEBIBYTES same|mixed
//
// Loads this many pictures of about a mebibyte, eight at a time, with a manager whose memory has this limit, and prints
// the peak memory of the process. This is a separate process, because nothing else may be counted.
let pictures = Int(CommandLine.arguments[1])!
let limit = Int(CommandLine.arguments[2])! << 20
let isMixed = CommandLine.arguments[3] == "mixed"

let store = LRUMemoryStore(.init(costLimit: limit))
let manager = ImageManager(
  .init(loader: BareLoader(), coder: CoderRegistry([BareCoder(isMixed: isMixed)]), cache: TieredCache(memory: store)))

@Sendable func load(_ numbers: StrideTo<Int>, by manager: ImageManager) async -> Int {
  var loaded = 0
  for number in numbers {
    guard let url = URL(string: "http://host/\(number)") else { continue }
    if let image = try? await manager.image(for: url), image.size.width > 0 { loaded += 1 }
  }
  return loaded
}

let loaded = await withTaskGroup { group in
  for lane in 0..<8 {
    group.addTask { await load(stride(from: lane, to: pictures, by: 8), by: manager) }
  }
  var sum = 0
  for await count in group { sum += count }
  return sum
}
print("loaded \(loaded)")
print("kept \(store.totalCost)")
print("peak \(ProcessMemory.peak)")
