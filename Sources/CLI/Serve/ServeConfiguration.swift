import Easel
import EaselService
import EaselSupport

/// The settings of `easel serve` and the places that they come from.
struct ServeConfiguration: Sendable {
  /// The place where a setting was given.
  enum Origin: Hashable, Sendable {
    case option
    case variable
    case file(path: String, lines: [Int])
    case nowhere
  }

  /// A setting as it was given.
  struct Given: Sendable {
    let setting: ServeSetting
    let origin: Origin
    let texts: [String]
  }

  let settings: ServeSettings
  /// How the memory is shared; without a limit, what the settings may need.
  let memory: MemoryPlan
  /// Every setting of the table, in its order.
  let given: [Given]
  /// Things that are allowed but probably not meant.
  let warnings: [String]
  /// The names of settings with a new value that only a restart brings into force.
  let awaitingRestart: [String]

  /// Reads the settings from the command line, the environment and the file that one of both names.
  ///
  /// Throws all mistakes at once. With the configuration of a running server, settings that need a restart keep their
  /// values.
  init(
    _ arguments: Arguments, _ system: ServeSystem, replacing present: ServeConfiguration? = nil
  ) throws(ServeMistakes) {
    var reader = ServeConfigurationReader(arguments, system, present)
    reader.read()
    guard reader.mistakes.isEmpty else { throw ServeMistakes(reader.mistakes) }
    settings = reader.settings
    memory = reader.memory
    given = reader.given
    warnings = reader.warnings
    awaitingRestart = reader.awaitingRestart
  }
}

/// All mistakes in the settings.
struct ServeMistakes: Error, Hashable, Sendable {
  let messages: [String]
  init(_ messages: [String]) { self.messages = messages }
}
