import EaselSupport
import EaselTestStudio
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager

private enum Number: ImageContext.Key {
  static let name = "Number"
  static var impact: ImageContext.Impact<Int> { .neutral }
}

private enum Maybe: ImageContext.Key {
  static let name = "Maybe"
  static var impact: ImageContext.Impact<String?> { .neutral }
}

private final class Witness: Sendable {}

private enum Held: ImageContext.Key {
  static let name = "Held"
  static var impact: ImageContext.Impact<Witness> { .neutral }
}

struct ImageContextTests {
  @Test func aValueComesBackUnderItsKeyOnly() {
    var context = ImageContext()
    context[.scaleFactor] = 2
    context[Number.self] = 3
    #expect(context[.scaleFactor] == 2)
    #expect(context[Number.self] == 3)
    #expect(context[.targetKey] == nil)
    #expect(!context.isEmpty)
  }

  @Test func keysOfOneTypeDoNotMixUp() {
    let context: ImageContext = [
      .queryLayers(.memory), .storeLayers(.disk), .originalQueryLayers([]), .originalStoreLayers(.all),
    ]
    #expect(context[.queryLayers] == .memory)
    #expect(context[.storeLayers] == .disk)
    #expect(context[.originalQueryLayers] == [])
    #expect(context[.originalStoreLayers] == .all)
  }

  @Test func aChangedCopyLeavesTheOtherAsItWas() {
    var first: ImageContext = [.scaleFactor(1), .targetKey("a")]
    let second = first
    first[.scaleFactor] = 2
    first[.targetKey] = nil
    first[Number.self] = 1
    #expect(second[.scaleFactor] == 1)
    #expect(second[.targetKey] == "a")
    #expect(second[Number.self] == nil)
    #expect(first[.scaleFactor] == 2)
    #expect(first[.targetKey] == nil)
  }

  @Test func nilRemovesAKeyAndLastsUntilItIsSetAgain() {
    var context: ImageContext = [.scaleFactor(1)]
    context[.scaleFactor] = nil
    #expect(context.isEmpty)
    context[.scaleFactor] = nil
    #expect(context.isEmpty)
    context[.scaleFactor] = 4
    #expect(context[.scaleFactor] == 4)
  }

  @Test func aValueThatIsItselfOptionalMayBeNil() {
    var context = ImageContext()
    context[Maybe.self] = .some(nil)
    #expect(!context.isEmpty)
    #expect(context[Maybe.self] == .some(nil))
    context[Maybe.self] = .none
    #expect(context.isEmpty)
  }

  @Test func ofTwoEntriesWithOneKeyTheLastCounts() {
    let context: ImageContext = [.scaleFactor(1), .targetKey("a"), .scaleFactor(3)]
    #expect(context[.scaleFactor] == 3)
    #expect(context[.targetKey] == "a")
  }

  @Test func mergingReplacesAndKeepsTheRest() {
    var context: ImageContext = [.scaleFactor(1), .targetKey("a")]
    let other: ImageContext = [.setting(Number.self, 7), .scaleFactor(2)]
    context.merge(other)
    #expect(context[.scaleFactor] == 2)
    #expect(context[.targetKey] == "a")
    #expect(context[Number.self] == 7)
    #expect(other[.targetKey] == nil)
    context.merge(ImageContext())
    #expect(context[Number.self] == 7)
    var empty = ImageContext()
    empty.merge(context)
    #expect(empty[.targetKey] == "a")
    empty[.targetKey] = "b"
    #expect(context[.targetKey] == "a")
  }

  @Test func keysNobodyKnowsReachTheProcessorAndTheLoad() throws {
    let witness = Witness()
    let seen = Locked<Witness?>(nil)
    var configuration = Stub.configuration()
    configuration.optionsProcessor = .closure { _, _, context in seen.withLock { $0 = context[Held.self] } }
    let request = ImageRequest("http://foo/a.png", context: [.setting(Held.self, witness)])
    let resolved = try #require(request.resolved(with: configuration, by: Stub.Owner()))
    #expect(seen.withLock { $0 } === witness)
    #expect(resolved.context[Held.self] === witness)
  }

  @Test func allEmptyContextsAreTheSameNothing() {
    func address(_ context: ImageContext) -> UInt { withUnsafeBytes(of: context) { $0.load(as: UInt.self) } }
    #expect(MemoryLayout<ImageContext>.size == MemoryLayout<UInt>.size)
    // Separate storage would have a separate address.
    let literal: ImageContext = []
    #expect(address(ImageContext()) == address(literal))
    #expect(address(ImageRequest("http://foo").context) == address(literal))
    var written = ImageContext()
    written[.scaleFactor] = nil
    #expect(address(written) == address(literal))
    written.merge(literal)
    #expect(address(written) == address(literal))
  }

  @Test func aContextLetsGoOfWhatItHeld() {
    weak var witness: Witness?
    do {
      var context: ImageContext = [.setting(Held.self, Witness())]
      witness = context[Held.self]
      #expect(witness != nil)
      context[Held.self] = nil
    }
    #expect(witness == nil)
  }

  @Test func aRandomHistoryOfChangesMatchesADictionary() {
    var random = SeededRandom(seed: 4)
    let keys: [ContextKey<CacheLayers>] = [.queryLayers, .storeLayers, .originalQueryLayers, .originalStoreLayers]
    var context = ImageContext()
    var model: [Int: CacheLayers] = [:]
    var snapshots: [(ImageContext, [Int: CacheLayers])] = []
    for _ in 0..<2_000 {
      let index = random.below(keys.count)
      let value = random.below(4) == 0 ? nil : CacheLayers(rawValue: UInt8(random.below(4)))
      context[keys[index]] = value
      model[index] = value
      if random.below(100) == 0 { snapshots.append((context, model)) }
    }
    snapshots.append((context, model))
    for (context, model) in snapshots {
      for (index, key) in keys.enumerated() { #expect(context[key] == model[index]) }
    }
  }
}
