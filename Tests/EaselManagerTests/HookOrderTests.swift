import EaselSupport
import EaselTestStudio
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager

/// The hooks of a load: their order, and the ways in which each can end the load.
struct HookOrderTests {
  let url = URL(string: "http://host/a.toy")!

  @Test func theHooksRunInTheirOrder() async throws {
    let log = Locked<[String]>([])
    @Sendable func note(_ name: String) { log.withLock { $0.append(name) } }
    let key = XORDecryptor(key: 0x5a)
    let studio = Studio { configuration in
      configuration.optionsProcessor = .closure { _, _, _ in note("processor") }
      configuration.requestModifier = .closure(cacheIdentity: .plain) { request in
        note("request")
        return request
      }
      configuration.responseModifier = .closure(cacheIdentity: .plain) { head in
        note("response")
        return head
      }
      configuration.decryptor = .closure(cacheIdentity: .named("xor")) { body in
        note("decryptor")
        return ImageBytes(key.encrypt(try body.withUnsafeBytes { [UInt8]($0) }))
      }
      configuration.transformer = .closure(key: "Note(1)") { image in
        note("transformer")
        return image
      }
      configuration.cacheSerializer = .closure { _, _ in
        note("serializer")
        return nil
      }
      configuration.observer = .closure { event in
        if ["loading", "loaded", "decoded", "stored"].contains(event.kind.name) { note(event.kind.name) }
      }
    }
    studio.loader.script(url, .body(key.encrypt(ToyImage.small.bytes)))
    let result = try await studio.result(url, .waitStore)
    #expect(try result.image.bitmap == ToyImage.small.expectedBitmap())
    // The variant in memory and the original on disk are stored on separate lanes, so this order is left open.
    let order = log.withLock { $0 }.filter { $0 != "stored" }
    #expect(
      order == [
        "processor", "loading", "request", "response", "loaded", "decryptor", "decoded", "transformer", "serializer",
      ])
    // The cache has the decrypted body.
    #expect(try studio.disk.entries[result.key.originalKey]?.bytes?.data() == ToyImage.small.imageBytes.data())
  }

  @Test(arguments: [nil, ImageError(.network, "Token."), ImageError(.badImageData, "Other.")] as [ImageError?])
  func aRequestModifierThatRefusesOrFailsStartsNothing(_ error: ImageError?) async throws {
    let studio = Studio()
    studio.place(.small)
    let modifier = FakeRequestModifier { _ in if let error { throw error } else { nil } }
    let failure = await studio.failure(url, [], [.requestModifier(modifier)])
    #expect(failure?.code == .invalidRequest)
    #expect((failure?.underlyingError as? ImageError)?.code == error?.code)
    #expect(studio.loader.callCount == 0)
    _ = try await studio.result(url)
  }

  @Test func aModifierThatGivesUpByItselfIsNoCancellationOfTheLoad() async throws {
    let studio = Studio()
    studio.place(.small)
    let modifier = FakeRequestModifier { _ in throw CancellationError() }
    #expect(await studio.failure(url, [], [.requestModifier(modifier)])?.code == .invalidRequest)
  }

  @Test(arguments: [nil, ImageError(.network, "No."), ImageError(.badImageData, "Other.")] as [ImageError?])
  func aResponseModifierThatRefusesOrFailsEndsTheLoad(_ error: ImageError?) async throws {
    let studio = Studio()
    studio.place(.small)
    let modifier = FakeResponseModifier { _ in if let error { throw error } else { nil } }
    let failure = await studio.failure(url, [], [.responseModifier(modifier)])
    // An `ImageError` of the modifier reaches the caller with its code.
    #expect(failure?.code == error?.code ?? .invalidResponse)
  }

  @Test func aResponseModifierThatThrowsItsOwnErrorOrGivesUpMakesAnInvalidResponse() async throws {
    struct Odd: Error {}
    let studio = Studio()
    studio.place(.small)
    for error in [Odd(), CancellationError(), ImageError.cancelled()] as [any Error] {
      let modifier = FakeResponseModifier { _ in throw error }
      let failure = await studio.failure(url, [], [.responseModifier(modifier)])
      #expect(failure?.code == .invalidResponse && failure?.underlyingError != nil)
    }
  }

  @Test func theResponseModifierComesBeforeTheStatus() async throws {
    let studio = Studio { $0.acceptedContentTypes = ["image/x-easel-toy"] }
    studio.loader.script(url, .body(ToyImage.small.bytes, status: 500))
    let modifier = FakeResponseModifier(cacheIdentity: .named("mend")) { head in
      var head = head
      head.status = 200
      head.headers["Content-Type"] = "image/x-easel-toy"
      return head
    }
    #expect(try await studio.result(url, [], [.responseModifier(modifier)]).response?.status == 200)
  }

  @Test(arguments: [ImageError(.network, "Key."), ImageError(.limitExceeded, "Key.")])
  func aDecryptorThatFailsMakesBadData(_ error: ImageError) async throws {
    let studio = Studio()
    studio.place(.small)
    let failure = await studio.failure(url, [], [.decryptor(XORDecryptor(key: 1, failure: error))])
    #expect(failure?.code == .badImageData)
    #expect((failure?.underlyingError as? ImageError)?.code == error.code)
    await studio.settle()
    #expect(studio.memory.entries.isEmpty && studio.disk.entries.isEmpty)
  }

  @Test(arguments: [ImageError(.badImageData, "Odd."), ImageError(.limitExceeded, "Large.")])
  func aTransformerThatFailsStoresNothingAndBlocksNobody(_ error: ImageError) async throws {
    let studio = Studio()
    studio.place(.small)
    let tag = TaggingTransformer(1, failure: error)
    let context: ImageContext = [.transformer(.custom(tag))]
    for _ in 0..<2 {
      let failure = await studio.failure(url, [], context)
      // `limitExceeded` keeps its code, so that the caller knows which limit to raise.
      #expect(failure?.code == (error.code == .limitExceeded ? .limitExceeded : .transformFailed))
      #expect(failure?.message == error.message || (failure?.underlyingError as? ImageError)?.code == error.code)
    }
    await studio.settle()
    #expect(studio.memory.entries.isEmpty)
    tag.fail(with: nil)
    #expect(TaggingTransformer.tags(of: try await studio.result(url, [], context).image) == [1])
  }

  @Test func aTransformerThatFailsLeavesTheStoredOriginal() async throws {
    let studio = Studio()
    studio.place(.small)
    try await studio.warm(url)
    let tag = TaggingTransformer(1, failure: ImageError(.badImageData, "Odd."))
    #expect(await studio.failure(url, [], [.transformer(.custom(tag))])?.code == .transformFailed)
    #expect(studio.disk.entries[CacheKey(original: url.absoluteString)] != nil)
    #expect(studio.loader.callCount == 1)
  }

  @Test func theProcessorHasTheLastWord() async throws {
    let size = PixelSize(width: 4, height: 4)
    let processor = FakeOptionsProcessor(adding: .fromCacheOnly, context: [.thumbnailSize(size)])
    let studio = Studio { $0.optionsProcessor = processor }
    studio.place(.small)
    #expect(await studio.failure(url)?.code == .notInCache)
    #expect(studio.manager.cacheKey(for: ImageRequest(url: url))?.readable == "http://host/a-Thumbnail({4,4},1,1).toy")
    #expect(processor.urls.allSatisfy { $0 == url })
  }
}
