import Easel
import EaselService
import FoundationEssentials

/// Asks a server for variants of many pictures, so that its caches have them.
struct WarmCommand: Command {
  private static let at = Option<String>(
    OptionDescription(
      name: "at", placeholder: "ADDRESS", expectation: "an address such as http://127.0.0.1:8080",
      help: "The address of the server, with its prefix if it has one. The default is \(defaultAddress).")
  ) { PurgeServerCall($0)?.address }
  private static let defaultAddress = "http://127.0.0.1:8080"
  private static let options = Option<String>(
    OptionDescription(
      name: "options", placeholder: "OPTIONS", expectation: "options such as rs:fit:300:200/q:70",
      help: "Ask for a variant of each source with these options; several are several variants.", mayRepeat: true)
  ) { $0.isEmpty ? nil : $0 }
  private static let formats = Option<String>(
    OptionDescription(
      name: "format", placeholder: "NAME", expectation: "the name of a format such as webp",
      help: "Ask for each variant in this format; several are several variants.", mayRepeat: true)
  ) { $0.isEmpty ? nil : $0 }
  private static let accepts = Option<String>(
    OptionDescription(
      name: "accept", placeholder: "TYPES", expectation: "media types such as image/avif,image/webp",
      help: "Send this as Accept, as browsers do that choose among formats; several are several variants.",
      mayRepeat: true)
  ) { text in !text.isEmpty && text.utf8.allSatisfy { (0x20...0x7E).contains($0) } ? text : nil }
  private static let rate = Option<Double>.number(
    "rate", "N", in: 0.001...100_000, "a number such as 20", "How many requests a second to send. The default is 10.")
  private static let jobs = Option<Int>.integer(
    "jobs", "N", in: 1...256, "How many requests may wait for their answers. The default is 4.")

  /// The settings of the server that also affect this command, with the same names and variables.
  private static let settings = ["key", "salt", "key-file", "signature-size", "urls"].compactMap { name in
    ServeTable.settings.first { $0.name == name }
  }

  static let description = CommandDescription(
    name: "warm", summary: "Ask a server for variants of many pictures before anybody else does.",
    operands: CommandDescription.Operands(spelling: "LIST", count: 1...1, completion: .files),
    details: [
      "LIST is a file, or - for standard input, with a source per line such as https://example.com/a.jpg. A line that begins "
        + "with a slash is a whole path, which is asked for as it is. Empty lines and lines that begin with # do not count.",
      "The requests say by Priority: u=7 that all others are more urgent: the server works on them only while nobody else "
        + "waits, and with half of its places at most. A request that the server turns away (429, 503, 504) is sent again "
        + "later. The answers have no bodies.",
      "Keys are given as for easel sign; without one, paths are not signed.",
    ],
    options: [
      at.description, options.description, formats.description, accepts.description, rate.description, jobs.description,
    ] + settings.map(\.description) + [CommonOptions.noProgress.description, CommonOptions.json.description],
    examples: [
      .init(
        "easel warm sources.txt --options rs:fit:320:320 --options rs:fit:1280:1280 --accept image/webp --rate 20",
        "Ask for two sizes of each source as a browser that reads WebP does."),
      .init(
        "easel warm - --at https://img.example.com --key-file keys --options w:640 --format webp",
        "Read sources from standard input, and sign the paths."),
    ])

  private let list: String
  private let address: String
  private let variants: [WarmVariant]
  private let rate: Double
  private let jobs: Int
  private let isJSON: Bool
  private let hidesProgress: Bool
  private let work: SigningWork?

  init(_ arguments: Arguments) throws(UsageError) { try self.init(arguments, .real) }

  init(_ arguments: Arguments, _ system: ServeSystem) throws(UsageError) {
    list = arguments.operands[0]
    address = try arguments.value(Self.at) ?? Self.defaultAddress
    rate = try arguments.value(Self.rate) ?? 10
    jobs = try arguments.value(Self.jobs) ?? 4
    isJSON = arguments.has(CommonOptions.json)
    hidesProgress = arguments.has(CommonOptions.noProgress)
    work = try SignCommand.keys(arguments, system, named: Self.settings).map { SigningWork(settings: $0) }
    let options: [String?] = try arguments.values(Self.options)
    let formats: [String?] = try arguments.values(Self.formats)
    let accepts: [String?] = try arguments.values(Self.accepts)
    var variants: [WarmVariant] = []
    for option in options.isEmpty ? [nil] : options {
      for format in formats.isEmpty ? [nil] : formats {
        for accept in accepts.isEmpty ? [nil] : accepts {
          variants.append(WarmVariant(options: option, format: format, accept: accept))
        }
      }
    }
    self.variants = variants
    // A mistake in the options is told before the first request.
    let paths = WarmPaths(work: work)
    for variant in variants { _ = try paths.path(of: "https://example.com/a.jpg", variant) }
  }

  func run(_ console: Console) -> ExitStatus {
    let report = Report(console, isJSON: isJSON)
    if hidesProgress { console.hideProgress() }
    let lines: [String]
    do throws(ImageError) {
      lines = try WarmList.lines(of: list)
    } catch {
      report.failure(of: list, error)
      return report.status
    }
    let paths = WarmPaths(work: work)
    var requests: [WarmRequest] = []
    for line in lines {
      do throws(UsageError) {
        requests += try paths.requests(for: line, variants)
      } catch {
        report.failure(of: line, ImageError(.invalidURL, error.message, subject: line))
      }
    }
    let progress = Progress(console, total: requests.count, unit: "pictures", countsBytes: false)
    let run = WarmRun(rate: rate, jobs: jobs, clock: SystemClock(), ask: WarmCall(address: address).ask)
    let began = SystemClock().uptime
    let isJSON = isJSON
    let failed = waitFor { [requests] in
      await run.run(requests) { request, answer in
        progress.end(request.index)
        guard let failure = answer.failure else {
          if isJSON {
            report.success(
              ["input": .string(request.source), "path": .string(request.path), "status": .integer(answer.status)], "")
          }
          return
        }
        report.failure(of: request.source, failure)
      }
    }
    progress.finish()
    let time = Quantity.duration(SystemClock().uptime - began)
    console.note("easel: asked for \(requests.count) pictures, of which \(failed) failed, in \(time)")
    return report.status
  }
}
