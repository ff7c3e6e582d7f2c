import EaselCore
import EaselHTTP

/// Checks that other ways of reading give the same pixels.
extension CorpusChecks {
  /// A file that arrives in pieces of this length gives the same picture as the whole file.
  package func piecesOf(_ length: Int) -> [String] {
    let fitting = sampledEntries.filter {
      $0.byteCount < (Corpus.isLongRun ? max(100_000, length * 1000) : length * 1000)
    }
    return findings(of: fitting) { entry, findings in
      let bytes = try corpus.bytes(of: entry)
      for damaged in DamagePolicy.allCases {
        var options = DecodeOptions()
        options.damaged = damaged
        let whole = try? decode(bytes, options)
        let pieces = try? inPieces(bytes, of: length, options)
        let isSame =
          whole?.bitmap == pieces?.bitmap && whole?.traits == pieces?.traits && whole?.metadata == pieces?.metadata
          && whole?.frames?.count == pieces?.frames?.count
        if !isSame { findings.append("it is another picture, with damage to \(damaged)") }
      }
    }
  }

  func inPieces(
    _ bytes: ImageBytes, of length: Int, _ options: DecodeOptions, _ work: WorkContext = WorkContext()
  ) throws -> Image? {
    let progressive = coder as? any ProgressiveImageCoder
    let decoder = try progressive?.makeDecoder(
      prefix: bytes.prefix(CoderRegistry.sniffLength), options: options, work: work)
    guard let decoder else { return nil }
    let all = try bytes.withUnsafeBytes { Array($0) }
    let arrived = ReceivedBytes()
    for start in stride(from: 0, to: all.count, by: length) {
      let fits = all[start..<min(all.count, start + length)].withUnsafeBytes { arrived.append($0) }
      precondition(fits, "There is no memory for the file.")
      try decoder.update(arrived.snapshot())
    }
    return try decoder.finish(bytes)
  }

  /// A file read from disk in windows gives the same picture.
  package func readFromFiles() -> [String] {
    findings(of: sampledEntries) { entry, findings in
      let file = try ImageBytes(contentsOfFile: corpus.path(of: entry))
      let read = try? decode(file, DecodeOptions())
      let whole = try? decode(corpus.bytes(of: entry), DecodeOptions())
      if read?.bitmap != whole?.bitmap { findings.append("it is another picture") }
    }
  }

  /// A truncated file gives an error or a partial picture, wherever it is cut.
  package func cuts(seed: UInt64 = 5) -> [String] {
    var random = CorpusRandom(state: seed)
    return findings(of: sampledEntries.filter { $0.byteCount < 40_000 }) { entry, findings in
      let all = try corpus.bytes(of: entry).withUnsafeBytes { Array($0) }
      for _ in 0..<(Corpus.isLongRun ? 50 : 5) {
        let length = Int.random(in: 0..<all.count, using: &random)
        var options = DecodeOptions()
        options.damaged = .show
        let image = try? decode(ImageBytes(Array(all[..<length])), options)
        guard let image, entry.expectation == .decode, !entry.tags.contains("trailing") else { continue }
        // Bytes after the end may be missing, and pictures of an icon that are not shown.
        let hasParts = entry.tags.contains { $0.hasPrefix("parts") }
        if hasParts, image.bitmap == (try decode(ImageBytes(all), DecodeOptions()).bitmap) { continue }
        let counter = coder.capability((any MetadataCountingCoder).self)
        let spare = try counter?.metadataBytes(of: ImageBytes(all), work: WorkContext()) ?? 0
        let isNoted = !image.metadata.notes.isEmpty
        // Without its end, a picture must still be the same; how many frames there were, not every format tells.
        if isNoted, image.bitmap == (try decode(ImageBytes(all), DecodeOptions()).bitmap) { continue }
        if !image.traits.contains(.partial) && all.count - length > spare {
          findings.append("cut after \(length) bytes it passes for whole")
        }
      }
    }
  }
}
