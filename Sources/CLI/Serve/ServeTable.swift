import Easel
import EaselService

/// All settings of `easel serve`.
enum ServeTable {
  static let settings: [ServeSetting] =
    addresses + signatures + sources + caches + results + encoding + freshness + load + watching

  /// The file with further settings; it can be named on the command line and in the environment only.
  static let config = Option<String>.text(
    "config", "FILE",
    "Read settings from a file with lines such as 'cache-size = 2G'. Options and variables come before it.",
    completion: .files)
  static let configVariable = "EASEL_CONFIG"
  static let check = Option<Bool>.flag("check", "Read the settings, print them without secrets, and stop.")

  /// The options of the command, for the parser, help, completions and the manual.
  static var options: [OptionDescription] {
    settings.map(\.description) + [config.description, check.description, CommonOptions.noProgress.description]
  }

  /// Explains the other ways to give settings.
  static let details = [
    "Each option can also be given as an environment variable (--cache-size as EASEL_CACHE_SIZE), or as a line of the "
      + "file of --config (cache-size = 2G). An option comes before a variable, a variable before the file. A setting "
      + "that may be repeated takes one value per line in the file, and values between blanks in a variable; the values "
      + "of one place replace those of the next.",
    "SIGHUP reads the settings anew. " + restarting.joined(separator: ", ") + " keep their values until a restart.",
    "Others on the machine can see options. Give keys in a file that only the server can read.",
  ]

  /// The names of the settings that SIGHUP does not change.
  static var restarting: [String] { settings.filter { $0.change == .restart }.map(\.name) }

  private static let address =
    "an address such as 127.0.0.1:8080, :8080 for all addresses, [::1]:8080, or the path of a Unix socket"

  static func address(_ name: String, _ help: String) -> Option<ServeAddress> {
    .reading(name, "ADDRESS", name == "listen" ? address + ", or systemd for the sockets it passes" : address, help) {
      guard let address = ServeAddress($0) else { return nil }
      return name != "listen" && address == .systemd ? nil : address
    }
  }

  static func pixels(_ name: String, _ help: String) -> Option<Int> {
    let bytes = Option<Int>.bytes(name, help)
    return .reading(name, "PIXELS", "a number of pixels such as 500000, 500k or 50M", help) {
      bytes.read($0).flatMap { (1...1_000_000_000_000).contains($0) ? $0 : nil }
    }
  }

  /// A number of bytes that is not zero.
  static func bytes(_ name: String, _ help: String) -> Option<Int> {
    let option = Option<Int>.bytes(name, help)
    return Option(option.description) { option.read($0).flatMap { $0 > 0 ? $0 : nil } }
  }

  static func file(_ name: String, _ placeholder: String, _ help: String) -> Option<String> {
    .text(name, placeholder, help, completion: placeholder == "DIR" ? .directories : .files)
  }

  static func secret(_ name: String, _ placeholder: String, _ help: String) -> Option<Secret> {
    .reading(name, placeholder, "a text that is not empty", help) { $0.isEmpty ? nil : Secret(text: $0) }
  }

  /// A time of more than zero.
  static func limit(_ name: String, _ help: String) -> Option<Duration> {
    let option = Option<Duration>.time(name, help)
    return Option(option.description) { option.read($0).flatMap { $0 > .zero ? $0 : nil } }
  }
}
