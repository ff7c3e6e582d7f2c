import Easel
import EaselService
import FoundationEssentials

/// Signs the paths of URLs for `easel serve`, and checks signed paths.
struct SignCommand: Command {
  private static let prefix = Option<String>(
    OptionDescription(
      name: "prefix", placeholder: "URL", expectation: "an address such as https://img.example.com or a path",
      help: "Print this text before each signed path.")
  ) { $0.contains("://") || $0.hasPrefix("/") ? $0 : nil }
  private static let expires = Option<Duration>.time(
    "expires", "Let the URL expire after this time: seconds, or 90m, 12h or 7d.")
  private static let source = Option<String>.text(
    "source", "URL", "Build the path for this picture, in place of PATH; it is encoded as needed.")
  private static let options = Option<String>.text(
    "options", "OPTIONS", "The options for --source, such as rs:fit:300:200/q:70.")
  private static let format = Option<String>.text("format", "NAME", "The format for --source, such as webp.")
  private static let check = Option<Bool>.flag(
    "check", "Say whether the signatures of signed paths are right; the exit status is 1 if one is not.")

  /// The settings of the server that also affect this command, with the same names and variables.
  private static let settings = ["key", "salt", "key-file", "signature-size", "urls"].compactMap { name in
    ServeTable.settings.first { $0.name == name }
  }

  static let description = CommandDescription(
    name: "sign", summary: "Sign the paths of addresses for easel serve.",
    operands: CommandDescription.Operands(spelling: "PATH...", count: 0...Int.max, completion: .nothing),
    details: [
      "PATH is a path without a signature, such as /rs:fit:300:200/plain/https://example.com/a.jpg@webp. It is read as the "
        + "server reads it, and a mistake is said before anything is printed. Presets are not known here, so any name is "
        + "taken.",
      "The first key signs. Keys can also be given in EASEL_KEY and EASEL_SALT, or in a file that --key-file or "
        + "EASEL_KEY_FILE names. On the command line, others on this machine can see them.",
    ],
    options: settings.map(\.description)
      + [
        prefix.description, expires.description, source.description, options.description, format.description,
        check.description,
      ],
    examples: [
      .init(
        "easel sign --key-file keys /rs:fit:300:200/plain/https://example.com/a.jpg@webp", "Print the signed path."),
      .init(
        "easel sign --key-file keys --source https://example.com/a.jpg --options rs:fit:300:200 --format webp",
        "The same, with the path built."),
      .init(
        "easel sign --urls thumbor --key-file keys --prefix https://img.example.com /300x200/smart/host/a.jpg",
        "Print a whole address in thumbor's form."),
    ])

  let lines: [String]
  let failures: [String]

  init(_ arguments: Arguments) throws(UsageError) {
    try self.init(arguments, .real, now: Int(Date().timeIntervalSince1970))
  }

  init(_ arguments: Arguments, _ system: ServeSystem, now: Int) throws(UsageError) {
    guard let keys = try Self.keys(arguments, system, named: Self.settings) else {
      throw UsageError(
        "There is no key to sign with. Name a file with --key-file or EASEL_KEY_FILE, or give EASEL_KEY and EASEL_SALT."
      )
    }
    let work = SigningWork(settings: keys)
    let stated = try arguments.value(Self.prefix).map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 } ?? ""
    // A form has its prefix before what is signed.
    let prefix = stated + (keys.urls.first { $0.form.signing != nil }?.prefix ?? "")
    let expires = try arguments.value(Self.expires)
    guard let source = try arguments.value(Self.source) else {
      for option in [Self.options, Self.format] where try arguments.value(option) != nil {
        throw UsageError("\(option.description.spelling) needs --source.")
      }
      guard !arguments.operands.isEmpty else { throw UsageError("sign needs a PATH, or --source with a URL.") }
      if arguments.has(Self.check) {
        guard expires == nil else { throw UsageError("--expires has no meaning with --check.") }
        let answers = arguments.operands.map { work.check($0, prefix: prefix, now: now) }
        lines = answers.compactMap { try? $0.get() }
        failures = answers.compactMap { if case .failure(let error) = $0 { error.message } else { nil } }
        return
      }
      var lines: [String] = []
      for path in arguments.operands {
        lines.append(prefix + (try work.signed(path, expires: expires, now: now)))
      }
      (self.lines, failures) = (lines, [])
      return
    }
    guard arguments.operands.isEmpty, !arguments.has(Self.check) else {
      throw UsageError("--source builds the path. Leave PATH and --check out.")
    }
    let path = try work.path(
      of: source, options: try arguments.value(Self.options), format: try arguments.value(Self.format))
    lines = [prefix + (try work.signed(path, expires: expires, now: now))]
    failures = []
  }

  /// The keys in the given settings, read as the server reads them; nil if there are none.
  static func keys(
    _ arguments: Arguments, _ system: ServeSystem, named settings: [ServeSetting]
  ) throws(UsageError) -> ServeSettings? {
    let names = settings.map(\.name)
    let variables = settings.map(\.variable)
    var system = system
    system.environment = system.environment.filter { variables.contains($0.key) }
    let given = arguments.options.filter { names.contains($0.name) }
    let hasKey =
      given.contains { ["key", "key-file"].contains($0.name) }
      || ["EASEL_KEY", "EASEL_KEY_FILE"].contains { system.environment[$0]?.isEmpty == false }
    guard hasKey else { return nil }
    do throws(ServeMistakes) {
      return try ServeConfiguration(Arguments(operands: [], options: given), system).settings
    } catch {
      throw UsageError(error.messages.joined(separator: "\neasel: "))
    }
  }

  func run(_ console: Console) -> ExitStatus {
    for line in lines { console.result(line) }
    for failure in failures { console.note("easel: \(failure)") }
    return failures.isEmpty ? .success : .failure
  }
}

