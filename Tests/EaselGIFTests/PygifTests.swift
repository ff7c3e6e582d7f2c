import EaselCore
import EaselTestCorpus
import FoundationEssentials
import Testing

@testable import EaselGIF

/// The files of the test suite of another project, with its expected pixels.
@Suite(.enabled(if: Corpus.shared != nil, "\(Corpus.skipReason)"))
struct PygifTests {
  private let corpus = Corpus.shared!

  /// That project makes uncovered pixels transparent, even in pictures without a transparent colour.
  private static let otherGround = [
    "dispose-restore-background", "high-color", "images-combine", "image-inside-bg",
  ]

  private func text(_ path: String) throws -> String {
    try String(contentsOfFile: corpus.directory + "/" + path, encoding: .utf8)
  }

  private func settings(_ name: String) throws -> [String: [String: String]] {
    var section = ""
    return try text("sidecar/pygif/" + name).split(separator: "\n").reduce(into: [:]) { settings, line in
      if line.hasPrefix("[") { section = String(line.dropFirst().dropLast()) }
      let parts = line.components(separatedBy: " = ")
      if parts.count == 2 { settings[section, default: [:]][parts[0]] = parts[1] }
    }
  }

  @Test func framesDelaysAndRepeatsAreThoseOfTheSidecar() throws {
    var compared = 0
    for line in try text("sidecar/pygif/INDEX.tsv").split(separator: "\n").dropFirst() {
      let names = line.split(separator: "\t").map(String.init)
      let settings = try settings(names[0])
      let config = try #require(settings["config"], "\(names[0])")
      let sections = (config["frames"] ?? "").split(separator: ",").map(String.init)
      let bytes = try ImageBytes(contentsOfFile: corpus.directory + "/" + names[1])
      guard let image = try? GIFCoder().decode(bytes, options: DecodeOptions(), work: WorkContext()) else { continue }
      let header = try GIFCoder().probe(bytes, work: WorkContext())
      // That project counts frames without a delay as one frame.
      guard !sections.isEmpty, sections.count == header.frameCount else { continue }
      let loop = config["loop-count"] ?? "0"
      #expect(header.storedLoopCount ?? 0 == Int(loop) ?? 0, "\(names[0])")
      #expect((header.storedLoopCount == 0) == (loop == "infinite"), "\(names[0])")
      for (index, section) in sections.enumerated() {
        if let delay = settings[section]?["delay"].flatMap(Int.init), header.frameCount > 1 {
          #expect(header.storedDelays[index] == .milliseconds(10 * delay), "\(names[0]), frame \(index)")
        }
        let path = corpus.directory + "/sidecar/pygif/" + (settings[section]?["pixels"] ?? "")
        guard !Self.otherGround.contains(where: { names[0].hasPrefix($0 + ".") }),
          let pixels = try? Data(contentsOf: URL(fileURLWithPath: path))
        else { continue }
        let frame = try image.frames?.frame(at: index) ?? image.bitmap
        #expect(frame.withUnsafeBytes { Data($0) } == pixels, "\(names[0]), frame \(index)")
        compared += 1
      }
    }
    #expect(compared > 20)
  }
}
