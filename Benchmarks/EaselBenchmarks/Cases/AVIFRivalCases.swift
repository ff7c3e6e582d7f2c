import EaselAVIF
import EaselBenchmarkHarness
import EaselCore
import EaselSupport
import FoundationEssentials
import Glibc

/// AVIF through other libraries, which bring decoders and encoders of their own.
func avifRivalCases() -> [BenchmarkCase] {
  let large = BenchmarkPicture(.photo, .png, 4000, 3000)
  return [
    thumbnailCase(large, "Pillow", pillow), thumbnailCase(large, "pyvips", pyvips), thumbnailProgramCase(large),
    encodeCase("Pillow", pillowEncoder), encodeCase("pyvips", pyvipsEncoder), encodeProgramCase(),
  ]
}

// MARK: Thumbnails

/// One thumbnail after another, each side in a process of its own.
private func thumbnailCase(
  _ picture: BenchmarkPicture, _ rival: String, _ script: @escaping (String) -> String
) -> BenchmarkCase {
  BenchmarkCase(
    "a photo of 12 MP to a JPEG of 320 pixels", group: "AVIF", against: rival, atMost: 1, memoryAtMost: 1.0 / 3
  ) {
    let path = try file(of: picture)
    return BenchmarkPair(
      subject: try own(path), baseline: try PythonRival.process(script: script(path)).sideWithPeakOfFirst)
  }
}

private func thumbnailProgramCase(_ picture: BenchmarkPicture) -> BenchmarkCase {
  BenchmarkCase(
    "a photo of 12 MP to a JPEG of 320 pixels", group: "AVIF", against: "ImageMagick", atMost: 1, memoryAtMost: 1.0 / 3
  ) {
    let path = try file(of: picture)
    return BenchmarkPair(
      subject: try own(path),
      baseline: try imageMagick([path, "-thumbnail", "320x320", "-quality", "80", path + ".jpg"]))
  }
}

private func own(_ path: String) throws -> BenchmarkSide {
  try RepeatingProcess([InstalledProgram.leanThumbnails(), path], lacking: "what it needs").sideWithPeakOfFirst
}

/// The path of the picture as AVIF, which is made if it is missing.
private func file(of picture: BenchmarkPicture) throws -> String {
  let path = try picture.path() + ".avif"
  guard access(path, R_OK) != 0 else { return path }
  try avifFile(Image(picture.bitmap())).write(to: URL(fileURLWithPath: path))
  return path
}

private func pillow(_ path: String) -> String {
  """
  import io
  from PIL import Image
  def work():
      image = Image.open("\(path)")
      image.thumbnail((320, 320))
      image.convert("RGB").save(io.BytesIO(), "JPEG", quality=80)
  """
}

/// Without the setting, libvips would return its cached result the second time.
private func pyvips(_ path: String) -> String {
  """
  import pyvips
  pyvips.cache_set_max(0)
  def work():
      pyvips.Image.thumbnail("\(path)", 320, height=320).jpegsave_buffer(Q=80)
  """
}

private func imageMagick(_ words: [String]) throws -> BenchmarkSide {
  let program = try InstalledProgram.path("convert-im6.q16", "magick")
  let side = ChildJob(command: [program] + words, environment: ["MAGICK_THREAD_LIMIT": "\(CPUBudget.processors)"]).side
  do {
    _ = try ChildProcess([program] + words).wait()
  } catch is JobFailure {
    throw BenchmarkUnavailable("\(program) does not know AVIF")
  }
  return side
}

// MARK: Encoding

/// The picture of the cases, the quality of Easel's file, and what Easel makes of it.
private struct EncodedPhoto {
  static let picture = BenchmarkPicture(.photo, .png, 1600, 1250)

  let bitmap: Bitmap
  let quality: Double
  private(set) var count = 0
  private var similarity = 0.0

  init(quality: Double = 0.63) throws {
    bitmap = try Self.picture.bitmap()
    self.quality = quality
    let file = try encode()
    count = file.count
    similarity = try Self.similarity(of: file, to: bitmap)
  }

  func encode() throws -> ImageBytes {
    try AVIFCoder().encode(Image(bitmap), as: .avif, options: .library(quality: quality), work: WorkContext())
  }

