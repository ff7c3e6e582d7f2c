import EaselCore
import EaselTestSupport
import EaselTestTags
import FoundationEssentials
import Testing

/// Each rule of each suite is broken once, by an implementation that keeps the other rules as far as possible.
@Suite(.tags(.alone))
struct ContractsFindFlawsTests {
  /// The patience of a suite: short if a step hangs, long otherwise.
  private func patience(_ hangs: Bool) -> Duration { hangs ? .milliseconds(200) : .seconds(120) }

  /// Returns the findings of the first check that finds the rule's break, or of the last of 21.
  ///
  /// Some steps leave the order of tasks to chance; a contract that never finds their flaws is wrong.
  private func firstFinding(
    of rule: some RawRepresentable<String>, _ check: () async -> [ContractViolation]
  ) async -> [ContractViolation] {
    var violations = await check()
    for _ in 0..<20 where !violations.contains(where: { $0.rule == rule.rawValue }) { violations = await check() }
    return violations
  }

  @Test(arguments: ImageClockContract.Rule.allCases)
  func clock(rule: ImageClockContract.Rule) async {
    let hangs = rule == .cancelledSleepEnds || rule == .noSleepEndsAtOnce
    expectBroken(rule, in: await ImageClockContract(FlawedClock(rule), patience: patience(hangs)).check())
  }

  @Test(arguments: MemoryStoreContract.Rule.allCases)
  func memoryStore(rule: MemoryStoreContract.Rule) async {
    let contract = MemoryStoreContract(
      makeBounded: { FlawedMemoryStore(rule, limit: $0) }, patience: patience(rule == .ends)
    ) { FlawedMemoryStore(rule) }
    expectBroken(rule, in: await firstFinding(of: rule) { await contract.check() })
  }

  @Test(arguments: DiskStoreContract.Rule.allCases)
  func diskStore(rule: DiskStoreContract.Rule) async {
    let contract = DiskStoreContract(
      reopen: { rule == .outlivesTheStore ? RecordingDiskStore() : $0 }, patience: patience(rule == .ends)
    ) { FlawedDiskStore(rule) }
    expectBroken(rule, in: await contract.check())
  }

  @Test(arguments: SharedStoreContract.Rule.allCases)
  func sharedStore(rule: SharedStoreContract.Rule) async {
    let contract = SharedStoreContract(
      patience: patience(rule == .ends), connect: { rule == .isSeenByOthers ? InMemorySharedStore() : $0 }
    ) { FlawedSharedStore(rule) }
    expectBroken(rule, in: await contract.check())
  }

  @Test(
    arguments: FlightCoordinatorContract.Rule.allCases.filter { $0 != .waitingIsBounded && $0 != .cancellationLeaves })
  func flightCoordinator(rule: FlightCoordinatorContract.Rule) async {
    let contract = FlightCoordinatorContract(patience: patience(rule == .ends)) { store in
      let coordinator = InMemoryCoordinator(store: store)
      return (
        FlawedCoordinator(rule, over: coordinator.node()), FlawedCoordinator(rule, over: coordinator.node())
      )
    } makeStore: {
      InMemorySharedStore()
    }
    expectBroken(rule, in: await firstFinding(of: rule) { await contract.check() })
  }

  @Test(arguments: ImageCacheContract.Rule.allCases)
  func cache(rule: ImageCacheContract.Rule) async {
    expectBroken(rule, in: await ImageCacheContract(patience: patience(rule == .ends)) { FlawedCache(rule) }.check())
  }

  // The other rules of coders and formats need no patience; CoderContractsFindFlawsTests breaks them.

  @Test(arguments: [ImageCoderContract.Rule.isSafeForManyThreads, .ends])
  func coder(rule: ImageCoderContract.Rule) async throws {
    let contract = ImageCoderContract(
      FlawedCoder(rule), samples: try ToySamples.all(), patience: patience(rule == .ends))
    expectBroken(rule, in: await contract.check())
  }

  @Test func progressiveCoderThatHangs() async throws {
    let rule = ProgressiveCoderContract.Rule.ends
    let contract = ProgressiveCoderContract(
      FlawedProgressiveCoder(rule), samples: try ToySamples.all(), patience: patience(true))
    expectBroken(rule, in: await contract.check())
  }

  @Test func formatThatHangs() async throws {
    let rule = FormatContract.Rule.ends
    let contract = FormatContract(
      FlawedFormatCoder(rule), try FlawedFormatCoder.description(rule), patience: patience(true))
    // A call that never comes back breaks whichever rule it belongs to.
    expectBroken(rule, in: await contract.check(.pixelsComeBack))
  }

