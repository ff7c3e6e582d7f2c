import EaselCore

extension ImageCoderContract {
  /// Checks that it was not in vain that a protocol was adopted.
  func checkAdopted(_ findings: Findings<Rule>) {
    findings.require(
      encoder == nil || !writable.isEmpty, .doesWhatItAdopts,
      "It is an EncodingCoder and encodes no format that it decodes or that the suite was told.")
    guard let naming = coder.capability((any FileNamingCoder).self) else { return }
    for format in coder.formats {
      let names = naming.fileExtensions(of: format)
      findings.require(
        !names.isEmpty && names.allSatisfy { !$0.isEmpty && !$0.contains(".") && $0 == $0.lowercased() },
        .doesWhatItAdopts,
        "It is a FileNamingCoder, and the extensions of \(format) are \(names); they must be some, in lower case and "
          + "without a dot.")
    }
  }
}
