import Easel
import EaselBenchmarkHarness

/// The visual score of a blurred copy of a photo of 2 MP.
func visualScoreCases() -> [BenchmarkCase] {
  [
    BenchmarkCase("visual score, 2 MP", group: "score", against: "a bar of 150 ms", atMost: 1) {
      // The bar is for two processors. It is the time that a search for a quality can spend on each of its steps.
      BenchmarkPair(subject: try ownSide(), baseline: .timed { Double($0) * 0.15 })
    },
    BenchmarkCase("visual score, 2 MP", group: "score", against: "ssimulacra2 of PyPI", atMost: 0.1, mostPairs: 5) {
      let rival = try PythonRival.process(script: script(try photo.path()))
      return BenchmarkPair(subject: try ownSide(), baseline: rival.side)
    },
  ]
}

private let photo = BenchmarkPicture(.photo, .png, 1600, 1250)

private func ownSide() throws -> BenchmarkSide {
  let original = try photo.bitmap()
  let copy = try original.blurred(radius: 1)
  return .call { blackHole(try original.visualScore(of: copy)) }
}

/// It reads the files each time, which takes a hundredth of its time.
private func script(_ path: String) -> String {
  """
  import tempfile
  from PIL import Image, ImageFilter
  from ssimulacra2 import compute_ssimulacra2
  path = "\(path)"
  file = tempfile.NamedTemporaryFile(suffix=".png")
  Image.open(path).filter(ImageFilter.GaussianBlur(1)).save(file.name)
  def work():
      compute_ssimulacra2(path, file.name)
  """
}
