import CEaselThumbnailBaseline
import EaselBenchmarkHarness
import Glibc

/// Whole jobs: files of many pictures to 320-pixel JPEGs in another directory, on two cores.
func fileJobCases() -> [BenchmarkCase] {
  PictureMix.allCases.flatMap { mix in
    [baselineCase(mix)] + ThumbnailRival.allCases.map { rivalCase(mix, $0) }
  } + [startCase("identify", of: "ImageMagick", atMost: 1), startCase("vipsheader", of: "libvips", atMost: 0.5)]
}

/// A program that is started for one file and prints its header.
private func startCase(_ program: String, of rival: String, atMost bar: Double) -> BenchmarkCase {
  BenchmarkCase("the header of a file by a program", group: "job", against: "\(rival)'s \(program)", atMost: bar) {
    let path = try BenchmarkPicture(.photo, .jpeg, 1600, 1250).path()
    return BenchmarkPair(
      subject: ChildJob(command: [try InstalledProgram.easel(), "info", path]).side,
      baseline: ChildJob(command: [try InstalledProgram.path(program), path]).side)
  }
}

private let side = 320

/// The number of pictures of a job; fewer of one kind, whose times differ less.
///
/// There are as many small JPEGs as mixed pictures, because they show what a picture costs beside its pixels.
private func count(_ mix: PictureMix) -> Int {
  let isLong = mix == .mixed || mix == .smallJPEG
  return switch Sampling.current {
  case .smoke: isLong ? 10 : 3
  case .quick: isLong ? 40 : 20
  default: isLong ? 100 : 50
  }
}

/// Twice as many, and a thousand small JPEGs: beside the libraries alone, the start of the program should not be seen.
private func longCount(_ mix: PictureMix) -> Int {
  guard Sampling.current == .standard else { return count(mix) }
  return mix == .smallJPEG ? 1000 : count(mix) * 2
}

/// The most time that a job may take of that with the libraries alone; the start of the program counts more in short
/// jobs.
private func bar(_ mix: PictureMix) -> Double? {
  switch mix {
  case .mixed: 1 / 0.9
  case .smallJPEG: longCount(mix) < 1000 ? 1.15 : 1.08
  default: nil
  }
}

private func jobCase(
  _ mix: PictureMix, count: Int, against rival: String, atMost bar: Double?, memoryAtMost memoryBar: Double?,
  _ baseline: @escaping (PictureFiles) throws -> BenchmarkSide
) -> BenchmarkCase {
  BenchmarkCase(
    "thumbnails of files, \(mix.title)", group: "job", against: rival, atMost: bar, memoryAtMost: memoryBar,
    mostPairs: 5
  ) {
    let files = try PictureFiles(mix, count: count)
    return BenchmarkPair(
      subject: try EaselThumbnails.job(files, side: side, jobs: ThumbnailRival.processes).side,
      baseline: try baseline(files))
  }
}

private func rivalCase(_ mix: PictureMix, _ rival: ThumbnailRival) -> BenchmarkCase {
  jobCase(
    mix, count: count(mix), against: rival.rawValue, atMost: mix == .png ? 1 / 1.5 : 1,
    memoryAtMost: mix == .mixed ? 1.0 / 3 : nil
  ) { try rival.side($0, side) }
}

/// The limit that the libraries allow: the same job with the libraries alone, on two threads of this process.
private func baselineCase(_ mix: PictureMix) -> BenchmarkCase {
  jobCase(mix, count: longCount(mix), against: "the C libraries", atMost: bar(mix), memoryAtMost: nil) { files in
    let output = try files.outputDirectory(of: "libraries")
    let inputs = files.paths.map { UnsafePointer(strdup($0)) }
    let outputs = files.names.map { UnsafePointer(strdup("\(output)/\($0).jpg")) }
    return .call {
      let isMade = easel_baseline_thumbnails(
        inputs, outputs, inputs.count, CInt(side), CInt(ThumbnailRival.processes))
      guard isMade else { throw JobFailure(description: "the C libraries refuse a picture") }
      try files.checkAndRemove(in: output)
    }
  }
}
