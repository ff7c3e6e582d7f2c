import EaselCore
import EaselSupport

/// Prints the result of each input, as JSON or for people, and remembers failures.
final class Report: Sendable {
  let console: Console
  let isJSON: Bool
  private let failed = Locked(false)

  init(_ console: Console, isJSON: Bool) {
    self.console = console
    self.isJSON = isJSON
  }

  var status: ExitStatus { failed.withLock { $0 } ? .failure : .success }

  func success(_ json: @autoclosure () -> JSON, _ text: @autoclosure () -> String) {
    console.result(isJSON ? json().text : text())
  }

  func failure(of input: String, _ error: any Error) {
    failed.withLock { $0 = true }
    let wrapped = ImageError.wrapping(error, as: .badImageData, "The picture could not be read.", subject: input)
    let error = ForeignCoder.refusal(in: wrapped) ?? wrapped
    let name = Input.name(input)
    guard isJSON else { return console.failure(of: name, error) }
    console.result(JSON.failure(of: name, error, wording: console.wording).text)
  }

  /// Makes the directory for all results; a failure counts as a failure of every input.
  func makesDirectory(_ path: String, for inputs: [String]) -> Bool {
    do {
      try OutputFile.makeDirectory(path)
      return true
    } catch {
      for input in isJSON ? inputs : [path] { failure(of: input, error) }
      return false
    }
  }

  /// Calls `body` with each input and reports its errors.
  func forEach(_ inputs: [String], _ body: (String) throws -> Void) -> ExitStatus {
    for input in inputs {
      do { try body(input) } catch { failure(of: input, error) }
    }
    return status
  }
}
