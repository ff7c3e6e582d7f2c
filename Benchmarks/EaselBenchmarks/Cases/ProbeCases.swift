import CEaselCodecBaseline
import EaselEverything
import EaselBenchmarkHarness

/// The size of the picture in a file of 2 MP, from opening to closing the file, without decoding pixels.
func probeCases() -> [BenchmarkCase] {
  let pictures: [(String, BenchmarkPicture, Probe)] = [
    ("JPEG", BenchmarkPicture(.photo, .jpeg, 1600, 1250), easel_baseline_probe_jpeg),
    ("PNG", BenchmarkPicture(.photo, .png, 1600, 1250), easel_baseline_probe_png),
    ("WebP", BenchmarkPicture(.photo, .webp, 1600, 1250), easel_baseline_probe_webp),
    ("GIF", BenchmarkPicture(.photo, .gif, 1600, 1250), easel_baseline_probe_gif),
  ]
  return pictures.flatMap { name, picture, probe in
    [
      probeCase(name, picture, against: "the C library", atMost: 1.5) { path in
        try libraryProbe(path, picture.size, probe)
      },
      probeCase(name, picture, against: "Pillow") { path in try PythonRival.process(script: pillow(path)).side },
      probeCase(name, picture, against: "pyvips") { path in try PythonRival.process(script: pyvips(path)).side },
    ]
  }
}

private typealias Probe = (UnsafePointer<CChar>?, UnsafeMutablePointer<CInt>?, UnsafeMutablePointer<CInt>?) -> Bool

private func probeCase(
  _ name: String, _ picture: BenchmarkPicture, against rival: String, atMost bar: Double = 1,
  _ baseline: @escaping (_ path: String) throws -> BenchmarkSide
) -> BenchmarkCase {
  BenchmarkCase("the size of a \(name) file", group: "probe", against: rival, atMost: bar) {
    let path = try picture.path()
    return BenchmarkPair(
      subject: .call {
        let size = try CoderRegistry.everything.storedSize(of: ImageBytes(contentsOfFile: path), work: WorkContext())
        guard size == picture.size else { throw JobFailure(description: "\(size) is wrong") }
      },
      baseline: try baseline(path))
  }
}

private func libraryProbe(_ path: String, _ size: PixelSize, _ probe: @escaping Probe) throws -> BenchmarkSide {
  .call {
    var (width, height): (CInt, CInt) = (0, 0)
    guard probe(path, &width, &height), size == PixelSize(width: Int(width), height: Int(height)) else {
      throw JobFailure(description: "the C library does not read \(path)")
    }
  }
}

private func pillow(_ path: String) -> String {
  """
  from PIL import Image
  def work():
      with Image.open("\(path)") as image:
          image.size
  """
}

private func pyvips(_ path: String) -> String {
  """
  import pyvips
  pyvips.cache_set_max(0)
  def work():
      image = pyvips.Image.new_from_file("\(path)")
      image.width, image.height
  """
}
