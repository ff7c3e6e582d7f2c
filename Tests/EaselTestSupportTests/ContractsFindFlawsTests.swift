import EaselCore
import EaselTestSupport
import FoundationEssentials
import Testing

/// Each rule of each suite is broken once, by an implementation that keeps the others as far as it can.
struct ContractsFindFlawsTests {
  /// How long suites wait for what never comes.
  private let patience = Duration.milliseconds(200)

  @Test(arguments: ImageClockContract.Rule.allCases)
  func clock(rule: ImageClockContract.Rule) async {
    expectBroken(rule, in: await ImageClockContract(FlawedClock(rule), patience: patience).check())
  }

  @Test(arguments: MemoryStoreContract.Rule.allCases)
  func memoryStore(rule: MemoryStoreContract.Rule) async {
    let contract = MemoryStoreContract(makeBounded: { FlawedMemoryStore(rule, limit: $0) }) { FlawedMemoryStore(rule) }
    expectBroken(rule, in: await contract.check())
  }

  @Test(arguments: DiskStoreContract.Rule.allCases)
  func diskStore(rule: DiskStoreContract.Rule) async {
    let contract = DiskStoreContract(reopen: { rule == .outlivesTheStore ? RecordingDiskStore() : $0 }) {
      FlawedDiskStore(rule)
    }
    expectBroken(rule, in: await contract.check())
  }

  @Test(arguments: ImageCacheContract.Rule.allCases)
  func cache(rule: ImageCacheContract.Rule) async {
    expectBroken(rule, in: await ImageCacheContract { FlawedCache(rule) }.check())
  }

  private func samples() throws -> [ImageSample] {
    try [
      ToyPicture(width: 5, height: 3, orientation: .right), ToyPicture(width: 4, height: 3, frameCount: 3),
    ].map { ImageSample("\($0.size)", bytes: $0.bytes, pixels: try $0.expectedBitmap()) }
  }

  @Test(arguments: ImageCoderContract.Rule.allCases)
  func coder(rule: ImageCoderContract.Rule) async throws {
    expectBroken(rule, in: await ImageCoderContract(FlawedCoder(rule), samples: try samples()).check())
  }

  @Test(arguments: ProgressiveCoderContract.Rule.allCases)
  func progressiveCoder(rule: ProgressiveCoderContract.Rule) async throws {
    let contract = ProgressiveCoderContract(FlawedProgressiveCoder(rule), samples: try samples())
    expectBroken(rule, in: await contract.check())
  }

  @Test(arguments: FrameSourceContract.Rule.allCases)
  func frameSource(rule: FrameSourceContract.Rule) async {
    expectBroken(rule, in: await FrameSourceContract(FlawedFrameSource(rule)).check())
  }

  @Test(arguments: ImageLoaderContract.Rule.allCases)
  func loader(rule: ImageLoaderContract.Rule) async {
    let contract = ImageLoaderContract(
      FlawedLoader(rule), samples: [.init(URL(string: "http://a/b")!, body: FlawedLoader.body)],
      failingURL: URL(string: "http://a/failing")!, patience: patience)
    expectBroken(rule, in: await contract.check())
  }

  @Test(arguments: TransformerContract.Rule.allCases)
  func transformer(rule: TransformerContract.Rule) async {
    expectBroken(rule, in: await TransformerContract { [FlawedTransformer(rule)] }.check())
  }

  @Test(arguments: RequestModifierContract.Rule.allCases)
  func requestModifier(rule: RequestModifierContract.Rule) async {
    expectBroken(rule, in: await RequestModifierContract(FlawedRequestModifier(rule), patience: patience).check())
  }

  @Test(arguments: ResponseModifierContract.Rule.allCases)
  func responseModifier(rule: ResponseModifierContract.Rule) async {
    expectBroken(rule, in: await ResponseModifierContract(FlawedResponseModifier(rule), patience: patience).check())
  }

  @Test(arguments: DecryptorContract.Rule.allCases)
  func decryptor(rule: DecryptorContract.Rule) async {
    // Few bytes would lie inside of the value, out of reach of who writes where he must not.
    let plain = [UInt8](repeating: 7, count: 100)
    let samples = [(encrypted: plain.map { $0 ^ 1 }, plain: plain)]
    expectBroken(
      rule, in: await DecryptorContract(FlawedDecryptor(rule), samples: samples, patience: patience).check())
  }

  @Test(arguments: CacheKeyFilterContract.Rule.allCases)
  func cacheKeyFilter(rule: CacheKeyFilterContract.Rule) async {
    let expected: [URL: String?] = [URL(string: "http://a/b")!: "right"]
    expectBroken(rule, in: await CacheKeyFilterContract(FlawedCacheKeyFilter(rule), expected: expected).check())
  }

  @Test(arguments: CacheSerializerContract.Rule.allCases)
  func cacheSerializer(rule: CacheSerializerContract.Rule) async throws {
    let contract = CacheSerializerContract(FlawedCacheSerializer(rule), coder: ToyCoder(), samples: try samples())
    expectBroken(rule, in: await contract.check())
  }

  @Test(arguments: OptionsProcessorContract.Rule.allCases)
  func optionsProcessor(rule: OptionsProcessorContract.Rule) async {
    expectBroken(rule, in: await OptionsProcessorContract(FlawedOptionsProcessor(rule)).check())
  }

  @Test(arguments: RetryPolicyContract.Rule.allCases)
  func retryPolicy(rule: RetryPolicyContract.Rule) async {
    expectBroken(rule, in: await RetryPolicyContract(FlawedRetryPolicy(flaw: rule)).check())
  }

  @Test(arguments: ImageObserverContract.Rule.allCases)
  func observer(rule: ImageObserverContract.Rule) async {
    let observer = FlawedObserver(rule)
    expectBroken(rule, in: await ImageObserverContract(observer, patience: patience).check())
    observer.release()
  }
}
