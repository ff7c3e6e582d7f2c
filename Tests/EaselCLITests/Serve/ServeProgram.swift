import EaselCore
import EaselSupport
import EaselTestSupport
import Foundation

/// The program `easel serve` in a process of its own, which ends with the process of the tests at the latest.
final class ServeProgram: Sendable {
  /// The end of a process.
  struct End: Hashable, Sendable {
    /// The exit status; nil if a signal ended the process.
    var status: Int32?
    var signal: Int32?
  }

  private struct State {
    var output: [UInt8] = []
    var complaints: [UInt8] = []
    /// The streams that the process has not yet closed.
    var openStreams = 2
    var exit: End?

    /// Known when all that the process wrote is known too.
    var end: End? { openStreams == 0 ? exit : nil }
  }

  // Kills the server when the pipe ends, which this process alone holds open.
  private static let guardian = "read -r line; kill -KILL \"$0\""

  private let identifier: pid_t
  private let lifeline: CInt
  private let state = Watched(State())

  /// Starts the program and suspends until it listens; `limit` is one that `ulimit` sets, such as `-n 64`.
  static func listening(
    _ options: [String], addresses: [String] = ["127.0.0.1:0"], environment: [String: String] = [:],
    limit: String? = nil
  ) async throws -> ServeProgram {
    let program = try ServeProgram(["serve"] + addresses.flatMap { ["--listen", $0] } + options, environment, limit)
    await program.state.wait { state in
      let lines = String(decoding: state.output, as: UTF8.self).split(separator: "\n")
      return state.end != nil || lines.filter { $0.hasPrefix("listening on") }.count == addresses.count
    }
    guard program.end == nil else { throw ServeFailure("The server ended: \(program.complaints)") }
    return program
  }

  /// Starts any command of the program.
  init(_ words: [String], _ environment: [String: String] = [:], _ limit: String? = nil) throws {
    let (outputEnd, output) = try Self.pipe()
    let (complaintsEnd, complaints) = try Self.pipe()
    let (guardEnd, lifeline) = try Self.pipe()
    let shell = limit.map { ["/bin/sh", "-c", "ulimit \($0); exec \"$0\" \"$@\""] } ?? []
    identifier = try Self.spawn(shell + [EaselProcess.path] + words, [nil, output, complaints], environment)
    let guardian = try Self.spawn(["/bin/sh", "-c", Self.guardian, "\(identifier)"], [guardEnd, nil, nil], [:])
    for end in [output, complaints, guardEnd] { close(end) }
    self.lifeline = lifeline
    Self.follow(outputEnd, state) { $0.output += $1 }
    Self.follow(complaintsEnd, state) { $0.complaints += $1 }
    PlainThread.start { [state, identifier] in
      var status: Int32 = 0
      while waitpid(identifier, &status, 0) < 0 && errno == EINTR {}
      let signal = status & 0x7F
      state.withLock {
        $0.exit = End(status: signal == 0 ? status >> 8 & 0xFF : nil, signal: signal == 0 ? nil : signal)
      }
      var ignored: Int32 = 0
      while waitpid(guardian, &ignored, 0) < 0 && errno == EINTR {}
    }
  }

  /// Kills the program if it still runs, and suspends until it has ended.
  func stop() async {
    send(SIGKILL)
    _ = await waitForEnd()
    // The guardian has nobody left to kill, because its signal comes before its process is waited for.
    close(lifeline)
  }

  // MARK: The process

  var end: End? { state.withLock { $0.end } }

  /// Sends a signal; nothing happens if the process has ended.
  func send(_ signal: Int32) {
    state.withLock { if $0.exit == nil { kill(identifier, signal) } }
  }

  /// Suspends until the process has ended.
  func waitForEnd() async -> End {
    await state.wait { $0.end != nil }
    return end ?? End()
  }

  /// Standard error so far.
  var complaints: String { state.withLock { String(decoding: $0.complaints, as: UTF8.self) } }

  /// Standard output so far.
  var results: String { state.withLock { String(decoding: $0.output, as: UTF8.self) } }

  /// Suspends until standard error has this text, or the process has ended.
  func waitForComplaint(_ text: String, count: Int = 1) async {
    await state.wait { state in
      state.end != nil || String(decoding: state.complaints, as: UTF8.self).components(separatedBy: text).count > count
    }
  }

  /// Suspends until standard output has this text, or the process has ended; returns true if it has it.
  func waitForResult(_ text: String) async -> Bool {
    await state.wait { $0.end != nil || String(decoding: $0.output, as: UTF8.self).contains(text) }
    return state.withLock { String(decoding: $0.output, as: UTF8.self).contains(text) }
  }

