import CEaselCurl
import EaselCore
import EaselSupport
import EaselTestServers
import EaselTestSupport
import Foundation

/// A TLS server that sends the parts of each answer on request, each in its own record.
///
/// It is `openssl s_server`, which sends its standard input.
///
/// It does not implement HTTP/2, but can negotiate HTTP/2 if the parts are frames. It takes certain letters at the
/// beginning of a part for commands.
final class TalkingTLSServer: Sendable {
  private struct State {
    var requests = 0
    var allowed = 0
    var said = 0
    var isOver = false
  }

  let port: Int
  private let state = Watched(State())
  private let process: Process
  private let input: Pipe

  /// `answer` gives the parts of the answer to each request, by its number; with HTTP/2, to each connection.
  init(
    _ certificates: ServerCertificates, overHTTP2: Bool = false, answer: @escaping @Sendable (Int) -> [String]
  ) throws {
    let (process, input, output) = (Process(), Pipe(), Pipe())
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "openssl", "s_server", "-accept", "127.0.0.1:0", "-cert", certificates.authorityPath, "-key",
      certificates.keyPath, "-naccept", "10",
    ]
    if overHTTP2 { process.arguments? += ["-alpn", "h2"] }
    process.standardInput = input
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let reader = output.fileHandleForReading
    var greeting = ""
    while !greeting.contains("\n") || Self.port(in: greeting) == nil {
      let more = reader.availableData
      guard !more.isEmpty else { throw ImageError(.network, "openssl does not listen: \(greeting)") }
      greeting += String(decoding: more, as: UTF8.self)
    }
    port = Self.port(in: greeting)!
    (self.process, self.input) = (process, input)
    let (state, writer) = (state, input.fileHandleForWriting)
    let beginning = overHTTP2 ? "PRI * HTTP/2.0" : "GET /"
    PlainThread.start {
      guard easel_thread_survives_broken_connections() else { return }
      while true {
        let more = reader.availableData
        guard !more.isEmpty else { break }
        guard String(decoding: more, as: UTF8.self).contains(beginning) else { continue }
        let number = state.withLock { state in
          state.requests += 1
          return state.requests - 1
        }
        for part in answer(number) {
          state.block { $0.said < $0.allowed || $0.isOver }
          guard (try? writer.write(contentsOf: Data(part.utf8))) != nil else { break }
          state.withLock { $0.said += 1 }
        }
      }
      state.withLock { $0.isOver = true }
    }
  }

  private static func port(in greeting: String) -> Int? {
    greeting.split(whereSeparator: \.isNewline).lazy.filter { $0.hasPrefix("ACCEPT ") }
      .compactMap { $0.split(separator: ":").last.flatMap { Int($0) } }.first
  }

  func url(_ path: String) -> URL { URL(string: "https://127.0.0.1:\(port)\(path)")! }

  /// Lets the server send the next part.
  func sayNext() { state.withLock { $0.allowed += 1 } }

  /// Lets the server send all parts from now on.
  func saysAllAtOnce() { state.withLock { $0.allowed = .max } }

  /// Waits until this many parts were sent.
  func waitUntilSaid(_ count: Int) async { await state.wait { $0.said >= count } }

  func close() {
    state.withLock { $0.isOver = true }
    // The process may have inherited ignored signals, so only SIGKILL is certain.
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
  }
}
