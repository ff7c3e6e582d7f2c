import CEaselTestCorpus
import EaselCore

extension CorpusChecks {
  /// Files that claim to have no metadata have none; also returns how many sound files claim so.
  ///
  /// `unknown` are the sound files whose metadata the coder cannot count.
  package func metadata(unknown: Set<String> = []) -> (findings: [String], cleanFiles: Int) {
    var cleanFiles = 0
    guard let counter = coder.capability((any MetadataCountingCoder).self) else {
      return (["\(coder.identifier) counts no metadata"], 0)
    }
    let findings = findings(of: entries) { entry, findings in
      let bytes = try corpus.bytes(of: entry)
      guard let count = try counter.metadataBytes(of: bytes, work: WorkContext()) else {
        let isKnown = entry.expectation == .decode && !unknown.contains(entry.path)
        if isKnown { findings.append("it is sound, but its metadata are not counted") }
        return
      }
      if count < 0 || count > bytes.count { findings.append("it claims \(count) bytes of metadata") }
      let longer = try counter.metadataBytes(
        of: ImageBytes(bytes.withUnsafeBytes { Array($0) } + [1, 2, 3]), work: WorkContext())
      if longer != count + 3 { findings.append("bytes after its end are not counted") }
      let inFile = try counter.metadataBytes(
        of: ImageBytes(contentsOfFile: corpus.path(of: entry)), work: WorkContext())
      if inFile != count { findings.append("in a file, \(inFile as Any) bytes are counted, not \(count)") }
      guard count == 0 else { return }
      cleanFiles += entry.expectation == .decode ? 1 : 0
      try checkClean(bytes, &findings)
    }
    return (findings, cleanFiles)
  }

  private func checkClean(_ bytes: ImageBytes, _ findings: inout [String]) throws {
    if let header = try? coder.probe(bytes, work: WorkContext()), header.exifBytes > 0 || header.orientation != .up {
      findings.append("it has EXIF or an orientation and claims to have no metadata")
    }
    if let metadata = try? decode(bytes, rawOptions).metadata, metadata.exif != nil || metadata.xmp != nil {
      findings.append("it has EXIF or XMP and claims to have no metadata")
    }
    for mark in ["ns.adobe.com/xap", "Exif\0\0MM", "Exif\0\0II", "XMP DataXMP", "Photoshop 3.0"] {
      let wanted = Array(mark.utf8)
      let isThere = try bytes.withUnsafeBytes { easel_corpus_contains($0.baseAddress, $0.count, wanted, wanted.count) }
      if isThere { findings.append("it contains '\(mark.prefix(12))' and claims to have no metadata") }
    }
  }
}