  // MARK: Requests

  private var lines: [String] {
    state.withLock { String(decoding: $0.output, as: UTF8.self).split(separator: "\n").map(String.init) }
  }

  /// Suspends until the program has printed the address of its metrics, or has ended.
  func metricsAddress() async -> String? {
    let start = "metrics on "
    await state.wait { state in
      state.end != nil
        || String(decoding: state.output, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
          .dropLast()
          .contains { $0.hasPrefix(start) }
    }
    return lines.first { $0.hasPrefix(start) }.map { String($0.dropFirst(start.count)) }
  }

  /// The places where it listens, as it prints them.
  var addresses: [String] {
    lines.filter { $0.hasPrefix("listening on ") }.map { String($0.dropFirst("listening on ".count)) }
  }

  /// The port of the first address.
  var port: Int { addresses.first.flatMap { Int($0.split(separator: ":").last ?? "") } ?? 0 }

  /// Asks for a path over a connection of its own.
  func get(_ path: String, _ headers: [String] = [], method: String = "GET") async throws -> RawClient.Answer {
    try await RawClient.get(path, from: port, method: method, headers: headers)
  }

  /// Asks until the answer has this status, or a thousand times.
  func answer(to path: String, becomes status: Int) async throws -> Bool {
    for _ in 0..<1000 where try await get(path).status == status { return true }
    return false
  }

  // MARK: The system

  /// Two ends of a connection that no other process can inherit, even if another test starts one just now.
  private static func pipe() throws -> (reading: CInt, writing: CInt) {
    var ends: [CInt] = [0, 0]
    guard socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
      throw SystemError(code: errno)
    }
    return (ends[0], ends[1])
  }

  /// Starts a process with these descriptors as 0, 1 and 2; nil stands for an empty file.
  private static func spawn(
    _ words: [String], _ descriptors: [CInt?], _ environment: [String: String]
  ) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (number, descriptor) in descriptors.enumerated() {
      if let descriptor {
        posix_spawn_file_actions_adddup2(&actions, descriptor, CInt(number))
      } else {
        posix_spawn_file_actions_addopen(&actions, CInt(number), "/dev/null", O_RDWR, 0)
      }
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // A thread of the tests may block signals, which a new process would inherit.
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    let arguments = words.map { strdup($0) } + [nil]
    let inherited = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("EASEL_") }
    let variables = inherited.merging(environment) { $1 }.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in arguments + variables { free(text) } }
    var process: pid_t = 0
    let code = posix_spawn(&process, words[0], &actions, &attributes, arguments, variables)
    guard code == 0 else { throw SystemError(code: code) }
    return process
  }

  private static func follow(
    _ descriptor: CInt, _ state: Watched<State>, _ add: @escaping @Sendable (inout State, ArraySlice<UInt8>) -> Void
  ) {
    PlainThread.start {
      var room = [UInt8](repeating: 0, count: 4096)
      while true {
        let count = read(descriptor, &room, room.count)
        if count < 0 && errno == EINTR { continue }
        guard count > 0 else { break }
        let part = room[..<count]
        state.withLock { add(&$0, part) }
      }
      close(descriptor)
      state.withLock { $0.openStreams -= 1 }
    }
  }
}

extension ServeProgram {
  /// Calls `body` with a running server, and kills the server if it is still there afterwards.
  static func running(
    _ options: [String], addresses: [String] = ["127.0.0.1:0"], in scratch: AsyncScratch, limit: String? = nil,
    _ body: (ServeProgram) async throws -> Void
  ) async throws {
    // A machine that is busy with other tests keeps a request waiting for longer than the default.
    var options = options + ["--request-timeout", "3600"]
    if !options.contains("--decode-time") { options += ["--decode-time", "1800"] }
    let program = try await listening(options, addresses: addresses.map { scratch.filled($0) }, limit: limit)
    do {
      try await body(program)
    } catch {
      await program.stop()
      throw error
    }
    await program.stop()
  }
}

/// The reason why a server could not be started.
struct ServeFailure: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// Pictures that a server shows to everybody.
extension ServeProgram {
  /// Makes pictures in a folder; returns the options to serve them.
  static func withPictures(in scratch: AsyncScratch) throws -> [String] {
    for number in 1...3 {
      try Pictures.png(160, 120, blue: UInt8(number * 60)).write(to: scratch.url("\(number).png"))
    }
    return ["--unsafe", "--local", scratch.path, "--drain-delay", "0"]
  }

  static func url(_ options: String, _ file: String) -> String { "/unsafe/\(options)/plain/local:///\(file)" }
}
