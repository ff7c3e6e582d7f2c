import EaselAVIF
import EaselCore
import EaselGIF
import EaselHEIF
import EaselJPEG
import EaselJXL
import EaselMisbehaving
import EaselPNG
import EaselPixels
import EaselSVG
import EaselTestPixels
import EaselTestSupport
import EaselTestTags
import EaselWebP
import FoundationEssentials
import Glibc
import Testing

@testable import EaselSandbox

/// In the sandbox a coder gives what it gives outside.
@Suite(.tags(.alone))
struct PictureTests {
  private typealias T = SandboxTesting

  static let coders: [any EncodingCoder & MetadataCountingCoder] = [
    PNGCoder(), JPEGCoder(), GIFCoder(), WebPCoder(), AVIFCoder(),
  ]

  @Test(arguments: coders.indices)
  func fileExtensionsAreThoseOfTheCoderInside(_ index: Int) {
    let (coder, format) = (Self.coders[index], Self.coders[index].formats[0])
    #expect(T.sandboxed(coder).fileExtensions(of: format) == coder.usualExtensions(of: format))
    #expect(T.sandboxed(coder).drawsLarger(format) == coder.makesDrawings(of: format))
  }

  /// What a coder can do.
  private func capabilities(_ coder: any ImageCoder) -> [Bool] {
    [
      coder.capability((any EncodingCoder).self) != nil, coder.capability((any MetadataCountingCoder).self) != nil,
      coder.capability((any RepackingCoder).self) != nil, coder.capability((any DrawingCoder).self) != nil,
      coder.capability((any FileNamingCoder).self) != nil,
      coder.capability((any EffortEstimatingCoder).self) != nil,
      coder.capability((any ProgressiveImageCoder).self) != nil,
    ]
  }

  @Test func aCoderInTheSandboxCanDoWhatTheOneInsideCan() {
    #expect(capabilities(JXLCoder()) == [true, true, true, false, false, false, true])
    #expect(capabilities(HEIFCoder()) == [false, true, false, false, true, false, false])
    #expect(capabilities(SVGCoder()) == [false, false, false, true, true, true, false])
    for coder in Self.coders + [JXLCoder(), HEIFCoder(), SVGCoder(), MisbehavingCoder()] as [any ImageCoder] {
      let sandboxed = T.sandboxed(coder)
      #expect(capabilities(sandboxed) == capabilities(coder), "\(coder.identifier)")
    }
  }

  private func file(_ image: Image, _ coder: any EncodingCoder, _ options: EncodeOptions = EncodeOptions()) throws
    -> ImageBytes
  {
    try coder.encode(image, as: coder.formats[0], options: options, work: WorkContext())
  }

