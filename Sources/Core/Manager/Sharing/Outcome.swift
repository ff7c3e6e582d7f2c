/// What a run ended with, made once and shared by all who waited.
final class Outcome<Value: Sendable>: Sendable {
  let result: Result<Value, any Error>

  init(_ result: Result<Value, any Error>) { self.result = result }

  var isSuccess: Bool {
    if case .success = result { true } else { false }
  }
}
