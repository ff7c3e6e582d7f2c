import Easel
import EaselTerminal
import Glibc

/// Shows the metrics of a running server.
struct StatsCommand: Command {
  private static let once = Option<Bool>.flag("once", "Print the figures since the start of the server once.")

  static let description = CommandDescription(
    name: "stats", summary: "Show what a running easel serve does.",
    operands: CommandDescription.Operands(spelling: "URL", count: 1...1, completion: .nothing),
    details: [
      "URL is the address that easel serve --metrics prints, such as http://127.0.0.1:9090. In a terminal, the figures are "
        + "those of the last ten seconds, and new each second; q ends it. Otherwise, and with --once, they are printed "
        + "once, since the start of the server.",
      "p50 and p99 are times that half and all but a hundredth of the requests stayed below, estimated from the buckets "
        + "of histograms. With --json each sample is one line.",
    ],
    options: [once.description, CommonOptions.json.description],
    examples: [
      .init("easel stats http://127.0.0.1:9090", "Watch a server; q ends it."),
      .init("easel stats --once --json 127.0.0.1:9090", "Print its figures for a script."),
    ])

  private let source: MetricsSource
  private let input: String
  private let isOnce: Bool
  private let isJSON: Bool

  init(_ arguments: Arguments) throws(UsageError) {
    input = arguments.operands[0]
    guard let source = MetricsSource(input) else {
      throw UsageError("stats needs an address such as http://127.0.0.1:9090, not '\(printable(input))'.")
    }
    self.source = source
    isOnce = arguments.has(Self.once)
    isJSON = arguments.has(CommonOptions.json)
  }

  func run(_ console: Console) -> ExitStatus {
    let report = Report(console, isJSON: isJSON)
    return report.forEach([input]) { _ in
      if isJSON {
        try printJSON(console)
      } else if !isOnce, isatty(STDOUT_FILENO) == 1, let terminal = Terminal(),
        let signals = SignalPipe([SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGWINCH])
      {
        try StatsScreen(source, on: terminal, signals: signals).run()
      } else {
        let view = StatsView(
          address: printable(source.address), figures: ServerFigures(try source.read()), date: StatsScreen.date)
        for line in view.lines(columns: 200, rows: 100) { console.result(line) }
      }
    }
  }

  /// Prints one line, or one line each second.
  private func printJSON(_ console: Console) throws {
    let clock = SystemClock()
    var before = (reading: try source.read(), time: clock.uptime)
    console.result(ServerFigures(before.reading).json.text)
    while !isOnce {
      clock.block(for: .seconds(1))
      let now = (reading: try source.read(), time: clock.uptime)
      let seconds = (now.time - before.time) / .seconds(1)
      console.result(ServerFigures(now.reading, since: before.reading, seconds: seconds).json.text)
      before = now
    }
  }
}
