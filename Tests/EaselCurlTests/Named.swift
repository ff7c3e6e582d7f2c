import Testing

/// An argument of a test whose value is too long to stand in the report.
struct Named<Value: Sendable>: Sendable, CustomTestStringConvertible {
  let value: Value
  let testDescription: String

  init(_ name: String, _ value: Value) {
    self.value = value
    testDescription = name
  }
}
