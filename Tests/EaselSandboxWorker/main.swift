import EaselEverything
import EaselCore
import EaselMisbehaving
import EaselSupport
import Glibc

/// A coder that cannot get what it needs.
struct UnreadyCoder: SandboxGuest {
  private let base = MisbehavingCoder()

  var identifier: String { "unready" }
  var formats: [ImageFormat] { base.formats }
  func canDecode(prefix: [UInt8]) -> Bool { false }

  func prepareForSandbox(threadsEnd: @convention(c) () -> Bool) throws -> ImageBytes? {
    throw ImageError(.badImageData, "There is no file of colours.")
  }

  func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader { try base.probe(bytes, work: work) }

  func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image {
    try base.decode(bytes, options: options, work: work)
  }
}

/// Keeps a processor busy for so long.
func compute(for seconds: Double) {
  var time = timespec()
  repeat {
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  } while Double(time.tv_sec) + Double(time.tv_nsec) / 1e9 < seconds
}

// The worker of the tests. Under other names it does what a worker must not do: it has a second thread, or is silent.
let name = CommandLine.arguments[0]
if name.hasSuffix("-with-threads") { PlainThread.start { while true { pause() } } }
if name.hasSuffix("-with-late-thread") { PlainThread.start { compute(for: 0.6) } }
if name.hasSuffix("-silent") { while true { pause() } }
if name.hasSuffix("-killed") { raise(SIGKILL) }
let strange: [any ImageCoder] = [
  MisbehavingCoder(), name.hasSuffix("-unready") ? UnreadyCoder() : AbortingCoder(QOICoder()), PreparedCoder(),
]
let coders = [TextCoder()] + CoderRegistry.everything.coders
Sandbox.runIfWorker(coders: strange + coders.map { PlantedCoder($0) } + coders)
// And it is a host without standard streams, whose end tells whether it has a sandbox.
if name.hasSuffix("host-without-streams") {
  for stream in 0..<3 { close(Int32(stream)) }
  exit((try? Sandbox().start()) == nil ? 1 : 0)
}
// Or one that gets no files in memory, without which no picture can be decoded.
if name.hasSuffix("host-without-memory-files") {
  var limits = rlimit(rlim_cur: 0, rlim_max: 0)
  setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
  do {
    try Sandbox().start()
    _exit(1)
  } catch {
    // Not `exit`: a sanitizer would look for leaks, and cannot without files.
    _exit(error.message.contains("a file in memory") ? 0 : 1)
  }
}
exit(2)
