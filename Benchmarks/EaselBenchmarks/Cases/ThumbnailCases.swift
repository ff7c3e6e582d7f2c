import CEaselThumbnailBaseline
import Easel
import EaselBenchmarkHarness
import FoundationEssentials
import Glibc

/// One picture after another, from its bytes to those of a JPEG that fits in 320 by 320, within one process.
///
/// Memory is the peak of a fresh process after its first picture: the program `easel`, and the interpreter with the
/// other library in it.
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
    [
      baselineCase(name, picture), rivalCase(name, picture, "pyvips", atMost: bar, pyvips),
      rivalCase(name, picture, "Pillow", atMost: nil, pillow), rivalCase(name, picture, "OpenCV", atMost: nil, openCV),
    ]
  }
}

private func rivalCase(
  _ name: String, _ picture: BenchmarkPicture, _ rival: String, atMost bar: Double?,
  _ script: @escaping (String) -> String
) -> BenchmarkCase {
  BenchmarkCase("of a \(name)", group: "thumbnail", against: rival, atMost: bar, memoryAtMost: bar.map { _ in 1.0 / 3 })
  {
    let path = try picture.path()
    let rival = try PythonRival(script: script(path))
    return BenchmarkPair(
      subject: try subject(picture).withPeak { try await peakOfProgram(picture) },
      baseline: rival.side.withPeak { rival.peakBytesOfFirst })
  }
}

private func baselineCase(_ name: String, _ picture: BenchmarkPicture) -> BenchmarkCase {
  BenchmarkCase("of a \(name)", group: "thumbnail", against: "the C libraries", atMost: 1.1) {
    let data = try picture.data()
    return BenchmarkPair(
      subject: try subject(picture),
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

private func subject(_ picture: BenchmarkPicture) throws -> BenchmarkSide {
  let bytes = ImageBytes(try picture.data())
  var options = DecodeOptions()
  options.thumbnailSize = PixelSize(width: 320, height: 320)
  return .call {
    let work = WorkContext()
    let image = try CoderRegistry.standard.decode(bytes, options: options, work: work)
    blackHole(try CoderRegistry.standard.encode(image, as: .jpeg, options: EncodeOptions(), work: work))
  }
}

private func peakOfProgram(_ picture: BenchmarkPicture) async throws -> Int? {
  let path = try picture.path()
  let output = "\(path).thumbnails-\(getpid())"
  defer { try? FileManager.default.removeItem(atPath: output) }
  let command = try [
    InstalledProgram.easel(), "thumb", "--dir", output, "--size", "320", "--format", "jpeg", "--jobs", "1", path,
  ]
  return try ChildProcess(command).waitForPeak()
}

private func pyvips(_ path: String) -> String {
  """
  import pyvips
  data = open("\(path)", "rb").read()
  def work():
      pyvips.Image.thumbnail_buffer(data, 320, height=320).jpegsave_buffer(Q=80)
  """
}

private func pillow(_ path: String) -> String {
  """
  import io
  from PIL import Image
  data = open("\(path)", "rb").read()
  def work():
      image = Image.open(io.BytesIO(data))
      image.thumbnail((320, 320))
      image.convert("RGB").save(io.BytesIO(), "JPEG", quality=80)
  """
}

/// OpenCV reduces while it decodes too, by a factor that its caller chooses; JPEG gains by it.
private func openCV(_ path: String) -> String {
  """
  import cv2, numpy
  data = numpy.fromfile("\(path)", dtype=numpy.uint8)
  def work():
      image = cv2.imdecode(data, cv2.IMREAD_REDUCED_COLOR_8)
      height, width = image.shape[:2]
      scale = min(1, 320 / width, 320 / height)
      size = (max(1, round(width * scale)), max(1, round(height * scale)))
      small = cv2.resize(image, size, interpolation=cv2.INTER_AREA)
      cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, 80])
  """
}
