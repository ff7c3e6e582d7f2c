import EaselCore

/// Notes how a format breaks one rule; each message begins with the name of the format.
struct FormatFindings: Sendable {
  let name: String
  let rule: FormatContract.Rule
  let findings: Findings<FormatContract.Rule>

  func expect(_ holds: Bool, _ message: @autoclosure () -> String) {
    findings.noteAnswer()
    findings.require(holds, rule, "\(name): \(message())")
  }

  /// Expects that some work fails with an error of this code, whose message begins with the name of the format.
  func expectError(_ code: ImageError.Code, _ text: String = "", _ what: String, _ body: () throws -> Void) {
    findings.noteAnswer()
    do {
      try body()
      expect(false, "\(what) is taken without an error, but \(code) was expected.")
    } catch {
      let message = (error as? ImageError)?.message ?? ""
      expect(
        (error as? ImageError)?.code == code && message.hasPrefix("\(name): ")
          && (text.isEmpty || message.contains(text)),
        "\(what) ends with \(error), but \(code) with \"\(name): \" and \"\(text)\" was expected.")
    }
  }
}
