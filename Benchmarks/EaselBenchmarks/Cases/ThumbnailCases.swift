import CEaselThumbnailBaseline
import EaselEverything
import EaselBenchmarkHarness
import FoundationEssentials
import Glibc

/// One picture after another, from a file to the bytes of a JPEG that fits in 320 by 320.
///
/// Each side is a separate process that does nothing else: a small program with Easel's coders, and the interpreter
/// with the other library.
///
/// Memory is the peak of such a process after its first picture.
func thumbnailCases() -> [BenchmarkCase] {
  let pictures: [(String, BenchmarkPicture, bar: Double?)] = [
    ("JPEG, 12 MP", BenchmarkPicture(.photo, .jpeg, 4000, 3000), 0.9),
    ("progressive JPEG, 12 MP", BenchmarkPicture(.photo, .progressiveJPEG, 4000, 3000), nil),
    ("PNG, 12 MP", BenchmarkPicture(.photo, .png, 4000, 3000), 0.85),
    ("PNG of a screen, 12 MP", BenchmarkPicture(.screen, .png, 4000, 3000), 0.85),
    ("WebP, 12 MP", BenchmarkPicture(.photo, .webp, 4000, 3000), 1),
    ("JPEG, 48 MP", BenchmarkPicture(.photo, .jpeg, 8000, 6000), 0.9),
    ("progressive JPEG, 39 MP", BenchmarkPicture(.photo, .progressiveJPEG, 7200, 5400), nil),
    ("PNG, 48 MP", BenchmarkPicture(.photo, .png, 8000, 6000), 0.85),
    ("WebP, 48 MP", BenchmarkPicture(.photo, .webp, 8000, 6000), 1),
  ]
  return pictures.flatMap { name, picture, bar in
    // libwebp alone takes more than the other libraries.
    let memoryBar = bar.map { _ in picture.encoding == .webp ? 0.4 : 1.0 / 3 }
    return [
      baselineCase(name, picture, isJPEG: picture.fileExtension == "jpg"),
      rivalCase(name, picture, "pyvips", atMost: bar, memoryAtMost: memoryBar, pyvips),
      rivalCase(name, picture, "Pillow", atMost: nil, pillow), rivalCase(name, picture, "OpenCV", atMost: nil, openCV),
    ]
  }
}

private func rivalCase(
  _ name: String, _ picture: BenchmarkPicture, _ rival: String, atMost bar: Double?,
  memoryAtMost memoryBar: Double? = nil, _ script: @escaping (String) -> String
) -> BenchmarkCase {
  BenchmarkCase("of a \(name)", group: "thumbnail", against: rival, atMost: bar, memoryAtMost: memoryBar) {
    let path = try picture.path()
    return BenchmarkPair(
      subject: try RepeatingProcess([InstalledProgram.leanThumbnails(), path], lacking: "what it needs")
        .sideWithPeakOfFirst,
      baseline: try PythonRival.process(script: script(path)).sideWithPeakOfFirst)
  }
}

/// libjpeg-turbo keeps all coefficients of a progressive JPEG, which are in memory of their own if it is large.
private func baselineCase(_ name: String, _ picture: BenchmarkPicture, isJPEG: Bool) -> BenchmarkCase {
  let keepsCoefficients = picture.encoding == .progressiveJPEG && picture.size.width > 4000
  return BenchmarkCase(
    "of a \(name)", group: "thumbnail", against: "the C libraries", atMost: isJPEG ? 0.8 : 1.1,
    memoryAtMost: keepsCoefficients ? 1.0 / 3 : nil
  ) {
    let data = try picture.data()
    return BenchmarkPair(
      subject: subject(data),
      baseline: .call {
        var jpeg: UnsafeMutablePointer<UInt8>?
        var count: UInt = 0
        let isMade = data.withUnsafeBytes {
          easel_baseline_thumbnail($0.baseAddress, $0.count, 320, true, &jpeg, &count)
        }
        guard isMade else { throw JobFailure(description: "the C libraries refuse the picture") }
        free(jpeg)
      })
  }
}

private func subject(_ data: Data) -> BenchmarkSide {
  let bytes = ImageBytes(data)
  var options = DecodeOptions()
  options.thumbnailSize = PixelSize(width: 320, height: 320)
  return .call {
    let work = WorkContext()
    let image = try CoderRegistry.everything.decode(bytes, options: options, work: work)
    blackHole(try CoderRegistry.everything.encode(image, as: .jpeg, options: EncodeOptions(), work: work))
  }
}

/// Without this, libvips would return its cached result the second time.
private func pyvips(_ path: String) -> String {
  """
  import pyvips
  pyvips.cache_set_max(0)
  def work():
      pyvips.Image.thumbnail("\(path)", 320, height=320).jpegsave_buffer(Q=80)
  """
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

/// OpenCV also reduces while it decodes, by a factor that its caller chooses; this makes JPEG faster.
private func openCV(_ path: String) -> String {
  """
  import cv2
  def work():
      image = cv2.imread("\(path)", cv2.IMREAD_REDUCED_COLOR_8)
      height, width = image.shape[:2]
      scale = min(1, 320 / width, 320 / height)
      size = (max(1, round(width * scale)), max(1, round(height * scale)))
      small = cv2.resize(image, size, interpolation=cv2.INTER_AREA)
      cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, 80])
  """
}
