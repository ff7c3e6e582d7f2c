import EaselSupport
import EaselTestStudio
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager

/// The forms of a load: with a callback, with await, from existing bytes, for bytes only.
struct TaskFormTests {
  let url = URL(string: "http://host/a.toy")!

  @Test(arguments: [true, false]) func theClosureFormCompletesOnceAfterItsEvents(_ succeeds: Bool) async throws {
    let studio = Studio()
    studio.loader.script(url, succeeds ? .body(ToyImage.small.bytes) : .status(404))
    studio.loader.suspend(url)
    let log = Locked<[String]>([])
    let done = AsyncGate()
    studio.manager.load(ImageRequest(url: url)) { _ in
      log.withLock { $0.append("event") }
    } completion: { result in
      log.withLock { log in
        if case .success = result { log.append("success") } else { log.append("failure") }
      }
      done.open()
    }
    await studio.loader.waitUntilSuspended(url)
    studio.loader.resume(url)
    try await done.pass()
    let calls = log.withLock { $0 }
    #expect(calls.last == (succeeds ? "success" : "failure"))
    #expect(calls.count { $0 != "event" } == 1)
  }

  @Test func theClosureFormTellsACancellation() async throws {
    let studio = Studio()
    studio.place(.small)
    studio.loader.suspend(url)
    let codes = Watched<[ImageError.Code?]>([])
    let task = studio.manager.load(ImageRequest(url: url)) { result in
      if case .failure(let error) = result { codes.withLock { $0.append(error.code) } }
    }
    await studio.loader.waitUntilSuspended(url)
    task.cancel()
    await codes.wait { !$0.isEmpty }
    #expect(codes.withLock { $0 } == [.cancelled])
  }

  @Test func eventsEndWithTheLoadAlsoForWhoComesLate() async throws {
    let studio = Studio()
    studio.place(.small)
    let task = studio.manager.load(url)
    _ = try await task.image
    let events = await studio.events(of: task).value
    #expect(events.count == 1)
    #expect(events.first?.progress == [ToyImage.small.bytes.count, ToyImage.small.bytes.count])
  }

  @Test func aMemoryHitIsNotWrittenDownAnywhere() async throws {
    let counted = Locked<[Int]>([])
    let box = Locked<ImageManager?>(nil)
    let studio = Studio {
      $0.observer = .closure { event in
        if case .cacheHit = event.kind {
          let manager = box.withLock { $0 }
          counted.withLock { $0.append(manager?.runningCount ?? -1) }
        }
      }
    }
    box.withLock { $0 = studio.manager }
    studio.place(.small)
    try await studio.warm(url)
    _ = try await studio.result(url)
    #expect(counted.withLock { $0 } == [0])
    box.withLock { $0 = nil }
  }

  @Test func cachedImageAnswersWithoutAnyone() async throws {
    let studio = Studio()
    studio.place(.small)
    #expect(studio.manager.cachedImage(for: url) == nil)
    try await studio.warm(url)
    studio.forgetCalls()
    #expect(studio.manager.cachedImage(for: url) != nil)
    #expect(studio.manager.cachedImage(for: url, options: .requireAnimated) == nil)
    #expect(studio.disk.calls.isEmpty && studio.observer.events.isEmpty && studio.loader.callCount == 1)
  }

