import EaselCore
import FoundationEssentials

/// Checks that the way in which bytes arrive decides nothing.
extension CorpusChecks {
  /// The result of decoding: a picture, or the code of an error.
  private enum Outcome: Equatable, CustomStringConvertible {
    case picture(hash: String, Image.Traits, frames: [String])
    case error(ImageError.Code)

    init(comparingParts: Bool, _ decode: () throws -> Image) {
      do {
        let image = try decode()
        guard comparingParts || !image.traits.contains(.partial) else {
          self = .picture(hash: "\(image.size)", image.traits, frames: [])
          return
        }
        let frames = image.frames.map { frames in (0..<min(frames.count, 8)).map { Self.frame($0, of: frames) } }
        self = .picture(hash: image.bitmap.corpusHash, image.traits, frames: frames ?? [])
      } catch {
        self = .error((error as? ImageError)?.code ?? .transformFailed)
      }
    }

    private static func frame(_ index: Int, of frames: any FrameSource) -> String {
      do {
        return try frames.frame(at: index).corpusHash
      } catch {
        return (error as? ImageError).map { "\($0.code)" } ?? "\(error)"
      }
    }

    var description: String {
      switch self {
      case .picture(let hash, let traits, let frames):
        "a picture \(hash.prefix(6)) \(traits.contains(.partial) ? "marked as a part " : "")of frames "
          + "\(frames.map { $0.prefix(12) })"
      case .error(let code): "\(code)"
      }
    }
  }

  /// A damaged file ends alike from a file, from memory, in pieces and with another coder, such as one in a sandbox.
  ///
  /// The other coder decodes a file from memory at the level that has its turn, and from a file at the next one; so it
  /// is with pieces of two lengths.
  package func outcomes(with other: any ImageCoder) -> [String] {
    let damaged = entries(.lenient, .partial, .any, .reject, .limit)
    guard !damaged.isEmpty else { return [] }
    let count = inTurn(damaged).count
    var index = 0
    return findings(of: damaged) { entry, findings in
      defer { index += 1 }
      try compareWays(of: corpus.path(of: entry), other, turns(at: index, of: count), &findings)
    }
  }

  /// What one level of the setting for damaged pictures shows of a file, the next one shows as well and alike.
  package func levels() -> [String] {
    let damaged = entries(.lenient, .partial, .any, .reject)
    guard !damaged.isEmpty else { return [] }
    return findings(of: damaged) { entry, findings in
      var before: Image?
      for level in DamagePolicy.allCases {
        var options = rawOptions
        options.damaged = level
        let image = try? decode(corpus.bytes(of: entry), options)
        if image?.traits.contains(.partial) == true, level != .show { findings.append("at \(level) it is a part") }
        if level == .refuse, image.map({ !$0.metadata.notes.isEmpty }) == true { findings.append("it is noted") }
        if let before, image?.bitmap != before.bitmap { findings.append("at \(level) it is another picture") }
        before = image ?? before
      }
    }
  }

  /// The number of files at which other readers only warn that are shown at a level, and of all such files.
  package func lenientFiles(at level: DamagePolicy) -> (shown: Int, all: Int) {
    let lenient = entries(.lenient)
    var options = rawOptions
    options.damaged = level
    let shown = lenient.count { entry in
      guard let image = try? decode(corpus.bytes(of: entry), options) else { return false }
      return level == .show || entry.exact == "no" || entry.hashes.contains(image.bitmap.corpusHash)
    }
    return (shown, lenient.count)
  }

  /// So do copies of sound files that are cut, or have wrong bytes.
  package func outcomesOfCopies(with other: any ImageCoder, seed: UInt64 = 9) -> [String] {
    var random = CorpusRandom(state: seed)
    let path = FileManager.default.temporaryDirectory.appending(path: "easel-\(UUID())").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let sound = sampledEntries.filter { $0.expectation == .decode && $0.byteCount < 100_000 }
    let count = 2 * inTurn(sound).count
    var index = 0
    return findings(of: sound) { entry, findings in
      let all = try corpus.bytes(of: entry).data()
      for round in 0..<2 {
        var damaged = all
        if round % 2 == 0 {
          damaged = damaged.prefix(Int.random(in: 0..<all.count, using: &random))
        } else {
          for _ in 0..<3 { damaged[Int.random(in: all.indices, using: &random)] = .random(in: 0...255, using: &random) }
        }
        try damaged.write(to: URL(filePath: path))
        var found: [String] = []
        try compareWays(of: path, other, turns(at: index, of: count), &found)
        index += 1
        findings += found.map { "copy \(round): \($0)" }
      }
    }
  }

  /// The turns of the other coder from memory and from a file, and of short and long pieces.
  private typealias Turns = (memory: DamageTurn, file: DamageTurn)

  private func turns(at index: Int, of count: Int) -> Turns {
    (DamageTurn(at: index, of: count), DamageTurn(at: index + 1, of: count))
  }

  private func compareWays(
    of path: String, _ other: any ImageCoder, _ turns: Turns, _ findings: inout [String]
  ) throws {
    let file = try ImageBytes(contentsOfFile: path)
    let memory = try file.loaded()
    // Damage may make a small picture claim to be a large one.
    let work = { WorkContext(limits: Limits(framePixels: 4_000_000, totalPixels: 16_000_000)) }
    func outcome(_ decode: () throws -> Image) -> Outcome { Outcome(comparingParts: partsAreSteady, decode) }
    for damaged in DamagePolicy.allCases {
      var options = rawOptions
      options.damaged = damaged
      let expected = outcome { try coder.decode(memory, options: options, work: work()) }
      var ways = [("from a file", outcome { try coder.decode(file, options: options, work: work()) })]
      if turns.memory.includes(damaged) {
        ways.append(("by the other coder", outcome { try other.decode(memory, options: options, work: work()) }))
      }
      if turns.file.includes(damaged) {
        ways.append(
          ("by the other coder from a file", outcome { try other.decode(file, options: options, work: work()) }))
      }
      let pieces = [(512, turns.memory), (65_536, turns.file)].filter { $0.1.includes(damaged) }.map(\.0)
      for length in pieces where coder is any ProgressiveImageCoder && memory.count < 1000 * length {
        ways.append(("in pieces of \(length)", outcome { try decodeInPieces(memory, of: length, options, work) }))
      }
      for (way, outcome) in ways where outcome != expected {
        findings.append("\(way) it ends as \(outcome), from memory as \(expected); damaged: \(damaged)")
      }
    }
  }

  /// False if a part of the same damaged file differs from time to time.
  ///
  /// libde265 goes on after damage with what its memory held before, and on as many threads as it may.
  private var partsAreSteady: Bool { format != "heic" }

  /// Decodes as the manager does, which reads as a whole what is no picture in pieces.
  private func decodeInPieces(
    _ bytes: ImageBytes, of length: Int, _ options: DecodeOptions, _ work: () -> WorkContext
  ) throws -> Image {
    if let image = try? inPieces(bytes, of: length, options, work()) { return image }
    return try coder.decode(bytes, options: options, work: work())
  }
}
