/// A parsed command line.
struct Arguments: Sendable {
  /// An option as the user gave it.
  struct Given: Sendable, Equatable {
    let name: String
    let value: String
    /// The line of a file that contains the option; nil for the command line.
    var place: String?
  }

  let operands: [String]
  /// The options in the order they were given.
  let options: [Given]
  /// Sentences that state the new names of renamed options and values.
  var notes: [String] = []

  func has(_ flag: Option<Bool>) -> Bool { options.contains { $0.name == flag.description.name } }

  /// The value of an option, nil if the option was not given.
  func value<Value>(_ option: Option<Value>) throws(UsageError) -> Value? { try values(option).last }

  /// The values of an option that may be repeated.
  func values<Value>(_ option: Option<Value>) throws(UsageError) -> [Value] {
    var values: [Value] = []
    for given in options where given.name == option.description.name { values.append(try option.value(of: given)) }
    return values
  }
}

extension Option {
  func value(of given: Arguments.Given) throws(UsageError) -> Value {
    if let value = read(given.value) { return value }
    let place = given.place.map { "\($0): " } ?? ""
    throw UsageError(
      "\(place)\(description.spelling) needs \(description.expectation), not '\(printable(given.value))'.")
  }
}
