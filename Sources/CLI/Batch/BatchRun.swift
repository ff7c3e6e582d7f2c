import EaselCore
import EaselSupport

/// Works on many inputs, several at a time, and reports them in the order of the inputs.
///
/// For any number of inputs, only a few hundred are in memory: the inputs in work, and the finished ones whose lines
/// wait for the line of an earlier input.
final class BatchRun: Sendable {
  private struct State {
    var inputs: BatchInputs.Iterator
    var position = 0
    var summary = BatchSummary()
  }

  private let report: Report
  private let options: BatchOptions
  private let total: Int
  private let showsSummary: Bool
  private let clock: any ImageClock
  private let start: Duration
  private let state: Locked<State>

  /// The most inputs in memory, counted from the first one whose line is not printed yet.
  private static let window = 256

  init(
    _ inputs: BatchInputs, total: Int, _ options: BatchOptions, _ report: Report, showsSummary: Bool,
    clock: any ImageClock = SystemClock()
  ) {
    (self.report, self.options, self.total, self.showsSummary) = (report, options, total, showsSummary)
    self.clock = clock
    start = clock.uptime
    state = Locked(State(inputs: inputs.makeIterator()))
  }

  var summary: BatchSummary { state.withLock { $0.summary } }

  /// Calls `work` with each input; an error is reported, and the work on the other inputs goes on.
  func run(_ work: @escaping @Sendable (BatchInput) throws -> BatchOutcome) {
    let console = report.console
    if options.hidesProgress { console.hideProgress() }
    let progress = Progress(console, total: total, unit: "pictures", countsBytes: false)
    let lines = OrderedLines()
    let room = Semaphore()
    for _ in 0..<max(Self.window, options.jobs) { room.signal() }
    forEachInThreads(threads: min(options.jobs, max(1, total))) {
      room.wait()
      guard let (position, input) = self.next() else {
        room.signal()
        return false
      }
      let result = Result { () throws -> BatchOutcome in
        if let problem = input.problem { throw problem }
        return try work(input)
      }
      self.note(result)
      lines.add(position) {
        self.print(result, of: input)
        room.signal()
      }
      progress.end(position)
      return true
    }
    progress.finish()
    guard showsSummary, !options.isJSON, !options.isQuiet else { return }
    console.note("easel: \(summaryText)")
  }

  /// Prints how far the work has come, before the program ends.
  func farewell() {
    report.console.progress([])
    let done = summary.done
    report.console.note("easel: interrupted after \(done) of \(BatchSummary.files(total)): \(summaryText)")
  }

  private var summaryText: String {
    summary.text(in: clock.uptime - start, isDryRun: options.isDryRun)
  }

  private func next() -> (Int, BatchInput)? {
    state.withLock { state in
      guard let input = state.inputs.next() else { return nil }
      defer { state.position += 1 }
      return (state.position, input)
    }
  }

  private func note(_ result: Result<BatchOutcome, any Error>) {
    state.withLock { state in
      switch result {
      case .success(let outcome): state.summary.add(outcome)
      case .failure: state.summary.failed += 1
      }
    }
  }

  private func print(_ result: Result<BatchOutcome, any Error>, of input: BatchInput) {
    switch result {
    case .success(let outcome):
      if !options.isQuiet, !outcome.text.isEmpty { report.success(outcome.json, outcome.text) }
    case .failure(let error): report.failure(of: input.word, error)
    }
  }
}
