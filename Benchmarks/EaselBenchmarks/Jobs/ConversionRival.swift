import EaselBenchmarkHarness

/// Other programs that convert many files to WebP on two cores.
enum ConversionRival: String, CaseIterable {
  case vipsthumbnail
  case imageMagick = "mogrify"
  case cwebp = "a loop of cwebp"

  static let processes = 2

  func side(_ files: PictureFiles, _ side: Int) throws -> BenchmarkSide {
    let output = try files.outputDirectory(of: "rival")
    let share = max(1, files.names.count / (Self.processes * 4))
    let list = "ls -d '\(files.directory)'/picture-* | xargs -P \(Self.processes) -n \(share)"
    return ChildJob(
      command: ["/bin/sh", "-c", "\(list) \(try command(side, output))"],
      environment: ["VIPS_CONCURRENCY": "1", "MAGICK_THREAD_LIMIT": "1"],
      check: { try files.checkAndRemove(in: output) }
    ).side
  }

  /// The command that takes the names of files after it.
  private func command(_ side: Int, _ output: String) throws -> String {
    switch self {
    case .vipsthumbnail:
      return "'\(try InstalledProgram.path("vipsthumbnail"))' -s \(side)x\(side) -o '\(output)/%s.webp[Q=80]'"
    case .imageMagick:
      return "'\(try InstalledProgram.path("mogrify-im6.q16", "mogrify"))' -path '\(output)' -format webp "
        + "-define jpeg:size=\(side * 2)x\(side * 2) -thumbnail \(side)x\(side) -quality 80"
    case .cwebp:
      let program = try InstalledProgram.path("cwebp")
      let each = "\"\(program)\" -quiet -q 80 -resize \(side) 0 \"$f\" -o \"\(output)/${f##*/}.webp\""
      return "/bin/sh -c 'for f; do \(each) || exit 1; done' sh"
    }
  }
}
