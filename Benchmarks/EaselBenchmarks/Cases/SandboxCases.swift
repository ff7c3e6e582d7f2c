import EaselBenchmarkHarness
import EaselEverything
import FoundationEssentials
import Glibc

/// What it costs to decode in a process of its own: the same coder in the sandbox and outside.
func sandboxCases() -> [BenchmarkCase] {
  let photo = BenchmarkPicture(.photo, .jpeg, 4000, 3000)
  let small = BenchmarkPicture(.photo, .png, 320, 240)
  let formats: [(BenchmarkPicture.Encoding, String)] = [(.jpeg, "JPEG"), (.png, "PNG"), (.webp, "WebP")]
  return [
    sandboxCase("12 MP JPEG to 320", photo, thumbnail: 320, atMost: 1.05),
    sandboxCase("12 MP JPEG", photo, thumbnail: nil, atMost: nil),
    sandboxCase("PNG of 320 pixels", small, thumbnail: nil, atMost: nil),
    sandboxCase("PNG of 320 pixels", small, thumbnail: nil, extra: .milliseconds(1), atMost: 1),
  ]
    + formats.map { format, name in
      processorCase(
        "12 MP \(name) to 320", BenchmarkPicture(.photo, format, 4000, 3000), thumbnail: 320, rounds: 40, atMost: 1.05)
    }
    + [
      processorCase("PNG of 320 pixels", small, thumbnail: nil, rounds: 150, atMost: nil),
      processorCase(
        "PNG of 320 pixels", small, thumbnail: nil, extra: .microseconds(300), rounds: 150, atMost: 1),
      processorCase(
        "JPEG of 320 pixels", BenchmarkPicture(.photo, .jpeg, 320, 240), thumbnail: nil, rounds: 150, atMost: nil),
      processorCase(
        "PNG of 320 pixels, several in one process", small, thumbnail: nil, extra: .microseconds(300), rounds: 150,
        atMost: 1, in: several),
    ]
}

private func sandboxCase(
  _ name: String, _ picture: BenchmarkPicture, thumbnail: Int?, extra: Duration? = nil, atMost bar: Double?
) -> BenchmarkCase {
  BenchmarkCase(name, group: "sandbox", against: baselineName(extra), atMost: bar) {
    let (bytes, options) = try material(picture, thumbnail)
    let inside = try sandboxed()
    return BenchmarkPair(
      subject: .call(decoding(bytes, options, inside)), baseline: .call(decoding(bytes, options, .everything, extra)))
  }
}

/// The same, measured by the processor time of all processes.
private func processorCase(
  _ name: String, _ picture: BenchmarkPicture, thumbnail: Int?, extra: Duration? = nil, rounds: Int,
  atMost bar: Double?, in sandbox: Result<Sandbox, any Error> = single
) -> BenchmarkCase {
  BenchmarkCase(
    "processor time of \(name)", group: "sandbox", against: baselineName(extra), atMost: bar, mostPairs: 10
  ) {
    let (bytes, options) = try material(picture, thumbnail)
    let inside = try sandboxed(in: sandbox)
    return BenchmarkPair(
      subject: processorTime(rounds, decoding(bytes, options, inside)),
      baseline: processorTime(rounds, decoding(bytes, options, .everything, extra)))
  }
}

private func baselineName(_ extra: Duration?) -> String {
  extra.map { "this process and \($0 / .milliseconds(1)) ms".replacing(".0 ms", with: " ms") } ?? "this process"
}

private func material(_ picture: BenchmarkPicture, _ thumbnail: Int?) throws -> (ImageBytes, DecodeOptions) {
  var options = DecodeOptions()
  options.thumbnailSize = thumbnail.map { PixelSize(width: $0, height: $0) }
  return (ImageBytes(try picture.data()), options)
}

private func sandboxed(in sandbox: Result<Sandbox, any Error> = single) throws -> CoderRegistry {
  let sandbox = try sandbox.get()
  try sandbox.start()
  return CoderRegistry.everything.sandboxed(in: sandbox)
}

private func decoding(
  _ bytes: ImageBytes, _ options: DecodeOptions, _ coder: CoderRegistry, _ extra: Duration? = nil
) -> () throws -> Void {
  {
    let work = WorkContext()
    // As the manager does it: the header decides about the size.
    blackHole(try coder.probe(bytes, work: work))
    blackHole(try coder.decode(bytes, options: options, work: work))
    guard let extra else { return }
    let end = ContinuousClock.now + extra
    while ContinuousClock.now < end {}
  }
}

private let single = sandbox(picturesPerProcess: 1)
private let several = sandbox(picturesPerProcess: 1000)

/// A sandbox whose worker is the program as it is installed, and not this one with its many libraries.
private func sandbox(picturesPerProcess: Int) -> Result<Sandbox, any Error> {
  Result {
    var configuration = Sandbox.Configuration()
    configuration.program = try InstalledProgram.easel()
    configuration.picturesPerProcess = picturesPerProcess
    return Sandbox(configuration)
  }
}

// MARK: Processor time

/// The processor time of all processes for one of so many rounds, which the kernel tells by hundredths of a second.
private func processorTime(_ rounds: Int, _ body: @escaping () throws -> Void) -> BenchmarkSide {
  .timed { repetitions in
    let start = processorSeconds()
    for _ in 0..<repetitions * rounds { try body() }
    return (processorSeconds() - start) / Double(rounds)
  }
}

/// The processor time of this process, of the workers, and of all their children, ended or not.
private func processorSeconds() -> Double {
  var own = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &own)
  let workers = [single, several].flatMap { (try? $0.get())?.workerProcesses ?? [] }
  let ticks = workers.reduce(0) { sum, worker in
    // A child whose end has been noticed counts as part of its worker.
    let living = systemText("\(worker)/task/\(worker)/children").split(separator: " ")
    return sum + processorTicks(of: "\(worker)") + living.reduce(0) { $0 + processorTicks(of: String($1)) }
  }
  return Double(own.tv_sec) + Double(own.tv_nsec) * 1e-9 + ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
}

/// The processor time of a process and of its children that have ended, of the program and of the kernel.
private func processorTicks(of process: String) -> Double {
  // The name of the program, which may hold anything, ends with the last parenthesis.
  let fields = systemText("\(process)/stat").split(separator: ")").last?.split(separator: " ") ?? []
  return fields.dropFirst(11).prefix(4).compactMap { Double($0) }.reduce(0, +)
}

/// Reads a file of the kernel about a process; empty if the process has ended.
private func systemText(_ name: String) -> String {
  (try? String(contentsOfFile: "/proc/\(name)", encoding: .utf8)) ?? ""
}
