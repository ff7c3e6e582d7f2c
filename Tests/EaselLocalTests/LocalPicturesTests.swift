import EaselCore
import EaselLocal
import EaselManager
import EaselTestSupport
import FoundationEssentials
import Testing

/// The loaders of this module with a manager.
struct LocalPicturesTests {
  private let folder: Folder
  private let studio = LocalStudio()

  init() throws { folder = try Folder() }

  private func result(
    _ url: URL?, options: ImageOptions = [], context: ImageContext = [], in studio: LocalStudio? = nil
  ) async throws -> ImageResult {
    let request = ImageRequest(url: url, options: options.union(.waitStore), context: context)
    return try await (studio ?? self.studio).manager.result(for: request)
  }

  private func failure(_ url: URL, in studio: LocalStudio? = nil) async -> ImageError? {
    do {
      _ = try await result(url, in: studio)
      return nil
    } catch {
      return error as? ImageError
    }
  }

  @Test(arguments: [Int.max, 0])
  func aFileIsAPicture(memoryLimit: Int) async throws {
    let studio = LocalStudio(file: FileLoader(memoryLimit: memoryLimit))
    let picture = LocalStudio.picture(1)
    let url = try folder.write(picture.bytes, to: "a.toy")
    let first = try await result(url, options: .includeData, in: studio)
    #expect(first.image.bitmap == (try picture.expectedBitmap()))
    #expect(try first.bytes?.data() == Data(picture.bytes))
    #expect(try await result(url, in: studio).source == .memory)
  }

  @Test func aCheckOfTypesAppliesToFiles() async throws {
    let studio = LocalStudio { $0.acceptedContentTypes = ["image/x-easel-toy"] }
    let bytes = LocalStudio.picture(1).bytes
    // A name says nothing.
    let picture = try await result(folder.write(bytes, to: "a.heic"), in: studio)
    #expect(picture.response?.mimeType == "image/x-easel-toy")
    let unknown = try await failure(folder.write([1, 2, 3], to: "a.toy"), in: studio)
    #expect(unknown?.code == .badContentType)
    #expect(unknown?.message.contains("no type") == true)
    let other = LocalStudio { $0.acceptedContentTypes = ["image/heic"] }
    let refused = try await failure(folder.write(bytes, to: "b.heic"), in: other)
    #expect(refused?.code == .badContentType)
    #expect(refused?.message.contains("image/x-easel-toy") == true)
  }

  @Test func aFileIsNotCopiedButWhatIsMadeOfItIs() async throws {
    let url = try folder.write(LocalStudio.picture(1).bytes, to: "a.toy")
    _ = try await result(url)
    #expect(studio.disk.entries.isEmpty)
    #expect(studio.memory.entries.count == 1)
    let context: ImageContext = [.transformer([.custom(TaggingTransformer(3))])]
    let variant = try await result(url, context: context)
    #expect(Array(studio.disk.entries.keys) == [variant.key])
    // Later loads find the picture there.
    studio.memory.removeAll()
    #expect(try await result(url, context: context).source == .disk)
  }

  @Test func aRequestThatIsKeptSeesThatItsFileWasEdited() async throws {
    let url = try folder.write(LocalStudio.picture(1).bytes, to: "a.toy")
    let request = ImageRequest(url: url, options: .waitStore)
    _ = try await studio.manager.image(for: request)
    #expect(studio.manager.cachedImage(for: request) != nil)
    let edited = ToyImage(width: 20, height: 6, seed: 2)
    try folder.write(edited.bytes, to: "a.toy")
    #expect(studio.manager.cachedImage(for: request) == nil)
    #expect(try await studio.manager.image(for: request).bitmap == edited.expectedBitmap())
  }