  @Test(arguments: FrameSourceContract.Rule.allCases)
  func frameSource(rule: FrameSourceContract.Rule) async {
    expectBroken(
      rule, in: await FrameSourceContract(FlawedFrameSource(rule), patience: patience(rule == .ends)).check())
  }

  @Test(arguments: ImageLoaderContract.Rule.allCases)
  func loader(rule: ImageLoaderContract.Rule) async {
    // A load that ignores its cancellation never ends.
    let hangs = [.ends, .cancelledLoadEnds, .cancelledLoadGivesNothing].contains(rule)
    let contract = ImageLoaderContract(
      FlawedLoader(rule), samples: [.init(URL(string: "http://a/b")!, body: FlawedLoader.body)],
      failingURL: URL(string: "http://a/failing")!, patience: patience(hangs))
    expectBroken(rule, in: await contract.check())
  }

  @Test(arguments: TransformerContract.Rule.allCases)
  func transformer(rule: TransformerContract.Rule) async {
    let contract = TransformerContract(patience: patience(rule == .ends)) { [FlawedTransformer(rule)] }
    expectBroken(rule, in: await contract.check())
  }

  @Test(arguments: RequestModifierContract.Rule.allCases)
  func requestModifier(rule: RequestModifierContract.Rule) async {
    expectBroken(
      rule, in: await RequestModifierContract(FlawedRequestModifier(rule), patience: patience(rule == .ends)).check())
  }

  @Test(arguments: ResponseModifierContract.Rule.allCases)
  func responseModifier(rule: ResponseModifierContract.Rule) async {
    expectBroken(
      rule, in: await ResponseModifierContract(FlawedResponseModifier(rule), patience: patience(rule == .ends)).check())
  }

  @Test(arguments: DecryptorContract.Rule.allCases)
  func decryptor(rule: DecryptorContract.Rule) async {
    // A small array would be stored inside the value, where a forbidden write could not reach it.
    let plain = [UInt8](repeating: 7, count: 100)
    let samples = [(encrypted: plain.map { $0 ^ 1 }, plain: plain)]
    let contract = DecryptorContract(FlawedDecryptor(rule), samples: samples, patience: patience(rule == .ends))
    expectBroken(rule, in: await contract.check())
  }

  @Test(arguments: CacheKeyFilterContract.Rule.allCases)
  func cacheKeyFilter(rule: CacheKeyFilterContract.Rule) async {
    let expected: [URL: String?] = [URL(string: "http://a/b")!: "right"]
    let contract = CacheKeyFilterContract(
      FlawedCacheKeyFilter(rule), expected: expected, patience: patience(rule == .ends))
    expectBroken(rule, in: await contract.check())
  }

  @Test(arguments: CacheSerializerContract.Rule.allCases)
  func cacheSerializer(rule: CacheSerializerContract.Rule) async throws {
    let contract = CacheSerializerContract(
      FlawedCacheSerializer(rule), coder: ToyCoder(), samples: try ToySamples.all(), patience: patience(rule == .ends))
    expectBroken(rule, in: await contract.check())
  }

  @Test(arguments: OptionsProcessorContract.Rule.allCases)
  func optionsProcessor(rule: OptionsProcessorContract.Rule) async {
    let contract = OptionsProcessorContract(FlawedOptionsProcessor(rule), patience: patience(rule == .ends))
    expectBroken(rule, in: await contract.check())
  }

  @Test(arguments: RetryPolicyContract.Rule.allCases)
  func retryPolicy(rule: RetryPolicyContract.Rule) async {
    let contract = RetryPolicyContract(FlawedRetryPolicy(flaw: rule), patience: patience(rule == .ends))
    expectBroken(rule, in: await contract.check())
  }

  @Test(arguments: ImageObserverContract.Rule.allCases)
  func observer(rule: ImageObserverContract.Rule) async {
    let observer = FlawedObserver(rule)
    let contract = ImageObserverContract(observer, patience: patience(rule != .isQuick))
    expectBroken(rule, in: await contract.check())
    observer.release()
  }

  @Test(arguments: WorkGateContract.Rule.allCases)
  func workGate(rule: WorkGateContract.Rule) async {
    let contract = WorkGateContract(
      FlawedWorkGate(rule), patience: patience(rule == .ends || rule == .cancelledWorkLeaves))
    expectBroken(rule, in: await contract.check())
  }

  // MARK: Flaws that a rule has besides its own

