import EaselBenchmarkHarness
import EaselCore
import FoundationEssentials
import Glibc

/// thumbor on the client's core: a service that makes thumbnails of URLs and keeps them in files.
final class ThumborService {
  let base: String
  private let child: ChildProcess
  private let directory: String

  /// Starts the service with a directory for its files and waits until it answers.
  init(_ directory: String) throws {
    guard let python = getenv("EASEL_THUMBOR_PYTHON").map({ String(cString: $0) }) else {
      throw BenchmarkUnavailable(
        "EASEL_THUMBOR_PYTHON names no Python with thumbor; script/bootstrap --bench makes one")
    }
    self.directory = directory
    let settings = "\(directory)/thumbor.conf"
    try Data(Self.settings(directory).utf8).write(to: URL(fileURLWithPath: settings))
    let port = try Self.freePort()
    base = "http://127.0.0.1:\(port)"
    child = try ChildProcess(
      PictureServer.onClientCore([
        python, "-m", "thumbor.server", "--ip", "127.0.0.1", "--port", "\(port)", "--conf", settings,
        "--log-level", "critical",
      ]))
    for _ in 0..<1000 where !Self.answers(port) { usleep(10_000) }
    guard Self.answers(port) else {
      throw BenchmarkUnavailable("thumbor does not start; script/bootstrap --bench installs it")
    }
  }

  deinit {
    // If asked to end, it would wait for idle connections.
    kill(child.identifier, SIGKILL)
    _ = try? child.wait()
  }

  /// The processor time that it has used so far.
  func processorSeconds() throws -> Double {
    let line = try String(contentsOfFile: "/proc/\(child.identifier)/stat", encoding: .utf8)
    // The fields follow the name, which may contain anything within its parentheses.
    let fields = line[(line.lastIndex(of: ")") ?? line.startIndex)...].split(separator: " ")
    // Of the program and of the kernel, for the process and for its children that have ended.
    let ticks = fields.dropFirst(12).prefix(4).compactMap { Double($0) }
    guard ticks.count == 4 else { throw JobFailure(description: "the kernel does not say what thumbor spent") }
    return ticks.reduce(0, +) / Double(sysconf(CInt(_SC_CLK_TCK)))
  }

  /// Deletes its stored thumbnails.
  func forget() { try? FileManager.default.removeItem(atPath: "\(directory)/results") }

  /// The peak memory of the process while `body` runs.
  func peakBytes(during body: () async throws -> Void) async throws -> Int? {
    let memory = GroupMemory(group: child.identifier)
    let result: Result<Void, any Error>
    do { result = .success(try await body()) } catch { result = .failure(error) }
    let peak = await memory.stop()
    try result.get()
    return peak
  }

  /// The URL of the thumbnail of a picture on another server, in the same format and quality as Easel's.
  func url(of picture: String) -> String {
    "\(base)/unsafe/fit-in/320x320/filters:format(jpeg)/\(picture.dropFirst("http://".count))"
  }

  private static func settings(_ directory: String) -> String {
    """
    LOADER = 'thumbor.loaders.http_loader'
    HTTP_LOADER_CURL_ASYNC_HTTP_CLIENT = True
    STORAGE = 'thumbor.storages.no_storage'
    RESULT_STORAGE = 'thumbor.result_storages.file_storage'
    RESULT_STORAGE_FILE_STORAGE_ROOT_PATH = '\(directory)/results'
    RESULT_STORAGE_STORES_UNSAFE = True
    ALLOW_UNSAFE_URL = True
    QUALITY = 80
    PROGRESSIVE_JPEG = False

    """
  }

  private static func freePort() throws -> Int {
    let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    defer { close(socket) }
    var address = loopback(port: 0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(socket, $0, length) == 0 && getsockname(socket, $0, &length) == 0
      }
    }
    guard isBound else { throw SystemError(code: errno) }
    return Int(UInt16(bigEndian: address.sin_port))
  }

  private static func answers(_ port: Int) -> Bool {
    let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    defer { close(socket) }
    var address = loopback(port: port)
    return withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }

  private static func loopback(port: Int) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    return address
  }
}
