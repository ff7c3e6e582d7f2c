import Easel
import EaselObserving
import EaselSupport
import EaselWorkers
import FoundationEssentials

/// Loads pictures through the manager.
struct GetCommand: Command {
  static let description = CommandDescription(
    name: "get", summary: "Load pictures from URLs, through the cache.",
    operands: CommandDescription.Operands(spelling: "URL...", count: 1...Int.max),
    details: [
      "A picture in the cache is not loaded again. Each result says where the picture came from, its size, and how long "
        + "the load took. With --output the bytes are also written to a file, named like the last part of the URL.",
      "With --deny-private, pictures are decoded in a sandbox unless --sandbox says otherwise.",
      "With --json, source is memory, disk, shared, network, revalidated (from the cache, after the server said that it is still "
        + "current) or bytes (from standard input).",
    ],
    options: [
      GetOptions.output.description, ExistingFiles.overwrite.description, GetOptions.cache.description,
      GetOptions.noCache.description,
      SharedOptions.shared.description, GetOptions.refresh.description, GetOptions.policy.description,
      CommonOptions.thumbnail.description, CommonOptions.fidelity.description, CommonOptions.damaged.description,
      GetOptions.dataOnly.description, GetOptions.header.description, GetOptions.jobs.description,
      GetOptions.retry.description, GetOptions.timeout.description, GetOptions.maxBytes.description,
      GetOptions.insecure.description, GetOptions.authority.description, GetOptions.denyPrivate.description,
      GetOptions.trace.description, CommonOptions.json.description, CommonOptions.noProgress.description,
    ] + SandboxOptions.all,
    examples: [
      .init("easel get https://example.com/picture.png -o downloads", "Load it, or take it from the cache."),
      .init("easel get --no-cache --json https://example.com/picture.png", "Measure each part of the transfer."),
      .init("easel get --thumbnail 320x320 -o thumbs $(cat urls.txt)", "Load many thumbnails, six at a time."),
      .init(
        "easel get --policy http --retry 3 -H 'Authorization: Bearer x' https://example.com/me",
        "Load it as a signed-in user."),
      .init(
        "easel get --shared s3://pictures/easel https://example.com/picture.png",
        "Use the originals that other machines have loaded."),
      .init("easel get --trace trace.json $(cat urls.txt)", "Record what each load did, for ui.perfetto.dev."),
      .init("easel get --deny-private --max-bytes 5M \"$URL\"", "Load a URL that you do not trust."),
    ])

  private let inputs: [String]
  private let output: String?
  private let mayReplace: Bool
  private let isJSON: Bool
  private let isQuiet: Bool
  private let tracePath: String?
  private let jobs: Int
  private let fetch: DetailedLoad
  private let transferTime: Duration

  init(_ arguments: Arguments) throws(UsageError) {
    inputs = arguments.operands
    output = try arguments.value(GetOptions.output)
    mayReplace = arguments.has(ExistingFiles.overwrite)
    isJSON = arguments.has(CommonOptions.json)
    isQuiet = arguments.has(CommonOptions.noProgress)
    tracePath = try arguments.value(GetOptions.trace)
    jobs = try arguments.value(GetOptions.jobs) ?? 6
    let settings = try GetSettings(arguments)
    let isDataOnly = arguments.has(GetOptions.dataOnly)
    guard !isDataOnly || settings.thumbnail == nil else {
      throw UsageError("--data-only and --thumbnail cannot be used together: a thumbnail needs a decoded picture.")
    }
    transferTime = settings.transferTime
    fetch = DetailedLoad(
      manager: ImageManager(settings.configuration), options: settings.options, context: settings.context,
      isDataOnly: isDataOnly, reader: InputReader(limits: settings.configuration.limits))
  }

