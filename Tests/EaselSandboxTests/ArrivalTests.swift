import EaselCore
import EaselGIF
import EaselJPEG
import EaselJXL
import EaselMisbehaving
import EaselPNG
import EaselTestPixels
import EaselTestTags
import EaselWebP
import Glibc
import Testing

@testable import EaselSandbox

/// Pictures are shown while they arrive as outside, by a process of their own.
@Suite(.tags(.alone), .serialized)
struct ArrivalTests {
  private typealias T = SandboxTesting

  private static let coders: [any EncodingCoder & ProgressiveImageCoder] = [
    JPEGCoder(), PNGCoder(), GIFCoder(), WebPCoder(), JXLCoder(),
  ]

  private func file(_ coder: any EncodingCoder) throws -> [UInt8] {
    let options = EncodeOptions(quality: 0.9, progressive: true)
    let image = Image(try Bitmap.waves(400, 300))
    return try coder.encode(image, as: coder.formats[0], options: options, work: WorkContext()).withUnsafeBytes {
      Array($0)
    }
  }

  private func decoder(
    _ coder: any ImageCoder, of file: [UInt8], _ options: DecodeOptions = DecodeOptions(), limits: Limits = Limits()
  ) throws -> any ProgressiveDecoder {
    let made = try coder.capability((any ProgressiveImageCoder).self)?
      .makeDecoder(prefix: Array(file.prefix(256)), options: options, work: WorkContext(limits: limits))
    return try #require(made)
  }

  /// The parts of a file that have arrived at some times.
  private func parts(_ file: [UInt8]) -> [ImageBytes] {
    [1, 3, 4, 7, 9].map { ImageBytes(Array(file.prefix(file.count * $0 / 10))) }
  }

  @Test(arguments: coders.indices) func previewsAndPicturesAreThoseOfTheCoderInside(_ index: Int) throws {
    let coder = Self.coders[index]
    let file = try file(coder)
    var options = DecodeOptions()
    for size in [nil, PixelSize(width: 90, height: 90)] {
      options.thumbnailSize = size
      let inside = try decoder(T.sandboxed(coder), of: file, options)
      let outside = try decoder(coder, of: file, options)
      var shown = 0
      for part in parts(file) {
        try inside.update(part)
        try outside.update(part)
        let (one, other) = (try inside.preview(), try outside.preview())
        #expect(one?.bitmap == other?.bitmap && one?.traits == other?.traits)
        #expect(one?.metadata.storedSize == other?.metadata.storedSize)
        if one != nil { shown += 1 }
      }
      #expect(shown > 0 || coder is GIFCoder, "\(coder.identifier)")
      let whole = try coder.decode(ImageBytes(file), options: options, work: WorkContext())
      let finished = try inside.finish(ImageBytes(file))
      #expect(finished.bitmap == whole.bitmap && finished.traits == whole.traits)
    }
  }

  @Test func withoutAPreviewThereIsNoProcessBeforeTheEnd() throws {
    let sandbox = Sandbox(T.configuration())
    let worker = try #require(sandbox.workerProcess(for: .common))
    let file = try file(PNGCoder())
    let decoder = try decoder(Sandbox.Coder(PNGCoder(), in: sandbox), of: file)
    for part in parts(file) { try decoder.update(part) }
    #expect(T.children(of: worker).isEmpty)
    let whole = try PNGCoder().decode(ImageBytes(file), options: DecodeOptions(), work: WorkContext())
    #expect(try decoder.finish(ImageBytes(file)).bitmap == whole.bitmap)
  }

  @Test func whoShowsNoneMakesNoDecoder() throws {
    var configuration = T.configuration()
    configuration.makesPreviews = false
    let coder = Sandbox.Coder(PNGCoder(), in: Sandbox(configuration))
    let prefix = Array(try file(PNGCoder()).prefix(256))
    #expect(try coder.makeDecoder(prefix: prefix, options: DecodeOptions(), work: WorkContext()) == nil)
    // Nor does a coder that needs the whole file, or one of another format.
    let others = [T.sandboxed(MisbehavingCoder()), T.sandboxed(JPEGCoder())]
    for other in others {
      #expect(try other.makeDecoder(prefix: prefix, options: DecodeOptions(), work: WorkContext()) == nil)
    }
  }

  /// A decoder that is taken over by the first part of a file: the preview is an error, and the picture is right.
  @Test(arguments: [Misdeed.crash, .hang, .lieAboutSize, .lieAboutOffset, .writeGarbage, .closeSocket, .openFile])
  func badPreviewsSpoilNoPicture(misdeed: Misdeed) throws {
    let file = try file(JPEGCoder())
    let sandbox = Sandbox(T.configuration())
    let coder = Sandbox.Coder(PlantedCoder(JPEGCoder()), in: sandbox)
    let worker = try #require(sandbox.workerProcess())
    let options = PlantedCoder.options(for: misdeed)
    let decoder = try decoder(coder, of: file, options, limits: RedTeam.limits(for: misdeed))
    try decoder.update(ImageBytes(Array(file.prefix(file.count / 2))))
    let error = #expect(throws: ImageError.self) { try decoder.preview() }
    #expect(error?.code == RedTeam.code(of: misdeed), "\(error as Any)")
    let whole = try JPEGCoder().decode(ImageBytes(file), options: DecodeOptions(), work: WorkContext())
    let next = try coder.decode(ImageBytes(file), options: DecodeOptions(), work: WorkContext())
    #expect(next.bitmap == whole.bitmap)
    #expect(sandbox.workerProcess() == worker)
  }

  @Test func theProcessEndsWithItsDecoder() throws {
    let sandbox = Sandbox(T.configuration())
    let worker = try #require(sandbox.workerProcess(for: .common))
    let file = try file(JPEGCoder())
    var busy: [pid_t] = []
    do {
      let decoder = try decoder(Sandbox.Coder(JPEGCoder(), in: sandbox), of: file)
      try decoder.update(ImageBytes(Array(file.prefix(file.count / 2))))
      _ = try decoder.preview()
      busy = T.children(of: worker)
      #expect(!busy.isEmpty)
    }
    // Those that wait for the next pictures remain.
    T.wait {
      let left = T.children(of: worker)
      return left.count <= WaitingChildren.spares && !busy.allSatisfy(left.contains)
    }
  }

  /// Files of loaders may be read piece by piece.
  @Test func partsMayBeInFiles() throws {
    let file = try file(PNGCoder())
    let path = "/tmp/easel-arrival-\(getpid())"
    defer { unlink(path) }
    let descriptor = open(path, O_CREAT | O_RDWR, 0o600)
    defer { close(descriptor) }
    let decoder = try decoder(T.sandboxed(PNGCoder()), of: file)
    var written = 0
    for part in parts(file) {
      let end = part.count
      let wrote = file[written..<end].withUnsafeBytes { pwrite(descriptor, $0.baseAddress!, $0.count, written) }
      #expect(wrote == end - written)
      written = end
      try decoder.update(ImageBytes(contentsOfFile: path))
      _ = try decoder.preview()
    }
    let whole = try PNGCoder().decode(ImageBytes(file), options: DecodeOptions(), work: WorkContext())
    #expect(try decoder.finish(ImageBytes(file)).bitmap == whole.bitmap)
  }
}