  @Test func anEditedFileIsAnotherPicture() async throws {
    let pictures = (1...3).map { LocalStudio.picture($0) }
    let context: ImageContext = [.transformer([.custom(TaggingTransformer(3))])]
    var keys: Set<CacheKey> = []
    for (index, picture) in pictures.enumerated() {
      let url = try folder.write(picture.bytes, to: "a.toy")
      // The three bodies have the same length and may be written within one tick of the clock.
      try folder.setModified("a.toy", seconds: 1000, nanoseconds: index)
      let plain = try await result(url)
      #expect(plain.image.bitmap == (try picture.expectedBitmap()))
      #expect(plain.source != .memory)
      let tagged = try await result(url, context: context)
      #expect(keys.insert(plain.key).inserted && keys.insert(tagged.key).inserted)
    }
    // The first version is back, so its pictures are found again.
    let url = try folder.write(pictures[0].bytes, to: "a.toy")
    try folder.setModified("a.toy", seconds: 1000, nanoseconds: 0)
    #expect(try await result(url).image.bitmap == (try pictures[0].expectedBitmap()))
  }

  @Test func aFileThatIsGoneIsNotFoundInTheCache() async throws {
    let url = try folder.write(LocalStudio.picture(1).bytes, to: "a.toy")
    _ = try await result(url)
    try folder.remove("a.toy")
    #expect(await failure(url)?.code == .invalidURL)
    #expect(await failure(url)?.code == .blockedURL)
    try folder.write(LocalStudio.picture(2).bytes, to: "a.toy")
    #expect(try await result(url).image.bitmap == (try LocalStudio.picture(2).expectedBitmap()))
  }

  @Test func aDamagedFileIsAskedForAgainOnceItIsMended() async throws {
    let url = try folder.write([1, 2, 3], to: "a.toy")
    #expect(await failure(url)?.code == .unsupportedFormat)
    #expect(await failure(url)?.code == .blockedURL)
    try folder.write(LocalStudio.picture(2).bytes, to: "a.toy")
    _ = try await result(url)
  }

  @Test func anEmptyFileIsNoPicture() async throws {
    #expect(await failure(try folder.write([], to: "empty"))?.code == .badImageData)
  }

  @Test func theManagersLimitHolds() async throws {
    let picture = LocalStudio.picture(1)
    let strict = LocalStudio { $0.limits.downloadBytes = picture.bytes.count - 1 }
    let url = try folder.write(picture.bytes, to: "a.toy")
    #expect(await failure(url, in: strict)?.code == .limitExceeded)
    let data = try #require(URL(string: "data:;base64," + Data(picture.bytes).base64EncodedString()))
    #expect(await failure(data, in: strict)?.code == .limitExceeded)
    let exact = LocalStudio { $0.limits.downloadBytes = picture.bytes.count }
    _ = try await result(url, in: exact)
    _ = try await result(data, in: exact)
  }

  @Test func aFileFollowsTheRulesOfTheWebToo() async throws {
    let web = LocalStudio { $0.cachePolicy = .http }
    let picture = LocalStudio.picture(1)
    let url = try folder.write(picture.bytes, to: "a.toy")
    for options: ImageOptions in [[], [], .refreshCached] {
      #expect(try await result(url, options: options, in: web).image.bitmap == (try picture.expectedBitmap()))
    }
  }

  @Test func dataIsAPictureAndStaysInMemory() async throws {
    let picture = LocalStudio.picture(1)
    let text = "data:image/x-toy;base64," + Data(picture.bytes).base64EncodedString()
    let url = try #require(URL(string: text))
    let first = try await result(url)
    #expect(first.image.bitmap == (try picture.expectedBitmap()))
    #expect(first.key.original.hasPrefix("data:"))
    #expect(first.key.original.utf8.count == "data:".utf8.count + 64)
    #expect(try await result(url).source == .memory)
    let variant = try await result(url, context: [.transformer([.custom(TaggingTransformer(3))])])
    #expect(TaggingTransformer.tags(of: variant.image) == [3])
    #expect(studio.disk.entries.isEmpty)
    #expect(!studio.disk.calls.contains { if case .store = $0 { true } else { false } })
  }

  @Test func dataThatIsNoneIsBlocked() async throws {
    let url = try #require(URL(string: "data:image/png;base64,Q"))
    #expect(await failure(url)?.code == .badImageData)
    #expect(await failure(url)?.code == .blockedURL)
  }
}
