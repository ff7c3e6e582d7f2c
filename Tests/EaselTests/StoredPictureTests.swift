import EaselEverything
import EaselTestSupport
import FoundationEssentials
import Testing

/// With all coders and the standard stores, a stored picture equals the first load.
struct StoredPictureTests {
  private let url = URL(string: "http://host/picture")!

  private static func still(_ size: PixelSize) throws -> Image {
    var bitmap = try Bitmap(size: size, format: .opaqueRGBA8)
    let stride = bitmap.bytesPerRow
    bitmap.withUnsafeMutableBytes { bytes in
      for y in 0..<size.height {
        for x in 0..<size.width {
          let start = y * stride + x * 4
          (bytes[start], bytes[start + 1], bytes[start + 2]) = (UInt8(x % 256), UInt8(y % 256), UInt8((x * y) % 256))
          bytes[start + 3] = 255
        }
      }
    }
    return Image(bitmap)
  }

  /// The EXIF block of a file that lies on its side and has a place.
  private static let exif = Data(
    [0x4D, 0x4D, 0, 0x2A, 0, 0, 0, 8, 0, 2]
      + [0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0]
      + [0x88, 0x25, 0, 4, 0, 0, 0, 1, 0, 0, 0, 99] + [0, 0, 0, 0])

  private static func file(_ format: ImageFormat, moves: Bool) throws -> ImageBytes {
    var image = try still(PixelSize(width: 120, height: 80))
    if moves {
      image.frames = ListedFrames(try (1...3).map { try still(PixelSize(width: 120, height: 80)).tinted($0) })
    } else {
      image.metadata.exif = exif
      image.metadata.orientation = .right
      image.metadata.density = ImageMetadata.Density(horizontal: 300, vertical: 300)
    }
    return try CoderRegistry.everything.encode(
      image, as: format, options: EncodeOptions(keepsMetadata: true), work: WorkContext())
  }

  private static let cases: [(ImageFormat, Bool)] = [
    (.jpeg, false), (.png, false), (.webp, false), (.gif, true), (.png, true), (.webp, true), (.avif, false),
    (.avif, true), (.tiff, false),
  ]

  @Test(arguments: cases) func everyLayerGivesTheSame(_ format: ImageFormat, _ moves: Bool) async throws {
    let bytes = try Self.file(format, moves: moves).data()
    let contexts: [(ImageOptions, ImageContext)] = [
      ([], []), ([], [.thumbnailSize(PixelSize(width: 32, height: 32))]),
      (.transformAnimated, [.transformer(.resize(width: 30))]), ([], [.scaleDownLimitBytes(4096)]),
      ([], [.decodeOptions(DecodeOptions(appliesOrientation: false))]),
    ]
    for (options, context) in contexts {
      let loader = FakeLoader()
      loader.script(url, .body([UInt8](bytes), headers: ["Content-Type": "text/html"]))
      let (memory, disk) = (LRUMemoryStore(), RecordingDiskStore())
      let manager = ImageManager(
        ImageManager.Configuration(
          loader: LoaderChain([loader]), coder: .everything, cache: TieredCache(memory: memory, disk: disk)))
      let request = ImageRequest(url: url, options: options.union(.waitStore), context: context)
      let first = try await manager.result(for: request)
      memory.removeAll()
      let second = try await manager.result(for: request)
      #expect(first.source == .network && second.source == .disk && first.key == second.key)
      let (old, new) = (first.image, second.image)
      #expect(old.bitmap == new.bitmap && old.format == new.format && new.format == format, "\(first.key)")
      #expect(old.metadata == new.metadata && old.traits == new.traits, "\(first.key)")
      #expect(old.scaleFactor == new.scaleFactor && old.isAnimated == new.isAnimated && old.isAnimated == moves)
      #expect(old.frames?.loopCount == new.frames?.loopCount && old.frames?.count == new.frames?.count)
      for index in 0..<(old.frames?.count ?? 0) {
        #expect(old.frames?.duration(at: index) == new.frames?.duration(at: index))
        #expect(try old.frames?.frame(at: index) == new.frames?.frame(at: index), "\(first.key) frame \(index)")
      }
      for (key, entry) in disk.entries {
        let stored = try #require(entry.bytes)
        let header = try CoderRegistry.everything.probe(stored, work: WorkContext())
        #expect(entry.record.mimeType == header.format.mimeType, "\(key)")
      }
    }
  }

  @Test func aPictureThatALoaderMadeIsScaledByTheStandardConfiguration() async throws {
    let loader = FakeLoader()
    loader.script(url, .image(try Self.still(PixelSize(width: 640, height: 400))))
    var configuration = ImageManager.Configuration.standard(cacheDirectory: nil)
    configuration.loader = loader
    let manager = ImageManager(configuration)
    let box: ImageContext = [.thumbnailSize(PixelSize(width: 64, height: 64))]
    let result = try await manager.result(for: ImageRequest(url: url, context: box))
    #expect(result.image.size == PixelSize(width: 64, height: 40) && result.image.traits == .thumbnail)
    #expect(result.image.metadata.storedSize == PixelSize(width: 640, height: 400))
    #expect(manager.cachedImage(for: url, context: box)?.size == PixelSize(width: 64, height: 40))
  }
}

/// Frames that are already decoded.
private struct ListedFrames: FrameSource {
  private let bitmaps: [Bitmap]

  init(_ bitmaps: [Bitmap]) { self.bitmaps = bitmaps }

  var count: Int { bitmaps.count }
  var loopCount: Int { 4 }
  var canvasSize: PixelSize { bitmaps[0].size }
  var memoryCost: Int { 0 }

  func duration(at index: Int) -> Duration { .milliseconds(40 * (index + 1)) }

  func frame(at index: Int) throws -> Bitmap { bitmaps[index] }
}

extension Image {
  /// The pixels with one component changed, so that no two frames are alike.
  fileprivate func tinted(_ amount: Int) throws -> Bitmap {
    var bitmap = bitmap
    bitmap.withUnsafeMutableBytes { bytes in
      for start in stride(from: 0, to: bytes.count, by: 4) { bytes[start] = bytes[start] &+ UInt8(amount * 50) }
    }
    return bitmap
  }
}
