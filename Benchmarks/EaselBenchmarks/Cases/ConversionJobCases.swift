import EaselBenchmarkHarness

/// A thousand files converted by `easel convert`, beside other programs.
func conversionJobCases() -> [BenchmarkCase] {
  ConversionRival.allCases.map { rival in
    BenchmarkCase("files to WebP", group: "job", against: rival.rawValue, atMost: 1, mostPairs: 5) {
      let files = try PictureFiles(count: count) { BenchmarkPicture(.photo, .jpeg, 640, 500, seed: $0 % 10) }
      let output = try files.outputDirectory(of: "easel")
      let subject = ChildJob(
        command: [
          try InstalledProgram.easel(), "convert", "--resize", "\(side)", "--format", "webp", "--quality", "80",
          "--quality-scale", "library", "--quiet", "--jobs", "\(ConversionRival.processes)", "-o", "\(output)/", "-r",
          files.directory,
        ], check: { try files.checkAndRemove(in: output) })
      return BenchmarkPair(subject: subject.side, baseline: try rival.side(files, side))
    }
  }
}

private let side = 320

private var count: Int {
  switch Sampling.current {
  case .smoke: 10
  case .quick: 100
  default: 1000
  }
}
