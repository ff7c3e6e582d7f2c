import EaselBenchmarkHarness
import EaselCore

func contextCases() -> [BenchmarkCase] {
  [
    BenchmarkCase("read a key of the core", group: "context", against: "[ObjectIdentifier: any Sendable]", atMost: 2) {
      let context: ImageContext = [.targetKey("a"), .thumbnailSize(PixelSize(width: 1, height: 1)), .scaleFactor(2)]
      let dictionary: [ObjectIdentifier: any Sendable] = [
        ObjectIdentifier(Int.self): 1, ObjectIdentifier(String.self): "a", ObjectIdentifier(Wanted.self): 2.0,
      ]
      return BenchmarkPair(
        subject: .loop { repetitions in
          for _ in 0..<repetitions { blackHole(context[.scaleFactor]) }
        },
        baseline: .loop { repetitions in
          for _ in 0..<repetitions { blackHole(dictionary[ObjectIdentifier(Wanted.self)] as? Double) }
        }
      )
    }
  ] + [1, 5, 12].flatMap { [reading($0, isThere: true), reading($0, isThere: false)] }
}

/// Reads the key that was set last, which is found last, or a missing key.
private func reading(_ count: Int, isThere: Bool) -> BenchmarkCase {
  let name = isThere ? "read the last of \(count)" : "read what is not among \(count)"
  return BenchmarkCase(name, group: "context", against: "[ObjectIdentifier: any Sendable]", atMost: 2) {
    var context = ImageContext()
    var dictionary: [ObjectIdentifier: any Sendable] = [:]
    for (offset, filler) in fillers.prefix(isThere ? count - 1 : count).enumerated() {
      context.merge([filler.entry(offset)])
      dictionary[filler.id] = Double(offset)
    }
    if isThere {
      context[Wanted.self] = 2
      dictionary[ObjectIdentifier(Wanted.self)] = 2.0
    }
    // Two equal contexts are read in turn, so that the read cannot be moved out of the loop.
    let contexts = [context, context]
    let dictionaries = [dictionary, dictionary]
    return BenchmarkPair(
      subject: .loop { repetitions in
        for index in 0..<repetitions { blackHole(contexts[index & 1][Wanted.self]) }
      },
      baseline: .loop { repetitions in
        for index in 0..<repetitions {
          blackHole(dictionaries[index & 1][ObjectIdentifier(Wanted.self)] as? Double)
        }
      }
    )
  }
}

@inline(never)
private func carry(_ context: ImageContext) -> ImageContext { context }

@inline(never)
private func carry(_ array: [any Sendable]) -> [any Sendable] { array }

private enum Wanted: ImageContext.Key {
  static let name = "Wanted"
  static var impact: ImageContext.Impact<Double> { .neutral }
}

private struct Filler {
  let id: ObjectIdentifier
  let entry: (Int) -> ImageContext.Entry
}

private enum Filling<Tag>: ImageContext.Key {
  static var name: String { "\(Tag.self)" }
  static var impact: ImageContext.Impact<Double> { .neutral }
}

private func filler<Tag>(_ tag: Tag.Type) -> Filler {
  Filler(id: ObjectIdentifier(Filling<Tag>.self), entry: { .setting(Filling<Tag>.self, Double($0)) })
}

private var fillers: [Filler] {
  [
    filler(Int.self), filler(Int8.self), filler(Int16.self), filler(Int32.self), filler(Int64.self),
    filler(UInt.self), filler(UInt8.self), filler(UInt16.self), filler(UInt32.self), filler(UInt64.self),
    filler(Float.self), filler(Double.self),
  ]
}
