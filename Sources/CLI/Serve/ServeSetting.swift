/// One setting of `easel serve`, with one name and one meaning for the command line, the environment and the file.
struct ServeSetting: Sendable {
  /// The kinds of settings, in the order of help and of the report.
  enum Topic: String, CaseIterable, Sendable {
    case addresses = "Addresses"
    case signatures = "Signatures"
    case sources = "Sources"
    case caches = "Caches"
    case results = "Results"
    case freshness = "Freshness"
    case load = "Load"
    case watching = "Logs and trying out"
  }

  /// The fate of a new value when SIGHUP reads the settings anew.
  enum Change: Sendable {
    /// It is in force for all that comes after.
    case live
    /// It waits for the next start, because what it is for was made when the server started.
    case restart
  }

  let topic: Topic
  let change: Change
  let option: OptionDescription
  /// The default in the form in which it would be given; nil if there is none.
  let defaultText: String?
  /// True if the value must never be printed.
  let isSecret: Bool
  /// The form of a value that may be printed.
  var shown: @Sendable (String) -> String = printable
  /// Sets the values, and returns the first one that is not allowed.
  let set: @Sendable (inout ServeSettings, [String]) -> String?

  var name: String { option.name }

  /// True if these texts, of which there may be none, mean the same value.
  func means(_ texts: [String], sameAs others: [String]) -> Bool {
    value(texts) == value(others)
  }

  /// The default settings with this value.
  private func value(_ texts: [String]) -> ServeSettings {
    var settings = ServeSettings()
    if !texts.isEmpty { _ = set(&settings, texts) }
    return settings
  }

  /// The name of the environment variable.
  var variable: String { "EASEL_" + name.uppercased().replacing("-", with: "_") }

  /// The option in help, in completions and in the manual: with its default, and with the variable.
  var description: OptionDescription {
    var help = option.help
    if let defaultText { help += " The default is \(defaultText)." }
    return OptionDescription(
      name: option.name, placeholder: option.placeholder, expectation: option.expectation, help: help,
      completion: option.completion, mayRepeat: option.mayRepeat)
  }
}

extension ServeSetting {
  /// A setting with one value.
  static func one<Value>(
    _ topic: Topic, _ change: Change, _ option: Option<Value>, _ path: WritableKeyPath<ServeSettings, Value> & Sendable,
    default defaultText: String? = nil, isSecret: Bool = false
  ) -> ServeSetting {
    ServeSetting(topic: topic, change: change, option: option.description, defaultText: defaultText, isSecret: isSecret)
    {
      settings, texts in
      for text in texts {
        guard let value = option.read(text) else { return text }
        settings[keyPath: path] = value
      }
      return nil
    }
  }

  /// A setting with one value that need not be given.
  static func optional<Value>(
    _ topic: Topic, _ change: Change, _ option: Option<Value>,
    _ path: WritableKeyPath<ServeSettings, Value?> & Sendable,
    isSecret: Bool = false
  ) -> ServeSetting {
    ServeSetting(topic: topic, change: change, option: option.description, defaultText: nil, isSecret: isSecret) {
      settings, texts in
      for text in texts {
        guard let value = option.read(text) else { return text }
        settings[keyPath: path] = value
      }
      return nil
    }
  }

  /// A setting that may be repeated.
  static func many<Value>(
    _ topic: Topic, _ change: Change, _ option: Option<Value>,
    _ path: WritableKeyPath<ServeSettings, [Value]> & Sendable,
    default defaultText: String? = nil, isSecret: Bool = false
  ) -> ServeSetting {
    var description = option.description
    description.mayRepeat = true
    return ServeSetting(topic: topic, change: change, option: description, defaultText: defaultText, isSecret: isSecret)
    {
      settings, texts in
      var values: [Value] = []
      for text in texts {
        guard let value = option.read(text) else { return text }
        values.append(value)
      }
      settings[keyPath: path] = values
      return nil
    }
  }

  /// A setting that is on or off.
  static func flag(
    _ topic: Topic, _ change: Change, _ name: String, _ help: String,
    _ path: WritableKeyPath<ServeSettings, Bool> & Sendable
  ) -> ServeSetting {
    var description = Option<Bool>.flag(name, help).description
    description.expectation = "true or false"
    return ServeSetting(topic: topic, change: change, option: description, defaultText: nil, isSecret: false) {
      settings, texts in
      for text in texts {
        guard let value = ServeReading.truth(text) else { return text }
        settings[keyPath: path] = value
      }
      return nil
    }
  }
}

extension Option {
  /// An option that is read by a function.
  static func reading(
    _ name: String, _ placeholder: String, _ expectation: String, _ help: String,
    completion: OptionDescription.Completion = .nothing, _ read: @escaping @Sendable (String) -> Value?
  ) -> Option {
    Option(
      OptionDescription(
        name: name, placeholder: placeholder, expectation: expectation, help: help, completion: completion),
      read)
  }
}