  func run(_ console: Console) -> ExitStatus {
    let report = Report(console, isJSON: isJSON)
    guard output.map({ report.makesDirectory($0, for: inputs) }) ?? true else { return report.status }
    if isQuiet { console.hideProgress() }
    let bars = Progress(console, total: inputs.count, unit: "pictures")
    let lines = OrderedLines()
    var names = FileNames()
    let tasks = inputs.map { (input: $0, name: names.next(for: $0)) }
    var observed = fetch
    let trace = tracePath.map { _ in ImageTrace() }
    let failures = Self.cacheFailures(toldTo: console)
    observed.context[.additionalObserver] = .closure { event in
      failures(event)
      trace?.observe(event)
    }
    let (fetch, output, jobs, transferTime, mayReplace) = (observed, output, jobs, transferTime, mayReplace)
    waitFor(tick: bars.tick) {
      let next = Locked(0)
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<min(jobs, tasks.count) {
          group.addTask {
            while let index = next.next(below: tasks.count) {
              let (input, name) = tasks[index]
              bars.begin(index, Input.name(input))
              let result = await fetch.run(input) { bars.progress(index, $0, $1) }
              bars.end(index)
              // Files are written and lines printed on a thread that may block on the disk.
              await WorkerSet.files.finish {
                Self.deliver(result, input, name, output, mayReplace, report, lines, index)
              }
            }
          }
        }
      }
      // A refresh continues after its stale picture was delivered, so the program waits for it before it ends.
      await fetch.manager.close(within: transferTime)
    }
    bars.finish()
    if let tracePath, let trace {
      do {
        try OutputFile.write(ImageBytes(Data(trace.json().utf8)), to: tracePath, mayReplace: mayReplace)
      } catch {
        report.failure(of: tracePath, error)
      }
    }
    return report.status
  }

  /// Reports only the first failure of the cache, because loads continue without the cache.
  private static func cacheFailures(toldTo console: Console) -> @Sendable (ImageEvent) -> Void {
    let isTold = Locked(false)
    return { event in
      guard case .cacheFailed(let error) = event.kind, error.code == .cacheFailed else { return }
      let isFirst = isTold.withLock { isTold in
        defer { isTold = true }
        return !isTold
      }
      if isFirst { console.failure(of: "cache", error) }
    }
  }

  private static func deliver(
    _ result: Result<DetailedLoad.Product, ImageError>, _ input: String, _ name: String, _ output: String?,
    _ mayReplace: Bool, _ report: Report, _ lines: OrderedLines, _ index: Int
  ) {
    let written = Result { () throws -> (product: DetailedLoad.Product, path: String?) in
      let product = try result.get()
      guard let output, let bytes = product.bytes else { return (product, nil) }
      let path = "\(output)/\(name).\(fileExtension(of: bytes, input))"
      try OutputFile.write(bytes, to: path, mayReplace: mayReplace)
      return (product, path)
    }
    lines.add(index) {
      switch written {
      case .success(let (product, path)):
        let note = product.revalidationError.map { report.console.wording($0.message) }
        report.success(product.json(input, path, note), product.text(input, path, note))
      case .failure(let error): report.failure(of: input, error)
      }
    }
  }

  /// The file extension of the bytes' format, or the extension in the URL if the format is unknown.
  private static func fileExtension(of bytes: ImageBytes, _ input: String) -> String {
    if let format = try? CoderRegistry.program.format(of: bytes) {
      return FormatNames.program.fileExtension(of: format)
    }
    let path = input.prefix { $0 != "?" && $0 != "#" }
    let named = path.split(separator: "/").last?.split(separator: ".").dropFirst().last.map(String.init) ?? ""
    let isPlain = (1...8).contains(named.count) && named.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
    return isPlain ? named : "bin"
  }
}

extension Locked where State == Int {
  /// Counts up to `end`, then returns nil.
  func next(below end: Int) -> Int? {
    withLock { next in
      guard next < end else { return nil }
      defer { next += 1 }
      return next
    }
  }
}

extension WorkerSet {
  /// Runs work that cannot fail.
  func finish(_ body: @escaping @Sendable () -> Void) async {
    // The work is never cancelled, because the program cancels no tasks.
    try? await run { body() }
  }
}

extension DetailedLoad.Product {
  /// `note` is the reason why the server's newer picture is not the result.
  func json(_ input: String, _ path: String?, _ note: String?) -> JSON {
    var object: JSON = [
      "input": .string(Input.name(input)), "source": .optional(source?.rawValue), "status": .optional(status),
      "width": .optional(size?.width), "height": .optional(size?.height), "bytes": .optional(bytes?.count),
      "ms": .milliseconds(time), "metrics": metrics.map(Self.json) ?? .null,
    ]
    if let path { object = object.adding(["output": .string(path)]) }
    if let note { object = object.adding(["revalidationError": .string(note)]) }
    return object
  }

  private static func json(_ metrics: LoadResult.Metrics) -> JSON {
    [
      "nameLookupMs": .milliseconds(metrics.nameLookup), "connectMs": .milliseconds(metrics.connect),
      "tlsMs": .milliseconds(metrics.secureConnect), "firstByteMs": .milliseconds(metrics.firstByte),
      "totalMs": .milliseconds(metrics.total), "bytesReceived": .integer(metrics.bytesReceived),
      "reusedConnection": .boolean(metrics.reusedConnection), "protocol": .optional(metrics.protocolName),
      "redirects": .integer(metrics.redirects),
    ]
  }

  func text(_ input: String, _ path: String?, _ note: String?) -> String {
    var parts: [String] = []
    if let size { parts.append("\(size)") }
    if let bytes { parts.append(Quantity.bytes(bytes.count)) }
    if let source { parts.append("from \(source == .bytes ? "standard input" : source.rawValue)") }
    parts.append(Quantity.duration(time))
    if let path { parts.append("written to \(printable(path))") }
    if let note { parts.append("not refreshed: \(printable(note))") }
    return "\(printable(Input.name(input))): \(parts.joined(separator: ", "))"
  }
}
