// A server that answers from memory: measurements send requests to it, and tests change the limits of its process.
//
// usage: EaselListenerProbe serve [THREADS] [DESCRIPTORS] [PORT]   prints its port, and serves until its input ends
//        EaselListenerProbe leaks                         serves a thousand connections, and says what is left of them

import EaselCore
import EaselListener
import EaselService
import EaselSupport
import Glibc

struct MemoryHandler: RequestHandler {
  private let small = Self.response(1 << 10)
  private let large = Self.response(40 << 10)

  func immediateResponse(to request: ServiceRequest) -> ServiceResponse? {
    switch request.target {
    case "/1k": small
    case "/40k": large
    default: nil
    }
  }

  func response(to request: ServiceRequest) async -> ServiceResponse { small }

  private static func response(_ count: Int) -> ServiceResponse {
    ServiceResponse(
      status: 200, headers: ["Content-Type": "image/webp", "Cache-Control": "public, max-age=31536000"],
      body: [ImageBytes([UInt8](repeating: 0x5A, count: count))])
  }
}

func port(of listener: Listener) -> Int {
  if case .tcp(_, let port) = listener.addresses[0] { return port }
  return 0
}

func entries(of directory: String) -> Int {
  guard let stream = opendir(directory) else { return -1 }
  defer { closedir(stream) }
  var count = 0
  while readdir(stream) != nil { count += 1 }
  return count
}

/// Runs asynchronous work from a plain thread.
///
/// The program has no asynchronous main function, because the runtime ends the process if its main queue finds no
/// descriptor, and a test takes them all.
func wait(_ body: @escaping @Sendable () async -> Void) {
  let done = Semaphore()
  Task.detached {
    await body()
    done.signal()
  }
  done.wait()
}

func serve(threads: Int, descriptors: Int?, port wanted: Int) throws {
  var settings = ListenerSettings()
  settings.threads = threads
  settings.connections = 20_000
  var limit = rlimit(rlim_cur: 20_000, rlim_max: 20_000)
  if let descriptors {
    limit.rlim_cur = rlim_t(descriptors)
    settings.reservedDescriptors = 0
    // The timers of the runtime need descriptors too.
    wait { try? await Task.sleep(for: .nanoseconds(1)) }
  }
  setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  let listener = try Listener(
    on: [.tcp(host: "127.0.0.1", port: wanted)], settings: settings, handler: MemoryHandler())
  print(port(of: listener))
  fflush(nil)
  while getchar() != EOF {}
  wait { await listener.drain(within: .seconds(5)) }
  let counts = listener.counts
  print("accepted \(counts.accepted) requests \(counts.requests) paused \(counts.pauses > 0) refused \(counts.refused)")
}

/// Asks once over a connection of its own; the length of the answer.
func ask(_ port: Int) -> Int {
  let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
  defer { close(descriptor) }
  var name = sockaddr_in()
  name.sin_family = sa_family_t(AF_INET)
  name.sin_port = UInt16(port).bigEndian
  name.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
  let status = withUnsafePointer(to: &name) { name in
    name.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
    }
  }
  guard status == 0 else { return 0 }
  let head = Array("GET /1k HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".utf8)
  send(descriptor, head, head.count, CInt(MSG_NOSIGNAL))
  var buffer = [UInt8](repeating: 0, count: 4096)
  var length = 0
  while case let got = recv(descriptor, &buffer, buffer.count, 0), got > 0 { length += got }
  return length
}

/// Serves connections, some of which stay open, and stops.
func round() throws -> Int {
  let listener = try Listener(on: [.tcp(host: "127.0.0.1", port: 0)], handler: MemoryHandler())
  var answered = 0
  for _ in 0..<1000 where ask(port(of: listener)) > 1024 { answered += 1 }
  listener.stopNow()
  wait { await listener.waitForEnd() }
  return answered
}

/// The number by which a directory of the process has more entries than before, once that does not fall any more.
///
/// A thread that has ended is listed until the system has taken it away, and the runtime opens a file now and then.
func growth(of directory: String, from before: Int) -> Int {
  for _ in 0..<5000 where entries(of: directory) > before { usleep(1000) }
  return max(0, entries(of: directory) - before)
}

func leaks() throws {
  // The first round and the sleep start the threads and the timers of the runtime.
  _ = try round()
  wait { try? await Task.sleep(for: .milliseconds(1)) }
  let files = (0..<50).map { _ in entries(of: "/proc/self/fd") }.min() ?? 0
  let threads = entries(of: "/proc/self/task")
  let answered = try round()
  let descriptors = growth(of: "/proc/self/fd", from: files)
  print("answered \(answered) descriptors \(descriptors) threads \(growth(of: "/proc/self/task", from: threads))")
}

let arguments = CommandLine.arguments
do {
  if arguments.count > 1, arguments[1] == "leaks" {
    try leaks()
  } else {
    let numbers = arguments.dropFirst(2).map { Int($0) }
    try serve(
      threads: numbers.first.flatMap { $0 } ?? 1, descriptors: numbers.dropFirst().first.flatMap { $0 },
      port: numbers.dropFirst(2).first.flatMap { $0 } ?? 0)
  }
} catch {
  print("EaselListenerProbe: \(error)")
  exit(1)
}
