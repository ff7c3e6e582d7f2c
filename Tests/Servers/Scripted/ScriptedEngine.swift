import EaselCore
import EaselSupport
import Glibc

/// A server on loopback that answers commands as a test says, which real ones never do.
package final class ScriptedEngine: Sendable {
  /// The way in which commands are written.
  package enum Language: Sendable {
    /// An array of strings, as Redis has it.
    case arrays
    /// A line of words, as memcached has it.
    case lines
  }

  /// The answer to a command.
  package enum Answer: Sendable {
    case bytes([UInt8])
    /// The bytes, and then the end of the connection.
    case last([UInt8])
    case silence

    package static func text(_ text: String) -> Answer { .bytes(Array(text.utf8)) }
  }

  /// The port on loopback.
  package let port: Int

  private let listener: CInt
  private let connections = Locked<(open: [CInt], count: Int)>(([], 0))
  private let received = Locked<[[String]]>([])

  /// `answer` is called with each command, in order, and the number of its connection.
  package init(
    _ language: Language = .arrays, _ answer: @escaping @Sendable ([String], Int) -> Answer
  ) throws {
    let socket = try LoopbackSocket.listen()
    (listener, port) = (socket.descriptor, socket.port)
    let (listener, connections, received) = (listener, connections, received)
    PlainThread.start {
      var count = 0
      while true {
        let descriptor = accept(listener, nil, nil)
        guard descriptor >= 0 else {
          close(listener)
          return
        }
        count += 1
        connections.withLock {
          $0.open.append(descriptor)
          $0.count += 1
        }
        let number = count
        PlainThread.start {
          Self.serve(descriptor, number, language, received, answer)
          connections.withLock { connections in
            connections.open.removeAll { $0 == descriptor }
            close(descriptor)
          }
        }
      }
    }
  }

  deinit {
    // Their threads close them, so that none uses the descriptor of somebody else.
    shutdown(listener, CInt(SHUT_RDWR))
    connections.withLock { for descriptor in $0.open { shutdown(descriptor, CInt(SHUT_RDWR)) } }
  }

  /// The commands so far.
  package var commands: [[String]] { received.withLock { $0 } }

  /// The number of connections so far.
  package var connectionCount: Int { connections.withLock { $0.count } }

  private static func serve(
    _ descriptor: CInt, _ number: Int, _ language: Language, _ received: Locked<[[String]]>,
    _ answer: ([String], Int) -> Answer
  ) {
    var pending: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      guard count > 0 else { return }
      pending += buffer[..<count]
      while let (words, length) = language.command(in: pending) {
        pending.removeFirst(length)
        received.withLock { $0.append(words) }
        switch answer(words, number) {
        case .bytes(let bytes): send(descriptor, bytes)
        case .last(let bytes):
          send(descriptor, bytes)
          shutdown(descriptor, CInt(SHUT_RDWR))
          return
        case .silence: break
        }
      }
    }
  }

  private static func send(_ descriptor: CInt, _ bytes: [UInt8]) {
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
      }
      guard count > 0 else { return }
      sent += count
    }
  }
}

extension ScriptedEngine.Language {
  /// The first whole command.
  fileprivate func command(in bytes: [UInt8]) -> (words: [String], length: Int)? {
    var offset = 0
    func line() -> Substring? {
      guard let end = bytes[offset...].firstIndex(of: 13), end + 1 < bytes.count else { return nil }
      defer { offset = end + 2 }
      return Substring(decoding: bytes[offset..<end], as: UTF8.self)
    }
    guard let head = line() else { return nil }
    if self == .lines { return (head.split(separator: " ").map(String.init), offset) }
    guard head.first == "*", let count = Int(head.dropFirst()) else { return nil }
    var words: [String] = []
    for _ in 0..<count {
      guard let size = line(), let length = Int(size.dropFirst()), offset + length + 2 <= bytes.count else {
        return nil
      }
      words.append(String(decoding: bytes[offset..<offset + length], as: UTF8.self))
      offset += length + 2
    }
    return (words, offset)
  }
}