/// Builds, reads and signs paths in one form of URLs.
struct SigningWork: Sendable {
  private let isThumbor: Bool
  private let grammar: URLSigner.Grammar
  private let signer: URLSigner

  init(settings: ServeSettings) {
    grammar = settings.signing.first ?? .imgproxy
    isThumbor = grammar == .thumbor
    signer = settings.signer(grammar)
  }

  // MARK: Signing

  /// The path with its signature; throws if the server could not read the path.
  func signed(_ path: String, expires: Duration?, now: Int) throws(UsageError) -> String {
    var path = path.hasPrefix("/") ? path : "/" + path
    guard path.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw UsageError("'\(shown(path))' has characters that addresses cannot have. Write them with percent signs.")
    }
    guard !path.contains("?"), !path.contains("#") else {
      throw UsageError("'\(shown(path))' has a ? or a #, which end a path. Write them as %3F and %23.")
    }
    let order = try order(of: path, shownAs: path)
    if let expires {
      guard !isThumbor else { throw UsageError("URLs in thumbor's form cannot expire. Leave --expires out.") }
      guard order.expires == nil else {
        throw UsageError("'\(shown(path))' states when it expires. Leave --expires out.")
      }
      path = "/exp:\(now + Int(expires.components.seconds))\(path)"
    }
    return signer.signed(path)
  }

  private func order(of path: String, shownAs text: String) throws(UsageError) -> ImageOrder {
    let rules: URLRules
    do throws(ImageError) {
      rules = try URLRules(presets: presets(in: path).map { "\($0)=" })
    } catch {
      throw UsageError("'\(shown(text))' cannot be read: \(printable(error.message))")
    }
    do throws(ServiceError) {
      return try OrderReaders.reader(grammar, rules: rules, signer: nil, formats: .program).order(
        at: "/unsafe\(path)", now: 0)
    } catch {
      throw UsageError("'\(shown(text))' cannot be read: \(printable(error.message))")
    }
  }

  /// The names of presets in a path.
  ///
  /// Only the server knows their meaning.
  private func presets(in path: String) -> Set<String> {
    guard !isThumbor else { return [] }
    var names: Set<String> = []
    for segment in path.prefix(16_384).split(separator: "/").prefix(while: { $0 != "plain" }) {
      let words = segment.replacing("%3A", with: ":").replacing("%3a", with: ":").split(separator: ":")
      guard let first = words.first, first == "pr" || first == "preset" else { continue }
      for name in words.dropFirst() where !name.contains("=") { names.insert(String(name)) }
    }
    return names
  }

  // MARK: Building

  /// The path for a source.
  func path(of source: String, options: String?, format: String?) throws(UsageError) -> String {
    let options = options.map { $0.split(separator: "/", omittingEmptySubsequences: true).joined(separator: "/") } ?? ""
    let encoded = Self.encoded(source)
    let path: String
    if isThumbor {
      let parts = [Self.adding(format.map { "format(\($0))" }, to: options), encoded]
      path = "/" + parts.filter { !$0.isEmpty }.joined(separator: "/")
    } else {
      path = "/" + (options.isEmpty ? "" : options + "/") + "plain/" + encoded + (format.map { "@\($0)" } ?? "")
    }
    let order = try order(of: path, shownAs: path)
    guard order.source == source || isThumbor && order.source == "http://" + source else {
      throw UsageError(
        "The server would not read '\(shown(source))' as the picture, but '\(shown(order.source))'. Write the source with "
          + "its scheme, and check --options.")
    }
    return path
  }

  private static func adding(_ filter: String?, to options: String) -> String {
    guard let filter else { return options }
    if options.contains("filters:") { return "\(options):\(filter)" }
    return options.isEmpty ? "filters:\(filter)" : "\(options)/filters:\(filter)"
  }

  /// The text with all characters encoded that could end a source or are not allowed in addresses.
  private static func encoded(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      if isPlain(byte) {
        bytes.append(byte)
      } else {
        bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "-._~/:!$&'()*+,;=".utf8.contains(byte)
    }
  }

  // MARK: Checking

  /// The path, if its signature is correct and has not expired.
  func check(_ text: String, prefix: String, now: Int) -> Result<String, ServeMistake> {
    let path = text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : text
    do throws(ServiceError) {
      let unsigned = path.dropFirst().drop { $0 != "/" }
      let rules = (try? URLRules(presets: presets(in: String(unsigned)).map { "\($0)=" })) ?? URLRules()
      let order = try OrderReaders.reader(grammar, rules: rules, signer: signer, formats: .program).order(
        at: path[...], now: now)
      if let expires = order.expires, expires <= now {
        return .failure(ServeMistake("'\(shown(text))' has expired."))
      }
      return .success("\(printable(text)): the signature is right")
    } catch {
      return .failure(ServeMistake("'\(shown(text))': \(printable(error.message))"))
    }
  }

  private func shown(_ text: String) -> String { printable(String(text.prefix(300))) }
}
