import EaselTestSupport
import Testing

@testable import EaselCore
@testable import EaselManager

struct LayerPlanTests {
  private static let layerSets: [CacheLayers] = [[], .memory, .disk, .local]
  private static let choices: [CacheLayers?] = [nil] + layerSets.map { $0 }

  /// The facts besides the four settings that decide where a load may be stored.
  struct Situation: Sendable, CustomTestStringConvertible {
    var isVariant = false
    var isCacheable = true
    var isStorable = true
    var fromLoaderOnly = false
    var diskUse = ImageOrigin.DiskUse.everything

    var testDescription: String {
      "\(isVariant ? "variant" : "plain") \(isCacheable ? "" : "uncacheable ")\(isStorable ? "" : "unstorable ")"
        + "\(fromLoaderOnly ? "fromLoaderOnly " : "")\(diskUse)"
    }

    /// The layers that may hold the requested picture.
    var pictureLayers: CacheLayers {
      if !isCacheable { return [] }
      let mayUseDisk = isStorable && (diskUse == .everything || diskUse == .variantsOnly && isVariant)
      return mayUseDisk ? .local : .memory
    }

    /// The layers that may hold the original of a variant.
    var originalLayers: CacheLayers {
      if !isCacheable { return [] }
      return isStorable && diskUse == .everything ? .local : .memory
    }
  }

  static let situations: [Situation] = [false, true].flatMap { isVariant in
    [false, true].flatMap { isCacheable in
      [false, true].flatMap { isStorable in
        [false, true].flatMap { fromLoaderOnly in
          [ImageOrigin.DiskUse.everything, .variantsOnly, .nothing].map { diskUse in
            Situation(
              isVariant: isVariant, isCacheable: isCacheable, isStorable: isStorable, fromLoaderOnly: fromLoaderOnly,
              diskUse: diskUse)
          }
        }
      }
    }
  }

  private func plan(
    _ situation: Situation, query: CacheLayers? = nil, store: CacheLayers? = nil, originalQuery: CacheLayers? = nil,
    originalStore: CacheLayers? = nil
  ) -> LayerPlan {
    var context = ImageContext()
    context[.queryLayers] = query
    context[.storeLayers] = store
    context[.originalQueryLayers] = originalQuery
    context[.originalStoreLayers] = originalStore
    return LayerPlan(
      options: situation.fromLoaderOnly ? .fromLoaderOnly : [], context: context, isVariant: situation.isVariant,
      isCacheable: situation.isCacheable, isStorable: situation.isStorable, diskUse: situation.diskUse)
  }

  @Test(arguments: situations)
  func everyCombinationOfSettingsGivesTheLayersOfTheRules(situation: Situation) {
    for query in Self.choices {
      for store in Self.choices {
        for originalQuery in Self.choices {
          for originalStore in Self.choices {
            let plan = plan(
              situation, query: query, store: store, originalQuery: originalQuery, originalStore: originalStore)
            let asked = situation.fromLoaderOnly ? [] : query ?? .local
            let askedOfOriginal = situation.fromLoaderOnly ? [] : originalQuery ?? .disk
            let hasOriginal = situation.isVariant
            #expect(plan.query == asked.intersection(situation.pictureLayers))
            #expect(plan.store == (store ?? .local).intersection(situation.pictureLayers))
            #expect(
              plan.originalQuery == (hasOriginal ? askedOfOriginal.intersection(situation.originalLayers) : []))
            #expect(
              plan.originalStore
                == (hasOriginal ? (originalStore ?? .disk).intersection(situation.originalLayers) : []))
          }
        }
      }
    }
  }

  // The combinations that users meet, written out so that the rules above cannot be wrong in the same way as the code.

  @Test func aPlainLoadLooksAndStoresEverywhereOnce() {
    let plan = plan(Situation())
    #expect([plan.query, plan.store, plan.originalQuery, plan.originalStore] == [.local, .local, [], []])
    #expect(plan.reach == .local)
  }

  @Test func aVariantLooksForItsOriginalOnDiskAndKeepsItThere() {
    let plan = plan(Situation(isVariant: true))
    #expect([plan.query, plan.store, plan.originalQuery, plan.originalStore] == [.local, .local, .disk, .disk])
  }

  @Test func fromLoaderOnlyLooksNowhereAndStoresAllTheSame() {
    let plan = plan(Situation(isVariant: true, fromLoaderOnly: true))
    #expect([plan.query, plan.store, plan.originalQuery, plan.originalStore] == [[], .local, [], .disk])
  }

  @Test func whatHasNoNameIsKeptNowhere() {
    let plan = plan(Situation(isVariant: true, isCacheable: false))
    #expect([plan.query, plan.store, plan.originalQuery, plan.originalStore] == [[], [], [], []])
    #expect(plan.reach.isEmpty)
  }

  @Test func whatOneInstanceMadeStaysInMemory() {
    let plan = plan(Situation(isVariant: true, isStorable: false), originalQuery: .local, originalStore: .local)
    #expect([plan.query, plan.store, plan.originalQuery, plan.originalStore] == Array(repeating: .memory, count: 4))
    #expect(plan.reach == .memory)
  }

  @Test func anOriginalThatLiesOnADiskIsNotCopiedThereButItsVariantsAre() {
    let plain = plan(Situation(diskUse: .variantsOnly))
    #expect([plain.query, plain.store] == [.memory, .memory])
    let variant = plan(Situation(isVariant: true, diskUse: .variantsOnly))
    #expect([variant.query, variant.store, variant.originalQuery, variant.originalStore] == [.local, .local, [], []])
    #expect(plain.reach == .local)
  }

  @Test func nothingOfADataURLGoesToDisk() {
    let plan = plan(Situation(isVariant: true, diskUse: .nothing), originalStore: .local)
    #expect([plan.query, plan.store, plan.originalQuery, plan.originalStore] == [.memory, .memory, [], .memory])
    #expect(plan.reach == .memory)
  }
}