  /// Throws unless the other file has about as many bytes, and Easel's is as similar to the picture.
  func check(fileAt path: String) throws {
    let file = try ImageBytes(contentsOfFile: path).loaded()
    let other = try Self.similarity(of: file, to: bitmap)
    let text = "Easel \(count) bytes, \(rounded(similarity)) dB; the other \(file.count) bytes, \(rounded(other)) dB"
    _ = "  \(text)\n".withCString { write(STDERR_FILENO, $0, strlen($0)) }
    guard Double(abs(count - file.count)) < 0.06 * Double(count), other < similarity + 0.5 else {
      throw BenchmarkUnavailable("the files are not comparable: \(text)")
    }
  }

  private func rounded(_ decibels: Double) -> Double { (decibels * 100).rounded() / 100 }

  /// The ratio of the largest to the mean difference, in decibels.
  private static func similarity(of file: ImageBytes, to bitmap: Bitmap) throws -> Double {
    let made = try AVIFCoder().decode(file, options: DecodeOptions(), work: WorkContext()).bitmap
    let sum = made.withUnsafeBytes { made in
      bitmap.withUnsafeBytes { wanted in
        zip(made, wanted).reduce(0.0) { $0 + Double(Int($1.0) - Int($1.1)) * Double(Int($1.0) - Int($1.1)) }
      }
    }
    return 10 * log10(255 * 255 / (sum / Double(bitmap.size.area * 3)))
  }
}

/// The same picture written by another library, at the quality that gives about as many bytes.
private func encodeCase(_ rival: String, _ encoder: String) -> BenchmarkCase {
  BenchmarkCase("encode a photo of 2 MP", group: "AVIF", against: rival, atMost: 1) {
    let photo = try EncodedPhoto()
    let result = try EncodedPhoto.picture.path() + ".\(rival).avif"
    let process = try PythonRival.process(
      script: """
        PATH = "\(try EncodedPhoto.picture.path())"
        \(encoder)
        quality = min(range(30, 96), key=lambda quality: abs(len(encode(quality)) - \(photo.count)))
        with open("\(result)", "wb") as file:
            file.write(encode(quality))
        def work():
            encode(quality)
        """)
    try photo.check(fileAt: result)
    return BenchmarkPair(subject: .call { blackHole(try photo.encode()) }, baseline: process.side)
  }
}

private func encodeProgramCase() -> BenchmarkCase {
  BenchmarkCase("encode a photo of 2 MP", group: "AVIF", against: "ImageMagick", atMost: 1) {
    let photo = try EncodedPhoto()
    let path = try EncodedPhoto.picture.path()
    let result = path + ".magick.avif"
    func words(_ quality: Int) -> [String] { [path, "-quality", "\(quality)", result] }
    var best: (quality: Int, difference: Int)?
    func attempt(_ quality: Int) throws {
      _ = try imageMagick(words(quality))
      let difference = abs(try ImageBytes(contentsOfFile: result).count - photo.count)
      if difference < best?.difference ?? .max { best = (quality, difference) }
    }
    for quality in stride(from: 30, through: 90, by: 6) { try attempt(quality) }
    let coarse = best?.quality ?? 60
    for quality in coarse - 5...coarse + 5 where quality != coarse { try attempt(quality) }
    let side = try imageMagick(words(best?.quality ?? 60))
    // The sizes of its files jump, so Easel's quality is the one that is fitted.
    let other = try ImageBytes(contentsOfFile: result).count
    let photos = try [photo] + stride(from: 0.61, through: 0.65, by: 0.005).map { try EncodedPhoto(quality: $0) }
    let nearest = photos.min { abs($0.count - other) < abs($1.count - other) } ?? photo
    try nearest.check(fileAt: result)
    return BenchmarkPair(subject: .call { blackHole(try nearest.encode()) }, baseline: side)
  }
}

private let pillowEncoder = """
  import io
  from PIL import Image
  image = Image.open(PATH).convert("RGB")
  image.load()
  def encode(quality):
      target = io.BytesIO()
      image.save(target, "AVIF", quality=quality, speed=8)
      return target.getvalue()
  """

private let pyvipsEncoder = """
  import pyvips
  pyvips.cache_set_max(0)
  image = pyvips.Image.new_from_file(PATH).copy_memory()
  def encode(quality):
      return image.heifsave_buffer(Q=quality, compression="av1", effort=1)
  """
