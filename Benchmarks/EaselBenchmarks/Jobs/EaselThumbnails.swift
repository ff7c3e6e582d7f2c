import EaselBenchmarkHarness

/// The program `easel`, which makes thumbnails with one thread for each available core.
enum EaselThumbnails {
  static func job(_ files: PictureFiles, side: Int, jobs: Int) throws -> ChildJob {
    let output = try files.outputDirectory(of: "easel")
    return try ChildJob(
      command: [
        InstalledProgram.easel(), "thumb", "--dir", output, "--size", "\(side)", "--format", "jpeg",
        "--quality", "0.8", "--jobs", "\(jobs)", "--",
      ] + files.paths, check: { try files.checkAndRemove(in: output) })
  }
}
