import EaselEverything
import EaselTestSupport
import FoundationEssentials
import Testing

/// A file may state its orientation after its pixels; cuts in the transfer do not change the picture.
struct LateOrientationTests {
  private let url = URL(string: "http://host/late")!

  /// A picture stored on its side, with the orientation after the pixels.
  private static func file(_ format: ImageFormat) throws -> [UInt8] {
    var bitmap = try Bitmap(size: PixelSize(width: 120, height: 160), format: .opaqueRGBA8)
    let stride = bitmap.bytesPerRow
    bitmap.withUnsafeMutableBytes { bytes in
      for y in 0..<160 {
        for x in 0..<120 {
          let start = y * stride + x * 4
          (bytes[start], bytes[start + 1], bytes[start + 2], bytes[start + 3]) = (
            UInt8(x * 2), UInt8(y), UInt8((x * 7 + y * 3) % 200), 255
          )
        }
      }
    }
    var image = Image(bitmap)
    image.metadata.orientation = .right
    var options = EncodeOptions()
    options.lossless = true
    let bytes = try CoderRegistry.everything.encode(image, as: format, options: options, work: WorkContext())
      .withUnsafeBytes { [UInt8]($0) }
    return format == .png ? try withEXIFLast(bytes) : bytes
  }

  /// Moves the eXIf chunk of a PNG behind the pixels.
  private static func withEXIFLast(_ bytes: [UInt8]) throws -> [UInt8] {
    var chunks: [[UInt8]] = []
    var start = 8
    while start < bytes.count {
      let length = bytes[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
      chunks.append(Array(bytes[start..<start + 12 + length]))
      start += 12 + length
    }
    let index = try #require(chunks.firstIndex { $0[4..<8].elementsEqual("eXIf".utf8) })
    chunks.insert(chunks.remove(at: index), at: chunks.count - 2)
    return bytes[..<8] + chunks.flatMap { $0 }
  }

  private static let contexts: [(name: String, size: PixelSize, context: ImageContext)] = [
    ("resized", PixelSize(width: 20, height: 15), [.transformer(.resize(width: 20))]),
    (
      "cropped", PixelSize(width: 10, height: 10),
      [.transformer([.crop(PixelRect(x: 0, y: 0, width: 100, height: 100)), .resize(width: 10)])]
    ),
    ("thumbnail", PixelSize(width: 20, height: 15), [.thumbnailSize(PixelSize(width: 20, height: 20))]),
    ("plain", PixelSize(width: 160, height: 120), []),
  ]

  @Test(arguments: [ImageFormat.png, .webp, .avif])
  func whereverTheBodyIsCutThePictureIsTheSame(_ format: ImageFormat) async throws {
    let bytes = try Self.file(format)
    let header = try CoderRegistry.everything.probe(ImageBytes(bytes), work: WorkContext())
    try #require(header.orientation == .right && header.storedSize == PixelSize(width: 120, height: 160))
    let ends = max(0, bytes.count - 60)
    let cuts =
      Array(stride(from: 64, to: ends, by: max(1, bytes.count / 12))) + stride(from: ends, to: bytes.count, by: 6)
    for (name, size, context) in Self.contexts {
      let whole = try await load(bytes, cutAt: nil, context)
      #expect(whole.size == size, "\(name)")
      for cut in cuts {
        let image = try await load(bytes, cutAt: cut, context)
        #expect(image.size == size, "\(name), cut at \(cut)")
        #expect(image.bitmap == whole.bitmap, "\(name), cut at \(cut)")
      }
    }
  }

  /// Loads a body whose second part comes only after a coder has looked at the first.
  private func load(_ bytes: [UInt8], cutAt cut: Int?, _ context: ImageContext) async throws -> Image {
    let loader = FakeLoader()
    let coder = WatchedCoder()
    loader.script(url, .body(bytes))
    if let cut {
      loader.script(
        url,
        FakeLoader.Script([
          .head(ResponseHead(status: 200, expectedLength: bytes.count)), .chunk(Array(bytes[..<cut])),
          .chunk(Array(bytes[cut...])),
        ]))
      loader.suspend(url, at: .step(2))
    }
    let manager = ImageManager(
      ImageManager.Configuration(
        loader: LoaderChain([loader]), coder: CoderRegistry([coder]), cache: TieredCache(memory: LRUMemoryStore())))
    let task = manager.load(url, context: context)
    if cut != nil {
      for await _ in coder.looks { break }
      loader.resume(url, at: .step(2))
    }
    return try await task.image
  }
}

/// The coders of Easel; they report each look at a part of a body.
private final class WatchedCoder: ProgressiveImageCoder {
  let looks: AsyncStream<Void>
  private let look: AsyncStream<Void>.Continuation
  private let base = CoderRegistry.everything

  init() { (looks, look) = AsyncStream.makeStream() }

  var identifier: String { "watched" }
  var formats: [ImageFormat] { base.formats }

  func canDecode(prefix: [UInt8]) -> Bool { base.canDecode(prefix: prefix) }

  func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader {
    do {
      return try base.probe(bytes, work: work)
    } catch {
      // An incomplete header gives no decoder, so the look is counted here.
      look.yield()
      throw error
    }
  }

  func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image {
    try base.decode(bytes, options: options, work: work)
  }

  func makeDecoder(
    prefix: [UInt8], options: DecodeOptions, work: WorkContext
  ) throws -> (any ProgressiveDecoder)? {
    let made = try base.makeDecoder(prefix: prefix, options: options, work: work)
    guard let made else {
      look.yield()
      return nil
    }
    return WatchedDecoder(base: made, look: look)
  }
}

private struct WatchedDecoder: ProgressiveDecoder {
  let base: any ProgressiveDecoder
  let look: AsyncStream<Void>.Continuation

  func update(_ bytes: ImageBytes) throws {
    defer { look.yield() }
    try base.update(bytes)
  }

  func preview() throws -> Image? { try base.preview() }

  func finish(_ bytes: ImageBytes) throws -> Image { try base.finish(bytes) }
}
