import CEaselBenchSupport
import EaselCore
import EaselGIF
import EaselJPEG
import EaselPNG
import EaselWebP
import FoundationEssentials
import Glibc

/// A picture that depends only on a seed; its file is made once and kept for later runs.
struct BenchmarkPicture: Hashable {
  enum Content: String { case photo, screen }
  enum Encoding: String { case jpeg, cameraJPEG, progressiveJPEG, png, webp, losslessWebP, gif }

  let content: Content
  let encoding: Encoding
  let size: PixelSize
  let seed: UInt32

  /// Creates a picture.
  ///
  /// In a debug build, which only checks that the case works, its sides are an eighth.
  init(_ content: Content = .photo, _ encoding: Encoding, _ width: Int, _ height: Int, seed: Int = 1) {
    self.content = content
    self.encoding = encoding
    size = PixelSize(width: width / debugDivisor, height: height / debugDivisor)
    self.seed = UInt32(seed)
  }

  var fileExtension: String {
    switch encoding {
    case .jpeg, .cameraJPEG, .progressiveJPEG: "jpg"
    case .png: "png"
    case .webp, .losslessWebP: "webp"
    case .gif: "gif"
    }
  }

  /// The path of the file, which is made if it is missing.
  func path() throws -> String {
    let directory = try Self.directory()
    let path = "\(directory)/\(content)-\(encoding)-\(size.width)x\(size.height)-\(seed).\(fileExtension)"
    guard access(path, R_OK) != 0 else { return path }
    // The file gets its name only when it is complete.
    let draft = "\(path).\(getpid())"
    try encoded().write(to: URL(fileURLWithPath: draft))
    guard rename(draft, path) == 0 else { throw SystemError(code: errno) }
    return path
  }

  func data() throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path())) }

  func bitmap() throws -> Bitmap {
    var bitmap = try Bitmap(unfilled: size, format: .opaqueRGBA8)
    precondition(bitmap.bytesPerRow == size.width * 4, "The painter leaves no room between rows.")
    bitmap.withUnsafeMutableBytes { bytes in
      let rows = bytes.baseAddress!.assumingMemoryBound(to: UInt8.self)
      let paint = content == .photo ? easel_bench_paint_photo : easel_bench_paint_screen
      paint(rows, Int32(size.width), Int32(size.height), seed)
    }
    return bitmap
  }

  private func encoded() throws -> Data {
    var options = EncodeOptions.library(quality: encoding == .webp ? 0.8 : encoding == .cameraJPEG ? 0.95 : 0.85)
    options.progressive = encoding == .progressiveJPEG
    options.lossless = encoding == .losslessWebP
    // The compression effort hardly matters for readers, but a high one takes long.
    options.compressionLevel = 2
    let image = Image(try bitmap())
    switch encoding {
    case .jpeg, .cameraJPEG, .progressiveJPEG: return try encoded(image, by: JPEGCoder(), as: .jpeg, options)
    case .png: return try encoded(image, by: PNGCoder(), as: .png, options)
    case .webp, .losslessWebP: return try encoded(image, by: WebPCoder(), as: .webp, options)
    case .gif: return try encoded(image, by: GIFCoder(), as: .gif, options)
    }
  }

  private func encoded(
    _ image: Image, by coder: some EncodingCoder, as format: ImageFormat, _ options: EncodeOptions
  ) throws -> Data {
    var limits = Limits()
    limits.decodeTime = .seconds(600)
    return try coder.encode(image, as: format, options: options, work: WorkContext(limits: limits)).data()
  }

  /// The directory of the files; change the number in its name when the painting changes.
  private static func directory() throws -> String {
    let parent = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
    let path = "\(parent)/easel-benchmark-pictures-\(geteuid())-2"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    return path
  }
}
