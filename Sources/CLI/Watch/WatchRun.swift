import EaselCore
import EaselSupport

/// Converts the pictures of a folder as they arrive, until the folder is gone or a signal ends the program.
final class WatchRun: Sendable {
  private let folder: String
  private let recurses: Bool
  private let resultFolder: String?
  /// Converts a file that has changed.
  private let job: ConversionJob
  /// Converts a file whose result may already exist.
  private let checkingJob: ConversionJob
  private let report: Report
  private let queue = WatchQueue()
  private let summary = Locked(BatchSummary())
  private let clock: any ImageClock
  private let start: Duration

  init(
    _ folder: String, recurses: Bool, resultFolder: String?, _ job: ConversionJob, _ report: Report,
    clock: any ImageClock = SystemClock()
  ) {
    (self.folder, self.recurses, self.resultFolder, self.report) = (folder, recurses, resultFolder, report)
    self.clock = clock
    start = clock.uptime
    self.job = job.following(.replace)
    checkingJob = job.following(.renew)
  }

  /// Works until the folder is gone or cannot be watched.
  func run(takesExisting: Bool) throws(ImageError) {
    let watch = try FolderWatch(folder, recurses: recurses, leavingOut: resultFolder)
    if !job.options.isQuiet { report.console.note("easel: watching \(printable(folder))") }
    if takesExisting { scan(folder, subfolder: "", hasChanged: false) }
    let ends = (0..<job.options.jobs).compactMap { _ in
      let end = Semaphore()
      let hasStarted = PlainThread.start {
        self.work()
        end.signal()
      }
      return hasStarted ? end : nil
    }
    defer {
      queue.close()
      for end in ends { end.wait() }
    }
    guard !ends.isEmpty else { throw ImageError.exhausted("No thread could be started.") }
    while true {
      for event in try watch.next() {
        switch event {
        case .file(let path, let subfolder): queue.add(WatchQueue.Item(path: path, subfolder: subfolder))
        case .folder(let path, let subfolder): scan(path, subfolder: subfolder, hasChanged: true)
        case .lost: scan(folder, subfolder: "", hasChanged: false)
        case .gone:
          throw ImageError(
            .badImageData, "\(folder) was moved or deleted, so nothing is watched any more.", subject: folder)
        }
      }
    }
  }

  /// Prints a summary before the program ends.
  func farewell() {
    let text = summary.withLock { $0 }.text(in: clock.uptime - start)
    report.console.note("easel: \(text)")
  }

  private func work() {
    while let item = queue.next() {
      convert(item)
      if queue.finish(item) { scan(folder, subfolder: "", hasChanged: false) }
    }
  }

  /// Adds the files of a folder; a later scan finds the files that do not fit into the queue.
  private func scan(_ path: String, subfolder: String, hasChanged: Bool) {
    var walk = FolderWalk(path, leavingOut: resultFolder, recurses: recurses)
    while let input = walk.next() {
      if let problem = input.problem {
        report.failure(of: input.word, problem)
        continue
      }
      let below = [subfolder, input.subfolder].filter { !$0.isEmpty }.joined(separator: "/")
      let item = WatchQueue.Item(path: input.word, subfolder: below, hasChanged: hasChanged)
      guard hasChanged || checkingJob.isStale(Self.input(item)) else { continue }
      guard queue.add(item) else { return }
    }
  }

  private func convert(_ item: WatchQueue.Item) {
    do {
      let outcome = try (item.hasChanged ? job : checkingJob).convert(Self.input(item))
      summary.withLock { $0.add(outcome) }
      guard case .written = outcome.kind, !job.options.isQuiet else { return }
      report.success(outcome.json, outcome.text)
    } catch {
      // A file that has vanished is no failure of the watch.
      guard FileIdentity(item.path) != nil else { return }
      summary.withLock { $0.failed += 1 }
      report.failure(of: item.path, error)
    }
  }

  private static func input(_ item: WatchQueue.Item) -> BatchInput {
    BatchInput(item.path, subfolder: item.subfolder, isFound: true)
  }
}
