import Easel
import EaselService
import FoundationEssentials

/// Removes pictures from running servers.
struct PurgeCommand: Command {
  private static let sources = Option<String>(
    OptionDescription(
      name: "source", placeholder: "PREFIX", expectation: "the beginning of URLs such as https://example.com/pictures/",
      help: "Purge all sources whose URLs begin with this text, which has a whole host.", mayRepeat: true)
  ) { $0.contains("://") ? $0 : nil }
  private static let tags = Option<String>(
    OptionDescription(
      name: "tag", placeholder: "TAG", expectation: "a tag such as cats",
      help: "Purge everything that has this tag: of its URL (cache_tags), or of a Cache-Tag of its source.",
      mayRepeat: true)
  ) { $0.isEmpty ? nil : $0 }
  private static let all = Option<Bool>.flag("all", "Purge everything.")
  private static let at = Option<String>(
    OptionDescription(
      name: "at", placeholder: "ADDRESS", expectation: "an address such as http://127.0.0.1:9090",
      help: "The metrics address of a server, or with a key its address for pictures. Servers that share a Redis tell "
        + "each other; others are each named. The default is \(defaultAddress).", mayRepeat: true)
  ) { PurgeServerCall($0) == nil ? nil : $0 }
  private static let defaultAddress = "http://127.0.0.1:9090"

  /// The settings of the server that also affect this command, with the same names and variables.
  private static let settings = ["key", "salt", "key-file", "urls"].compactMap { name in
    ServeTable.settings.first { $0.name == name }
  }

  static let description = CommandDescription(
    name: "purge", summary: "Remove pictures from running servers, so that nobody gets them any more.",
    operands: CommandDescription.Operands(spelling: "URL...", count: 0...Int.max, completion: .nothing),
    details: [
      "URL is the address of a source, as the addresses of the server name it. Everything that was made of it leaves "
        + "memory, disk and shared store of the server and of all servers with the same Redis. What is being made at that "
        + "moment goes out to those who wait for it, and is not kept.",
      "The report names the servers: one is confirmed if it knows of the purge; waits if it has not answered, but serves "
        + "nothing older; may-serve if it has not answered, and its setting when-cut-off lets it serve what it has. Then, "
        + "and if something else is not as it should be, the exit status is 1.",
      "Without a key, ADDRESS is the metrics address of a server (easel serve --metrics). With one, the request is signed, "
        + "and may go to the address for pictures. Keys are given as for easel sign.",
    ],
    options: [sources.description, tags.description, all.description, at.description]
      + settings.map(\.description) + [CommonOptions.json.description],
    examples: [
      .init("easel purge https://example.com/cat.jpg", "Purge a picture, at http://127.0.0.1:9090."),
      .init(
        "easel purge --source https://example.com/shop/ --tag cats --at http://10.0.0.1:9090",
        "Purge a folder, and what has a tag."),
      .init(
        "easel purge --all --key-file keys --at https://img.example.com",
        "Purge everything, with a signed request."),
    ])

  private let purges: [Purge]
  private let calls: [PurgeServerCall]
  private let signer: URLSigner?
  private let isJSON: Bool

  init(_ arguments: Arguments) throws(UsageError) { try self.init(arguments, .real) }

  init(_ arguments: Arguments, _ system: ServeSystem) throws(UsageError) {
    var purges = arguments.operands.map { Purge.source($0) }
    for operand in arguments.operands where !operand.contains("://") {
      throw UsageError(
        "purge needs the URL of a source such as https://example.com/cat.jpg, not '\(printable(operand))'.")
    }
    purges += try arguments.values(Self.sources).map { .sources(beginningWith: $0) }
    purges += try arguments.values(Self.tags).map { .tag($0) }
    if arguments.has(Self.all) { purges.append(.everything) }
    guard !purges.isEmpty else { throw UsageError("purge needs a URL, --source, --tag or --all.") }
    for purge in purges where !Purge.isText(String(purge.name.dropFirst(purge == .everything ? 0 : 2))) {
      throw UsageError(
        "'\(printable(String(purge.name.prefix(200))))' has blanks or characters that are not ASCII. Write them with "
          + "percent signs.")
    }
    self.purges = purges
    let addresses = try arguments.values(Self.at)
    calls = (addresses.isEmpty ? [Self.defaultAddress] : addresses).compactMap { PurgeServerCall($0) }
    isJSON = arguments.has(CommonOptions.json)
    let keys = try SignCommand.keys(arguments, system, named: Self.settings)
    signer = keys.map { URLSigner($0.keys.map { URLSigner.Key(key: $0.key, salt: $0.salt) }) }
  }

  func run(_ console: Console) -> ExitStatus {
    let report = Report(console, isJSON: isJSON)
    // All servers get the same time, so that servers without a common store keep the same keys.
    let time = UInt64(max(0, Date().timeIntervalSince1970 * 1000))
    let target = PurgeCall.target(purges)
    let signed = signer.flatMap { $0.signedPurge(target, at: time) } ?? "\(target)&time=\(time)"
    var isComplete = true
    let status = report.forEach(calls.map(\.address)) { address in
      guard let call = PurgeServerCall(address) else { return }
      let answer = try call.send(signed)
      isComplete = isComplete && answer.complete
      report.success(answer.json(of: address), answer.text(of: address))
    }
    return isComplete ? status : .failure
  }
}

extension PurgeServerCall.Report {
  fileprivate func json(of address: String) -> JSON {
    [
      "input": .string(address), "number": .integer(number), "complete": .boolean(complete),
      "servers": .array(servers.map { ["name": .string($0.name), "standing": .string($0.standing)] }),
      "notes": .array(notes.map { .string($0) }),
    ]
  }

  fileprivate func text(of address: String) -> String {
    let confirmed = servers.count { $0.standing == "confirmed" }
    var lines = ["\(printable(address)): purged, \(confirmed) of \(servers.count) servers confirmed"]
    for server in servers where server.standing != "confirmed" {
      lines.append("  \(printable(server.name)): \(printable(server.standing))")
    }
    lines += notes.map { "  \(printable($0))" }
    return lines.joined(separator: "\n")
  }
}
