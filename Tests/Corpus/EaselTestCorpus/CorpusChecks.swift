import EaselCore

/// Checks a coder with all files of its format; each check returns a list of faults.
package struct CorpusChecks: Sendable {
  /// The corpus.
  package let corpus: Corpus
  /// The format's name in the manifest.
  package let format: String
  let coder: any ImageCoder
  private let isUpright: Bool
  private let drawingTolerance: Int?
  private let takesTurns: Bool

  /// Creates the checks of a coder.
  ///
  /// With `isUpright`, the manifest describes the pictures as they are shown, because their turns are part of the
  /// format; an orientation in the manifest is then that of EXIF, which means nothing. With `drawingTolerance`, the
  /// pictures are drawings, which no two programs make alike: their grids may differ by so much, and their sizes by a
  /// pixel. With `takesTurns`, only some of many files are decoded, and damaged ones at one level each, as
  /// ``DamageTurn`` says.
  package init(
    _ coder: any ImageCoder, format: String, isUpright: Bool = false, drawingTolerance: Int? = nil,
    takesTurns: Bool = false, corpus: Corpus
  ) {
    self.corpus = corpus
    self.takesTurns = takesTurns
    self.drawingTolerance = drawingTolerance
    self.format = format
    self.isUpright = isUpright
    self.coder = coder
  }

  /// All files of the format.
  package var entries: [CorpusEntry] { corpus.entries(format: format) }

  /// The files that have their turn.
  func inTurn(_ files: [CorpusEntry]) -> [CorpusEntry] { takesTurns ? DamageTurn.files(of: files) : files }

  /// The files with one of these expectations.
  package func entries(_ expectations: CorpusEntry.Expectation...) -> [CorpusEntry] {
    entries.filter { expectations.contains($0.expectation) }
  }

  /// One file in sixteen; all files in a long run.
  package var sampledEntries: [CorpusEntry] {
    entries.enumerated().filter { Corpus.isLongRun || $0.offset % 16 == 0 }.map(\.element)
  }

  /// Options that leave the pixels as in the manifest.
  package var rawOptions: DecodeOptions {
    var options = DecodeOptions()
    options.appliesOrientation = isUpright
    options.convertsColor = false
    return options
  }

  func decode(_ bytes: ImageBytes, _ options: DecodeOptions) throws -> Image {
    try coder.decode(bytes, options: options, work: WorkContext())
  }

  /// The faults of still, moving and damaged pictures, as far as the corpus has them.
  package func everyPicture() -> [String] {
    pictures() + (movingEntries.isEmpty ? [] : movingPictures(plays: nil))
      + (entries(.partial, .any).isEmpty ? [] : damagedPictures())
  }

  // MARK: Files that have a picture

  /// Valid files must give their pixels; files that a strict decoder may refuse give their pixels or an error.
  package func pictures() -> [String] {
    findings(of: entries(.decode, .lenient)) { entry, findings in
      do {
        let bytes = try corpus.bytes(of: entry)
        // A sandbox keeps the process that has read a header for the decoding of the same bytes.
        let size = try coder.usualSize(of: bytes, work: WorkContext())
        let image = try decode(bytes, rawOptions)
        check(image, against: entry, &findings)
        if size != image.metadata.storedSize { findings.append("its size is \(size) when only the size is read") }
      } catch let error as ImageError {
        if entry.expectation == .decode || error.code != .badImageData { throw error }
      }
    }
  }

  private func check(_ image: Image, against entry: CorpusEntry, _ findings: inout [String]) {
    if !isExpected(image.size, entry.size) { findings.append("its size is \(image.size)") }
    if image.traits.contains(.partial) { findings.append("it is marked as a part") }
    let orientation = isUpright ? .up : entry.orientation ?? .up
    if image.metadata.orientation != orientation { findings.append("it stands \(image.metadata.orientation)") }
    switch entry.exact {
    case "no":
      compare(
        image.bitmap, withGrid: CorpusCorrections.firstGrid(of: entry) ?? entry["grid_first"], "the picture",
        &findings)
    case "disputed": break
    default:
      let hashes = CorpusCorrections.hash(of: entry).map { [$0] } ?? entry.hashes
      if !hashes.contains(image.bitmap.corpusHash) { findings.append("it has other pixels") }
    }
  }

  private func isExpected(_ size: PixelSize, _ expected: PixelSize?) -> Bool {
    guard drawingTolerance != nil, let expected else { return size == expected }
    return abs(size.width - expected.width) <= 1 && abs(size.height - expected.height) <= 1
  }

  /// The valid files with several frames.
  var movingEntries: [CorpusEntry] { entries(.decode).filter { ($0.frameCount ?? 0) > 1 } }

  /// Moving files give their frames, delays and plays; `plays` converts the stored loop count to the number of plays.
  ///
  /// Without it the plays are not compared, for a format of which the manifest does not tell them.
  package func movingPictures(plays: ((Int?) -> Int)?) -> [String] {
    findings(of: movingEntries) { entry, findings in
      let bytes = try corpus.bytes(of: entry)
      let header = try coder.probe(bytes, work: WorkContext())
      if header.frameCount != entry.frameCount { findings.append("its header has \(header.frameCount) frames") }
      if header.storedLoopCount != entry.loopCount {
        findings.append("its header has the loop count \(header.storedLoopCount as Any)")
      }
      let delays = header.storedDelays.map { $0 / .milliseconds(1) }
      if !zip(delays, entry.milliseconds).allSatisfy({ abs($0 - $1) <= 1 }) {
        findings.append("its delays are \(delays)")
      }
      guard let frames = try decode(bytes, rawOptions).frames else { return findings.append("it does not move") }
      if frames.count != entry.frameCount { findings.append("it has \(frames.count) frames") }
      if let plays, frames.loopCount != plays(entry.loopCount) { findings.append("it plays \(frames.loopCount) times") }
      try compare(frames, with: entry, &findings)
    }
  }

  private func compare(_ frames: any FrameSource, with entry: CorpusEntry, _ findings: inout [String]) throws {
    var last: Bitmap?
    for index in 0..<frames.count {
      let frame = try frames.frame(at: index)
      last = frame
      let isExact = entry.exact == "first-only" ? index == 0 : entry.exact != "no" && entry.exact != "disputed"
      guard isExact, index < entry.frameHashes.count else { continue }
      if !frame.corpusHash.hasPrefix(entry.frameHashes[index]) { findings.append("frame \(index) has other pixels") }
    }
    let corrected = CorpusCorrections.lastGrid(of: entry)
    if let last, entry.exact != "disputed" {
      compare(last, withGrid: corrected ?? entry["grid_last"], "the last frame", &findings)
    }
  }

  private func compare(_ bitmap: Bitmap, withGrid grid: String, _ name: String, _ findings: inout [String]) {
    let digits = Array(grid.utf8)
    guard digits.count == 128 else { return }
    let expected = (0..<64).map { Int(String(decoding: digits[2 * $0..<2 * $0 + 2], as: UTF8.self), radix: 16) ?? -1 }
    let difference = zip(bitmap.corpusGrid, expected).map { abs(Int($0) - $1) }.max() ?? 0
    if difference > drawingTolerance ?? 4 { findings.append("\(name) differs by \(difference)") }
  }

  // MARK: Files that have none, or a part of one

  /// Damaged files give errors or partial pictures; with several frames, one frame may give the error.
  package func damagedPictures() -> [String] {
    let all = entries(.partial, .any)
    let count = inTurn(all).count
    var index = 0
    return findings(of: all) { entry, findings in
      defer { index += 1 }
      let turn = DamageTurn(at: index, of: count)
      for damaged in DamagePolicy.allCases where !takesTurns || turn.includes(damaged) {
        do {
          var options = rawOptions
          options.damaged = damaged
          let image = try decode(corpus.bytes(of: entry), options)
          let isPart = image.traits.contains(.partial)
          if isPart && damaged != .show { findings.append("it is a part, which was not allowed") }
          let isNoted = damaged != .refuse && !image.metadata.notes.isEmpty
          if isPart || isNoted || mayBeWhole(entry, image) { continue }
          findings.append("it passes for whole")
        } catch let error as ImageError {
          let isClean = [.badImageData, .unsupportedFormat, .limitExceeded].contains(error.code)
          if !isClean { findings.append("\(error)") }
        }
      }
    }
  }

  private func mayBeWhole(_ entry: CorpusEntry, _ image: Image) -> Bool {
    if CorpusCorrections.isSound(entry) { return entry.hashes.contains(image.bitmap.corpusHash) }
    // The still picture of an APNG is whole even if its frames are damaged.
    if entry.expectation == .any || image.frames == nil && entry.tags.contains("apng") { return true }
    var options = rawOptions
    options.damaged = .whole
    guard let frames = try? decode(corpus.bytes(of: entry), options).frames else { return false }
    return (0..<frames.count).contains { (try? frames.frame(at: $0)) == nil }
  }

  /// Files without a picture give errors that name the reason; files with too many pixels are refused by their header.
  package func rejectedFiles(named name: String) -> [String] {
    findings(of: entries(.reject, .limit)) { entry, findings in
      do {
        _ = try decode(corpus.bytes(of: entry), rawOptions)
        findings.append("it was decoded")
      } catch let error as ImageError {
        let isClean = error.code == .badImageData || error.code == .limitExceeded
        if !isClean || !error.message.hasPrefix("\(name): ") { findings.append("\(error)") }
      }
    }
  }

  /// The faults of these files; with turns, of those that have theirs.
  func findings(
    of entries: [CorpusEntry], _ check: (CorpusEntry, inout [String]) throws -> Void
  ) -> [String] {
    precondition(!entries.isEmpty, "The corpus has none of these files.")
    return inTurn(entries).flatMap { entry -> [String] in
      var findings: [String] = []
      do { try check(entry, &findings) } catch { findings.append("\(error)") }
      if !findings.isEmpty, let reason = CorpusCorrections.reasonToDiffer(entry) {
        print("Not counted: \(entry): \(findings.joined(separator: ", ")). \(reason)")
        return []
      }
      return findings.map { "\(entry): \($0)" }
    }
  }
}
