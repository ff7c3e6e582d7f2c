import EaselBenchmarkHarness

/// Other programs that make many thumbnails on two cores.
enum ThumbnailRival: String, CaseIterable {
  case vipsthumbnail, pyvips, pillow = "Pillow", imageMagick = "ImageMagick"

  static let processes = 2

  func side(_ files: PictureFiles, _ side: Int) throws -> BenchmarkSide {
    let output = try files.outputDirectory(of: rawValue)
    switch self {
    case .vipsthumbnail:
      return try job(
        files, output,
        [
          InstalledProgram.path("vipsthumbnail"), "-s", "\(side)x\(side)", "-o",
          "\(output)/%s.jpg[Q=80]",
        ])
    case .imageMagick:
      // The hint lets libjpeg decode at a reduced size, as its manual advises for thumbnails.
      return try job(
        files, output,
        [
          InstalledProgram.path("mogrify-im6.q16", "mogrify"), "-path", output, "-format", "jpg",
          "-define", "jpeg:size=\(side * 2)x\(side * 2)", "-thumbnail", "\(side)x\(side)", "-quality", "80",
        ])
    case .pyvips: return try pool(files, output, Self.pyvipsScript(side))
    case .pillow: return try pool(files, output, Self.pillowScript(side))
    }
  }

  /// As many processes as cores, each with a share of the files.
  ///
  /// Each is restarted four times, which costs little compared with the work and makes them end at about the same time.
  private func job(_ files: PictureFiles, _ output: String, _ command: [String]) throws -> BenchmarkSide {
    let share = max(1, files.names.count / (Self.processes * 4))
    let quoted = command.map { "'\($0)'" }.joined(separator: " ")
    let line = "ls -d '\(files.directory)'/picture-* | xargs -P \(Self.processes) -n \(share) \(quoted)"
    return ChildJob(
      command: ["/bin/sh", "-c", line], environment: ["VIPS_CONCURRENCY": "1", "MAGICK_THREAD_LIMIT": "1"],
      check: { try files.checkAndRemove(in: output) }
    ).side
  }

  /// A pool of processes that are running before the time begins.
  private func pool(_ files: PictureFiles, _ output: String, _ script: String) throws -> BenchmarkSide {
    let preparation = """
      import glob, multiprocessing, os
      inputs = sorted(glob.glob("\(files.directory)/picture-*"))
      def output(path):
          return "\(output)/" + os.path.basename(path) + ".jpg"
      \(script)
      pool = multiprocessing.get_context("fork").Pool(\(Self.processes))
      def work():
          made = sum(pool.imap_unordered(make, inputs, 2))
          assert made == len(inputs)
      """
    return try PythonRival.process(script: preparation, environment: ["VIPS_CONCURRENCY": "1"]).sideOfGroup
  }

  private static func pyvipsScript(_ side: Int) -> String {
    """
    import pyvips
    pyvips.cache_set_max(0)
    def make(path):
        pyvips.Image.thumbnail(path, \(side), height=\(side)).jpegsave(output(path), Q=80)
        return 1
    """
  }

  private static func pillowScript(_ side: Int) -> String {
    """
    from PIL import Image
    def make(path):
        image = Image.open(path)
        image.thumbnail((\(side), \(side)))
        image.convert("RGB").save(output(path), quality=80)
        return 1
    """
  }
}