  @Test func bytesThatCannotBeDecodedBlockNothing() async throws {
    let studio = Studio()
    let broken = ImageBytes(Array("no picture".utf8))
    for _ in 0..<2 {
      await #expect { try await studio.manager.result(from: broken, key: "mine") } throws: {
        ($0 as? ImageError)?.code == .unsupportedFormat
      }
    }
    let good = ImageBytes(ToyImage.small.bytes)
    #expect(try await studio.manager.result(from: good, key: "mine").source == .bytes)
  }

  @Test func bytesAtHandAreDecodedAndOnlyTheirVariantsReachTheDisk() async throws {
    let studio = Studio()
    let data = try ToyImage.small.imageBytes.data()
    let plain = try await studio.manager.result(from: ImageBytes(data), key: "mine")
    #expect(plain.source == .bytes)
    #expect(try plain.image.bitmap == ToyImage.small.expectedBitmap())
    await studio.settle()
    #expect(studio.disk.entries.isEmpty)
    let size: ImageContext = [.thumbnailSize(PixelSize(width: 4, height: 4))]
    let first = try await studio.manager.result(from: ImageBytes(data), key: "mine", context: size)
    await studio.settle()
    #expect(Array(studio.disk.entries.keys) == [first.key])
    let again = try await studio.manager.result(from: ImageBytes(data), key: "mine", context: size)
    #expect(again.source == .memory)
    #expect(studio.loader.callCount == 0)
  }

  @Test func bytesWithoutANameAreNotCached() async throws {
    let studio = Studio()
    let data = try ToyImage.small.imageBytes.data()
    for _ in 0..<2 {
      _ = try await studio.manager.image(from: data, context: [.thumbnailSize(.init(width: 2, height: 2))])
    }
    await studio.settle()
    #expect(studio.memory.entries.isEmpty && studio.disk.entries.isEmpty)
    #expect(studio.coder.counts.decodes + studio.coder.counts.finishes == 2)
  }

  @Test func bytesAtHandAreNotModifiedNorDecrypted() async throws {
    let studio = Studio {
      $0.requestModifier = FakeRequestModifier { _ in nil }
      $0.responseModifier = FakeResponseModifier { _ in nil }
      $0.decryptor = XORDecryptor(key: 1)
      $0.acceptedContentTypes = ["image/png"]
      $0.shouldLoad = { _ in false }
    }
    let data = try ToyImage.small.imageBytes.data()
    #expect(try await studio.manager.image(from: data, key: "mine").bitmap == ToyImage.small.expectedBitmap())
    // A decryptor that the caller gives is used.
    let own = XORDecryptor(key: 7)
    let hidden = Data(own.encrypt(ToyImage.small.bytes))
    let image = try await studio.manager.image(from: hidden, key: "hidden", context: [.decryptor(own)])
    #expect(try image.bitmap == ToyImage.small.expectedBitmap())
  }

  @Test func bytesAloneAreNotDecodedAndComeFromTheCacheNextTime() async throws {
    let studio = Studio()
    studio.loader.script(url, .body([1, 2, 3]))
    let request = ImageRequest(url: url)
    #expect(try await studio.manager.bytes(for: request).data() == Data([1, 2, 3]))
    await studio.settle()
    #expect(try await studio.manager.bytes(for: request).data() == Data([1, 2, 3]))
    #expect(studio.loader.callCount == 1)
    #expect(studio.coder.counts == ToyCoder.Counts())
    #expect(try await studio.manager.bytes(for: ImageRequest(url: url, options: .refreshCached)).count == 3)
    #expect(studio.loader.callCount == 2)
    #expect(studio.observer.names.filter { $0 == "succeeded" }.count == 3)
  }

  @Test func bytesAloneAreDecrypted() async throws {
    let key = XORDecryptor(key: 9)
    let studio = Studio { $0.decryptor = key }
    studio.loader.script(url, .body(key.encrypt([1, 2, 3])))
    #expect(try await studio.manager.bytes(for: ImageRequest(url: url)).data() == Data([1, 2, 3]))
  }

  @Test func bytesAloneKeepToTheListOfFailures() async throws {
    let studio = Studio()
    studio.loader.script(url, .failure(ImageError(.unsupportedURL, "No.")))
    for code in [ImageError.Code.unsupportedURL, .blockedURL] {
      await #expect { try await studio.manager.bytes(for: ImageRequest(url: url)) } throws: {
        ($0 as? ImageError)?.code == code
      }
    }
    #expect(await studio.failure(url)?.code == .blockedURL)
  }

  @Test func bytesAloneCanBeGivenUp() async throws {
    let studio = Studio()
    studio.place(.small)
    studio.loader.suspend(url)
    let task = Task { try await studio.manager.bytes(for: ImageRequest(url: url)) }
    await studio.loader.waitUntilSuspended(url)
    #expect(studio.manager.runningCount == 1)
    studio.manager.cancelAll()
    await #expect { try await task.value } throws: { ($0 as? ImageError)?.code == .cancelled }
    await studio.loader.waitForCancellation(of: url)
  }

  @Test func aFinishedPictureOfALoaderIsTransformedAndStored() async throws {
    let studio = Studio()
    studio.loader.script(url, .image(Image(try ToyImage.small.expectedBitmap(), format: ToyImage.format)))
    let result = try await studio.warm(url, [], [.transformer(.custom(TaggingTransformer(4)))])
    #expect(TaggingTransformer.tags(of: result.image) == [4] && result.source == .network)
    #expect(studio.disk.entries[result.key] != nil)
    #expect(studio.coder.counts.decodes == 0)
  }
}
