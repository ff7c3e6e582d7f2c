import Testing

/// A test argument whose value is too long for the report.
struct Named<Value: Sendable>: Sendable, CustomTestStringConvertible {
  let value: Value
  let testDescription: String

  init(_ name: String, _ value: Value) {
    self.value = value
    testDescription = name
  }
}
