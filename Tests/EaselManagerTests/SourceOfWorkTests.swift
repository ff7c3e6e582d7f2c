import EaselSupport
import EaselTestStudio
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager

/// Coders are told the source of the bytes and get their own settings.
struct SourceOfWorkTests {
  let url = URL(string: "http://host/a.toy")!

  @Test(arguments: [true, false]) func aCoderIsToldTheURLAndTheHead(isProgressive: Bool) async throws {
    let coder = ListeningCoder(isProgressive: isProgressive)
    let studio = Studio { $0.coder = CoderRegistry([coder]) }
    studio.loader.script(url, .body(ToyImage.small.bytes, headers: ["X-Camera": "one"], chunkSize: 100))
    try await studio.warm(url)
    // One-shot and progressive decoding are told the same.
    let heard = coder.heard
    #expect(!heard.isEmpty && heard.allSatisfy { $0.url == url && $0.response?.headers["X-Camera"] == "one" })
    studio.memory.removeAll()
    #expect(try await studio.result(url).source == .disk)
    let stored = try #require(coder.heard.last)
    #expect(coder.heard.count > heard.count)
    #expect(stored.url == url && stored.response?.headers["X-Camera"] == "one" && stored.response?.status == 200)
  }

  @Test func bytesAtHandComeFromNowhere() async throws {
    let coder = ListeningCoder(isProgressive: false)
    let studio = Studio { $0.coder = CoderRegistry([coder]) }
    _ = try await studio.manager.image(from: ImageBytes(ToyImage.small.bytes))
    #expect(coder.heard.count == 1 && coder.heard[0].url == nil)
  }

  @Test func anEncoderFindsItsOwnSettings() async throws {
    let coder = ListeningCoder(isProgressive: false)
    let studio = Studio { $0.coder = CoderRegistry([coder]) }
    let image = try await studio.manager.image(for: studio.place(.small))
    let bytes = try await studio.manager.encode(image, as: ToyImage.format, context: [.toyEffort(9)])
    #expect(try bytes.data().last == 9)
    let plain = try await studio.manager.encode(image, as: ToyImage.format)
    #expect(try plain.data().last == 0)
  }
}

private enum ToyEffort: ImageContext.Key {
  static let name = "test.toyEffort"
  static var impact: ImageContext.Impact<Int> { .neutral }
}

extension ContextKeys {
  fileprivate static let toyEffort = ContextKey(ToyEffort.self)
}

/// A coder of toy pictures that records its work contexts; its files contain only the effort that it was asked for.
private final class ListeningCoder: EncodingCoder, ProgressiveImageCoder {
  private let toy = ToyCoder()
  private let isProgressive: Bool
  private let works = Locked<[WorkContext]>([])

  init(isProgressive: Bool) { self.isProgressive = isProgressive }

  var heard: [WorkContext] { works.withLock { $0 } }
  var identifier: String { "listening" }
  var formats: [ImageFormat] { toy.formats }

  func canDecode(prefix: [UInt8]) -> Bool { toy.canDecode(prefix: prefix) }
  func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader { try toy.probe(bytes, work: work) }

  func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image {
    works.withLock { $0.append(work) }
    return try toy.decode(bytes, options: options, work: work)
  }

  func makeDecoder(
    prefix: [UInt8], options: DecodeOptions, work: WorkContext
  ) throws -> (any ProgressiveDecoder)? {
    guard isProgressive else { return nil }
    works.withLock { $0.append(work) }
    return try toy.makeDecoder(prefix: prefix, options: options, work: work)
  }

  func canEncode(_ format: ImageFormat) -> Bool { format == ToyImage.format }

  func encode(
    _ image: Image, as format: ImageFormat, options: EncodeOptions, work: WorkContext
  ) throws -> ImageBytes {
    ImageBytes(ToyImage.small.bytes + [UInt8(work.context[.toyEffort] ?? 0)])
  }
}
