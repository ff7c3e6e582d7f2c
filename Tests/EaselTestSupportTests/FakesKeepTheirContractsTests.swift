import EaselCore
import EaselTestSupport
import EaselTestTags
import EaselTiers
import FoundationEssentials
import Testing

struct FakesKeepTheirContractsTests {
  @Test func manualClock() async {
    let clock = ManualClock()
    let contract = ImageClockContract(clock) { duration in
      await clock.waitForSleepers()
      clock.advance(by: duration)
    }
    #expect(await contract.check() == [])
  }

  @Test(.tags(.alone)) func systemClock() async {
    #expect(await ImageClockContract(SystemClock()).check() == [])
  }

  @Test func toyCoder() async throws {
    #expect(await ImageCoderContract(ToyCoder(), samples: try ImageSample.toys()).check() == [])
    #expect(await ProgressiveCoderContract(ToyCoder(), samples: try ImageSample.toys()).check() == [])
  }

  @Test func coderRegistry() async throws {
    let registry = CoderRegistry([ToyCoder(identifier: "other"), ToyCoder()])
    #expect(await ImageCoderContract(registry, samples: try ImageSample.toys()).check() == [])
    #expect(await ProgressiveCoderContract(registry, samples: try ImageSample.toys()).check() == [])
  }

  @Test func recordingMemoryStore() async {
    #expect(await MemoryStoreContract { RecordingMemoryStore() }.check() == [])
  }

  @Test func recordingDiskStore() async {
    #expect(await DiskStoreContract(reopen: { $0 }) { RecordingDiskStore() }.check() == [])
  }

  @Test func recordingCache() async {
    #expect(await ImageCacheContract { RecordingCache() }.check() == [])
  }

  @Test(arguments: [CacheLayers.memory, .disk, .local, []])
  func tieredCache(layers: CacheLayers) async {
    let contract = ImageCacheContract(layers: layers) {
      TieredCache(
        memory: layers.contains(.memory) ? RecordingMemoryStore() : nil,
        disk: layers.contains(.disk) ? RecordingDiskStore() : nil)
    }
    #expect(await contract.check() == [])
  }

  @Test func inMemorySharedStore() async {
    #expect(await SharedStoreContract(connect: { $0 }) { InMemorySharedStore() }.check() == [])
    let mute = SharedStoreContract {
      let store = InMemorySharedStore()
      store.forgetNumbers()
      return store
    }
    #expect(await mute.check() == [])
  }

  @Test func inMemoryCoordinator() async {
    let contract = FlightCoordinatorContract { store in
      // No lease may run out before the suite is over, also on a machine that is busy with other tests.
      let coordinator = InMemoryCoordinator(store: store, lease: .seconds(3600))
      return (coordinator.node(), coordinator.node())
    } makeStore: {
      InMemorySharedStore()
    }
    let violations = await contract.check()
    #expect(violations == [])
  }

  @Test func cacheGroup() async {
    #expect(await ImageCacheContract { CacheGroup([RecordingCache(), RecordingCache()]) }.check() == [])
    #expect(await ImageCacheContract(layers: []) { CacheGroup() }.check() == [])
  }

  @Test(arguments: [nil, 1, 7])
  func fakeLoader(chunkSize: Int?) async {
    let loader = FakeLoader()
    let samples = [1, 10, 1000].map { count in
      ImageLoaderContract.Sample(
        URL(string: "http://a/\(count)")!, body: (0..<count).map { UInt8(truncatingIfNeeded: $0) })
    }
    for sample in samples { loader.script(sample.url, .body(sample.body, chunkSize: chunkSize)) }
    let failing = URL(string: "http://a/unscripted")!
    let violations = await ImageLoaderContract(loader, samples: samples, failingURL: failing).check()
    #expect(violations == [])
    let chain = LoaderChain([FakeLoader(schemes: ["ftp"]), loader])
    #expect(await ImageLoaderContract(chain, samples: samples, failingURL: failing).check() == [])
  }

  @Test func fakeLoaderOfReadyBytes() async {
    let loader = FakeLoader()
    let url = URL(string: "http://a/ready")!
    loader.script(url, .ready(ImageBytes([1, 2, 3])))
    let violations = await ImageLoaderContract(loader, samples: [.init(url, body: [1, 2, 3])]).check()
    #expect(violations == [])
  }

  @Test func requestModifiers() async {
    #expect(await RequestModifierContract(FakeRequestModifier(cacheIdentity: .named("a"))).check() == [])
    #expect(await RequestModifierContract(.headers(["X-A": "b"])).check() == [])
    #expect(await RequestModifierContract(.closure { _ in nil }).check() == [])
  }

  @Test func responseModifiers() async {
    #expect(await ResponseModifierContract(FakeResponseModifier(cacheIdentity: .named("a"))).check() == [])
    #expect(await ResponseModifierContract(.closure { _ in nil }).check() == [])
  }

  @Test func decryptors() async {
    let decryptor = XORDecryptor(key: 0x5a)
    let plain: [[UInt8]] = [[1, 2, 3], ToyImage(width: 3, height: 3).bytes]
    let samples = plain.map { (encrypted: decryptor.encrypt($0), plain: $0) }
    #expect(await DecryptorContract(decryptor, samples: samples).check() == [])
  }

  @Test func transformers() async {
    let contract = TransformerContract {
      [
        TaggingTransformer(1), TaggingTransformer(2),
        TransformerPipeline([TaggingTransformer(1), TaggingTransformer(2)]),
        TransformerPipeline.closure(key: "Same") { $0 },
      ]
    }
    let violations = await contract.check()
    #expect(violations == [])
  }

  @Test func cacheKeyFilter() async {
    let query = URL(string: "http://a/b.png?x=1")!
    let hidden = URL(string: "http://a/hidden.png")!
    let filter = FakeCacheKeyFilter([hidden: nil])
    let contract = CacheKeyFilterContract(filter, expected: [query: "http://a/b.png", hidden: nil])
    #expect(await contract.check() == [])
  }

  @Test func cacheSerializer() async throws {
    let coder = ToyCoder()
    let samples = try ImageSample.toys()
    let encoding = FakeCacheSerializer { image, _ in
      try coder.encode(image, as: ToyImage.format, options: EncodeOptions(), work: WorkContext())
    }
    #expect(await CacheSerializerContract(encoding, coder: coder, samples: samples).check() == [])
    #expect(await CacheSerializerContract(FakeCacheSerializer(), coder: coder, samples: samples).check() == [])
  }

  @Test func optionsProcessor() async {
    let processor = FakeOptionsProcessor(
      adding: .refreshCached, context: [.thumbnailSize(PixelSize(width: 3, height: 3))])
    #expect(await OptionsProcessorContract(processor).check() == [])
  }

  @Test func retryPolicy() async {
    #expect(await RetryPolicyContract(FakeRetryPolicy(.retry(after: .seconds(1)), .retry(after: .zero))).check() == [])
  }

  @Test func observer() async {
    let observer = RecordingObserver()
    #expect(await ImageObserverContract(observer).check() == [])
    #expect(Set(observer.names).count == 16)
  }

  @Test(arguments: [1, 4, 1 << 20]) func workGate(_ places: Int) async {
    let gate = FakeWorkGate(places: places)
    #expect(await WorkGateContract(gate).check() == [])
    #expect(gate.works.count > gate.isFinished.count / 2 && gate.isFinished.contains(false))
  }

  @Test func frameSources() async {
    let source = FakeFrameSource(durations: [.milliseconds(20), .milliseconds(100), .seconds(1)])
    #expect(await FrameSourceContract(source).check() == [])
  }
}
