import Easel
import EaselHelpers
import FoundationEssentials

/// Serves pictures over HTTP.
struct ServeCommand: Command {
  static let description = CommandDescription(
    name: "serve", summary: "Serve pictures over HTTP, resized and converted as their addresses say.", operands: .none,
    details: [
      "Addresses are those of imgproxy, or with --urls thumbor those of thumbor: "
        + "/SIGNATURE/rs:fit:300:200/plain/https://example.com/photo.jpg@webp. Pictures are made once for all who ask, "
        + "and kept in memory and, with --cache, on disk. 'easel sign' makes signed addresses.",
      "One line with each address is printed once the server accepts connections. SIGTERM ends it gently: /ready "
        + "answers 503 for --drain-delay, then no more connections are taken, then what has begun is finished. A second "
        + "SIGTERM ends it now.",
      "In a terminal, --log off shows one line that says what the server does, new each second. easel stats shows more.",
    ] + ServeTable.details, options: ServeTable.options,
    examples: [
      .init("easel serve --unsafe --local /srv/pictures", "Try it out: /unsafe/rs:fit:300/plain/local:///cat.jpg"),
      .init(
        "easel serve --key-file /etc/easel/keys --cache /var/cache/easel --formats webp",
        "Serve signed addresses, as WebP to browsers that read it."),
      .init("easel serve --config /etc/easel/easel.conf --check", "Read the settings, print them, and stop."),
    ])

  private let configuration: ServeConfiguration
  private let arguments: Arguments
  private let isCheck: Bool

  init(_ arguments: Arguments) throws(UsageError) {
    self.arguments = arguments
    do throws(ServeMistakes) {
      configuration = try ServeConfiguration(arguments, .real)
    } catch {
      throw UsageError(error.messages.joined(separator: "\neasel: "))
    }
    isCheck = arguments.has(ServeTable.check)
  }

  func run(_ console: Console) -> ExitStatus {
    // The settings of the heap must be applied before any thread starts.
    HeapSettings(environment: ProcessInfo.processInfo.environment).apply()
    // The settings of the memory must be applied before the first picture.
    configuration.memory.apply()
    do throws(ImageError) {
      try ServePlan(settings: configuration.settings).check()
    } catch {
      console.note("easel: \(printable(error.message))")
      return .usage
    }
    for mistake in HelperCards.program.mistakes { console.note("easel: \(printable(mistake))") }
    if arguments.has(CommonOptions.noProgress) { console.hideProgress() }
    guard isCheck else {
      return ServeRun(configuration: configuration, console: console) { present throws(ServeMistakes) in
        try ServeConfiguration(arguments, .real, replacing: present)
      }.run()
    }
    for warning in configuration.warnings { console.note("easel: \(warning)") }
    console.result(ServeReport.text(of: configuration))
    return .success
  }
}