  @Test func aMergerThatForgetsTheNextTransformerIsFound() async {
    let contract = TransformerContract { [SwallowingTransformer()] }
    expectBroken(TransformerContract.Rule.mergingGivesTheSamePicture, in: await contract.check())
  }

  @Test func aResponseModifierThatConfirmsStoredPicturesIsFound() async {
    struct Confirming: ResponseModifier {
      var cacheIdentity: CacheIdentity { .named("confirming") }
      func modify(_ head: ResponseHead, for request: LoadRequest) async throws -> ResponseHead? {
        var head = head
        if head.status == 200 { head.status = 304 }
        return head
      }
    }
    expectBroken(
      ResponseModifierContract.Rule.statusesMakeSense, in: await ResponseModifierContract(Confirming()).check())
  }

  @Test(arguments: [404, nil], [true, false])
  func aFailingURLThatDoesNotFailInTheLoaderIsFound(_ status: Int?, _ isTaken: Bool) async {
    let loader = FakeLoader()
    let (url, failing) = (URL(string: "fake://a/b")!, URL(string: "fake://a/failing")!)
    loader.script(url, .body([1, 2, 3]))
    if let status { loader.script(failing, .body([1], status: status)) }
    let contract = ImageLoaderContract(
      TakingLoader(base: loader, refused: isTaken ? nil : failing), samples: [.init(url, body: [1, 2, 3])],
      failingURL: failing)
    let violations = await contract.check()
    if status == nil, isTaken {
      #expect(violations == [])
    } else {
      expectBroken(ImageLoaderContract.Rule.failureIsAnError, in: violations)
    }
  }

  @Test func aDecoderForForeignBytesIsFound() async throws {
    let contract = ProgressiveCoderContract(EagerCoder(), samples: try ToySamples.all())
    expectBroken(ProgressiveCoderContract.Rule.makesDecoders, in: await contract.check())
  }

  // MARK: Coders that only write

  static let falseFiles: [[UInt8]] = [
    [], [0xff, 0xd8, 0xff, 0xd9], [UInt8](repeating: 0x89, count: 100), ToyImage(width: 8, height: 6).bytes,
  ]

  @Test(arguments: falseFiles)
  func aCoderThatOnlyWritesIsCheckedInEachFormat(_ file: [UInt8]) async {
    for format in [ImageFormat.jpeg, ToyImage.format] {
      let contract = ImageCoderContract(
        WritingCoder(written: format) { _ in file }, samples: [], encodes: [ToyImage.format], reader: ToyCoder())
      expectBroken(ImageCoderContract.Rule.encodedIsOfItsFormat, in: await contract.check())
    }
  }

  @Test func aCoderThatOnlyWritesMayKeepTheContract() async {
    let contract = ImageCoderContract(
      WritingCoder(written: ToyImage.format) { image in
        try ToyCoder().encode(image, as: ToyImage.format, options: EncodeOptions(), work: WorkContext())
          .withUnsafeBytes { [UInt8]($0) }
      }, samples: [], encodes: [ToyImage.format], reader: ToyCoder())
    // It ignores its options and its cancellation.
    let allowed: Set = ["stopsInTheMiddle", "takesAnyOptions"]
    #expect(Set(await contract.check().map(\.rule)).isSubset(of: allowed))
  }

  // MARK: Threads that are blocked

  enum Blocking: CaseIterable, Sendable {
    case requestModifier, responseModifier, decryptor, loader, cache, sharedStore, gate
  }

  @Test(arguments: Blocking.allCases)
  func anAsynchronousPlugInThatBlocksItsThreadIsNamed(_ plugin: Blocking) async {
    let patience = Duration.milliseconds(200)
    let blocked = BlockedPlugin()
    let violations: [ContractViolation] =
      switch plugin {
      case .requestModifier: await RequestModifierContract(blocked, patience: patience).check()
      case .responseModifier: await ResponseModifierContract(blocked, patience: patience).check()
      case .decryptor:
        await DecryptorContract(blocked, samples: [(encrypted: [1], plain: [2])], patience: patience).check()
      case .loader:
        await ImageLoaderContract(
          blocked, samples: [.init(URL(string: "http://a/b")!, body: [1])], patience: patience
        ).check()
      case .cache: await ImageCacheContract(patience: patience) { blocked }.check()
      case .sharedStore: await SharedStoreContract(patience: patience) { blocked }.check()
      case .gate: await WorkGateContract(blocked, patience: patience).check()
      }
    #expect(violations.contains { $0.rule == "ends" }, "It found \(violations).")
  }
}