  private func expectSame(
    _ bytes: ImageBytes, _ coder: any MetadataCountingCoder, _ options: DecodeOptions = DecodeOptions()
  )
    throws
  {
    let sandboxed = T.sandboxed(coder)
    #expect(try sandboxed.probe(bytes, work: WorkContext()) == coder.probe(bytes, work: WorkContext()))
    #expect(
      try sandboxed.metadataBytes(of: bytes, work: WorkContext()) == coder.metadataBytes(of: bytes, work: WorkContext())
    )
    let inside = try sandboxed.decode(bytes, options: options, work: WorkContext())
    let outside = try coder.decode(bytes, options: options, work: WorkContext())
    #expect(inside.bitmap == outside.bitmap)
    #expect(inside.metadata == outside.metadata)
    #expect(inside.metadata.gainMap?.bitmap == outside.metadata.gainMap?.bitmap)
    #expect(inside.format == outside.format)
    #expect(inside.traits == outside.traits)
    #expect(inside.frames?.count == outside.frames?.count)
  }

  @Test(arguments: coders.indices)
  func stillPicturesAreTheSame(_ index: Int) throws {
    let coder = Self.coders[index]
    for format in [PixelFormat.opaqueRGBA8, .rgba8, .gray8] {
      var image = Image(try Bitmap.noise(37, 23, format))
      image.metadata.orientation = .right
      image.metadata.density = ImageMetadata.Density(horizontal: 300, vertical: 150)
      let bytes = try file(image, coder)
      try expectSame(bytes, coder)
      var options = DecodeOptions()
      options.appliesOrientation = false
      options.thumbnailSize = PixelSize(width: 10, height: 10)
      try expectSame(bytes, coder, options)
    }
  }

  @Test func largePicturesAreTheSame() throws {
    let bytes = try file(Image(Bitmap.waves(1999, 1501)), JPEGCoder())
    try expectSame(bytes, JPEGCoder())
    var options = DecodeOptions()
    options.leastSize = PixelSize(width: 300, height: 225)
    try expectSame(bytes, JPEGCoder(), options)
  }

  @Test func pixelsOf16BitsAreTheSame() throws {
    let bytes = try file(Image(Bitmap.noise(31, 17, .rgba16)), PNGCoder())
    var options = DecodeOptions()
    options.keeps16Bits = true
    try expectSame(bytes, PNGCoder(), options)
  }

  @Test func metadataAreTheSame() throws {
    var image = Image(try Bitmap.noise(9, 9, .opaqueRGBA8))
    image.metadata.exif = Data([0x49, 0x49, 42, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0])
    image.metadata.xmp = Data("<x:xmpmeta xmlns:x='adobe:ns:meta/'/>".utf8)
    var options = EncodeOptions()
    options.keepsMetadata = true
    for coder in [PNGCoder(), JPEGCoder(), WebPCoder()] as [any EncodingCoder & MetadataCountingCoder] {
      let bytes = try file(image, coder, options)
      try expectSame(bytes, coder)
      #expect(try T.sandboxed(coder).decode(bytes, options: DecodeOptions(), work: WorkContext()).metadata.xmp != nil)
    }
  }

  @Test func aFileIsReadLikeMemory() throws {
    let bytes = try file(Image(Bitmap.waves(80, 60)), PNGCoder())
    let path = FileManager.default.temporaryDirectory.appending(path: "easel-\(UUID()).png").path
    try bytes.data().write(to: URL(filePath: path))
    defer { unlink(path) }
    try expectSame(ImageBytes(contentsOfFile: path), PNGCoder())
  }

  @Test func noBytesAreAnError() {
    #expect(throws: ImageError.self) {
      try T.sandboxed(PNGCoder()).decode(ImageBytes([]), options: DecodeOptions(), work: WorkContext())
    }
  }

  @Test func errorsAreTheSame() throws {
    let whole = try file(Image(Bitmap.noise(50, 40, .rgba8)), PNGCoder()).data()
    for length in stride(from: 0, to: whole.count, by: 97) {
      let bytes = ImageBytes(whole.prefix(length))
      let inside = #expect(throws: ImageError.self) {
        try T.sandboxed(PNGCoder()).decode(bytes, options: DecodeOptions(), work: WorkContext())
      }
      let outside = #expect(throws: ImageError.self) {
        try PNGCoder().decode(bytes, options: DecodeOptions(), work: WorkContext())
      }
      #expect(inside?.code == outside?.code)
      #expect(inside?.message == outside?.message)
    }
  }

  @Test func limitsGoAlong() throws {
    let bytes = try file(Image(Bitmap.noise(50, 40, .rgba8)), PNGCoder())
    var limits = Limits()
    limits.framePixels = 1999
    let error = #expect(throws: ImageError.self) {
      try T.sandboxed(PNGCoder()).probe(bytes, work: WorkContext(limits: limits))
    }
    #expect(error?.code == .limitExceeded)
  }

  @Test func theJPEGInsideAJPEGXLIsTheSame() throws {
    let jpeg = try file(Image(Bitmap.noise(400, 300, .opaqueRGBA8)), JPEGCoder())
    let packed = try JXLCoder().packed(jpeg: jpeg)
    let coder = T.sandboxed(JXLCoder())
    #expect(coder.repackedFormats(of: .jxl) == [.jpeg])
    func repacked(_ file: ImageBytes, as format: ImageFormat, _ limits: Limits = Limits()) throws -> ImageBytes? {
      try coder.repacked(file, as: format, withMetadata: true, work: WorkContext(limits: limits))
    }
    #expect(try repacked(packed, as: .jpeg)?.data() == jpeg.data())
    #expect(try repacked(packed, as: .png) == nil)
    let plain = try file(Image(Bitmap.noise(40, 30, .opaqueRGBA8)), JXLCoder())
    #expect(try repacked(plain, as: .jpeg) == nil)
    // It is not restored if it is larger than any file may be.
    #expect(try repacked(packed, as: .jpeg, Limits(downloadBytes: jpeg.count - 1)) == nil)
  }

  @Test(arguments: [true, false]) func aJPEGIsPackedInTheSandbox(withMetadata: Bool) throws {
    let jpeg = try file(Image(Bitmap.noise(400, 300, .opaqueRGBA8)), JPEGCoder())
    let coder = T.sandboxed(JXLCoder())
    #expect(coder.repackedFormats(of: .jpeg) == [.jxl])
    let packed = try coder.repacked(jpeg, as: .jxl, withMetadata: withMetadata, work: WorkContext())
    #expect(try packed.flatMap { try JXLCoder().jpeg(in: $0) }?.data() == jpeg.data())
    let damaged = ImageBytes(try jpeg.data().prefix(jpeg.count / 2))
    #expect(try coder.repacked(damaged, as: .jxl, withMetadata: withMetadata, work: WorkContext()) == nil)
  }

  // MARK: Moving pictures

  static let movingCoders: [any EncodingCoder & MetadataCountingCoder] = [
    GIFCoder(), WebPCoder(), AVIFCoder(), PNGCoder(),
  ]

  private func movingFile(_ coder: any EncodingCoder) throws -> ImageBytes {
    let frames = try (0..<6).map { try Bitmap.noise(24, 18, .opaqueRGBA8, seed: UInt64($0 + 1)) }
    let source = try FrameArray(frames, durations: (0..<6).map { .milliseconds(40 + 10 * $0) }, loopCount: 3)
    return try file(Image(frames[0], frames: source), coder)
  }

  @Test(arguments: movingCoders.indices)
  func framesAreTheSameInAnyOrder(_ index: Int) throws {
    let coder = Self.movingCoders[index]
    let bytes = try movingFile(coder)
    try expectSame(bytes, coder)
    let inside = try #require(T.sandboxed(coder).decode(bytes, options: DecodeOptions(), work: WorkContext()).frames)
    let outside = try #require(coder.decode(bytes, options: DecodeOptions(), work: WorkContext()).frames)
    #expect(inside.loopCount == outside.loopCount)
    #expect(inside.canvasSize == outside.canvasSize)
    for frame in [0, 1, 2, 3, 4, 5, 2, 0, 5, 5, 1] {
      #expect(inside.duration(at: frame) == outside.duration(at: frame))
      #expect(try inside.frame(at: frame) == outside.frame(at: frame))
    }
  }

  @Test func framesComeAfterTheirProcessIsGone() throws {
    let sandbox = Sandbox(T.configuration())
    let bytes = try movingFile(GIFCoder())
    let coder = Sandbox.Coder(GIFCoder(), in: sandbox)
    let inside = try #require(coder.decode(bytes, options: DecodeOptions(), work: WorkContext()).frames)
    let outside = try #require(GIFCoder().decode(bytes, options: DecodeOptions(), work: WorkContext()).frames)
    for frame in 0..<6 {
      kill(try #require(sandbox.workerProcess(for: .common)), SIGKILL)
      #expect(try inside.frame(at: frame) == outside.frame(at: frame))
    }
  }

  @Test func framesComeToManyThreads() async throws {
    let bytes = try movingFile(GIFCoder())
    let inside = try #require(
      T.sandboxed(GIFCoder()).decode(bytes, options: DecodeOptions(), work: WorkContext()).frames)
    let outside = try #require(GIFCoder().decode(bytes, options: DecodeOptions(), work: WorkContext()).frames)
    let expected = try (0..<6).map { try outside.frame(at: $0) }
    let isRight = await withTaskGroup(of: Bool.self) { group in
      for index in 0..<24 {
        group.addTask {
          await runBlocking { (try? inside.frame(at: index % 6)) == expected[index % 6] }
        }
      }
      return await group.allSatisfy { $0 }
    }
    #expect(isRight)
  }
}
