import EaselBenchmarkHarness
import EaselCore
import EaselManager
import EaselTiers
import FoundationEssentials

func keyCases() -> [BenchmarkCase] {
  let keys = makeKeys()
  let numbers = Dictionary(uniqueKeysWithValues: (0..<keyCount).map { ($0 &* 0x9e37_79b9, $0) })
  let byNumber = BenchmarkSide.loop { repetitions in
    for index in 0..<repetitions { blackHole(numbers[(index & (keyCount - 1)) &* 0x9e37_79b9]) }
  }
  return [
    BenchmarkCase("look up the same key", group: "keys", against: "[Int: Int]", atMost: 2.5) {
      let table = Dictionary(uniqueKeysWithValues: zip(keys, 0...))
      return BenchmarkPair(subject: lookUp(keys, in: table), baseline: byNumber)
    },
    BenchmarkCase("look up a key of 4,000 characters", group: "keys", against: "one of 40", atMost: 1.2) {
      let long = makeKeys(length: 4000)
      let short = makeKeys(length: 40)
      return BenchmarkPair(
        subject: lookUp(long, in: Dictionary(uniqueKeysWithValues: zip(long, 0...))),
        baseline: lookUp(short, in: Dictionary(uniqueKeysWithValues: zip(short, 0...))))
    },
    BenchmarkCase("look up a key that is not there", group: "keys", against: "[Int: Int]", atMost: 2.5) {
      let table = Dictionary(uniqueKeysWithValues: zip(keys, 0...))
      return BenchmarkPair(subject: lookUp(makeKeys("other"), in: table), baseline: byNumber)
    },
    BenchmarkCase("look up an equal key made apart", group: "keys", against: "[String: Int]", atMost: 1) {
      let table = Dictionary(uniqueKeysWithValues: zip(keys, 0...))
      let texts = keys.map(\.readable)
      let byText = Dictionary(uniqueKeysWithValues: zip(texts, 0...))
      let others = keys.map(\.readable)
      return BenchmarkPair(
        subject: lookUp(makeKeys(), in: table),
        baseline: .loop { repetitions in
          for index in 0..<repetitions { blackHole(byText[others[index & (keyCount - 1)]]) }
        })
    },
    BenchmarkCase("ask a resolved request for its key", group: "keys", against: "[Int: Int]", atMost: 2) {
      let configuration = ImageManager.Configuration(
        loader: LoaderChain([]), coder: CoderRegistry(), cache: TieredCache())
      let owner = Owner()
      let request = ImageRequest(keys[0].original, context: [.thumbnailSize(PixelSize(width: 320, height: 240))])
      return BenchmarkPair(
        subject: .loop { repetitions in ask(request, configuration, owner, repetitions) },
        baseline: byNumber)
    },
  ]
}

private final class Owner: Sendable {}

@inline(never)
private func ask(
  _ request: ImageRequest, _ configuration: ImageManager.Configuration, _ owner: Owner, _ repetitions: Int
) {
  for _ in 0..<repetitions { blackHole(request.resolved(with: configuration, by: owner)?.variantKey) }
}

private let keyCount = 1024

/// New keys of pictures whose URLs have this many characters; they share no storage with other keys.
private func makeKeys(_ host: String = "images", length: Int = 80) -> [CacheKey] {
  (0..<keyCount).map { index in
    let head = "https://\(host).example.com/"
    let tail = "/\(index).jpeg"
    let path = String(repeating: "p", count: length - head.count - tail.count)
    return CacheKey(original: head + path + tail, suffixes: [CacheKey.Suffix("Thumbnail({320,240},1)", origin: .size)])
  }
}

private func lookUp(_ keys: [CacheKey], in table: [CacheKey: Int]) -> BenchmarkSide {
  .loop { repetitions in
    for index in 0..<repetitions { blackHole(table[keys[index & (keyCount - 1)]]) }
  }
}
