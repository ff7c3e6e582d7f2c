import Dispatch
import Easel
import EaselService
import Foundation
import Glibc

/// A server with a thread for each connection and one request on each of them: just enough to mount the service in.
///
/// A server for the world needs limits of time, of connections and of bytes, as `easel serve` has.
final class SmallServer: Sendable {
  typealias Handler = @Sendable (ServiceRequest) async -> ServiceResponse

  private let listener: CInt
  private let port: UInt16

  /// Listens on a free port of the loopback interface.
  init(_ handler: @escaping Handler) throws {
    let listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    var name = Self.loopback(port: 0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = Self.withPointer(to: &name) { name in
      bind(listener, name, length) == 0 && listen(listener, 16) == 0 && getsockname(listener, name, &length) == 0
    }
    guard isListening else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    self.listener = listener
    port = UInt16(bigEndian: name.sin_port)
    Thread.detachNewThread {
      while true {
        let connection = accept(listener, nil, nil)
        guard connection >= 0 else { return }
        Thread.detachNewThread {
          Self.serve(connection, handler)
          Glibc.close(connection)
        }
      }
    }
  }

  func close() {
    shutdown(listener, CInt(SHUT_RDWR))
    Glibc.close(listener)
  }

  private static func serve(_ connection: CInt, _ handler: @escaping Handler) {
    guard let request = request(from: read(connection) { $0.contains("\r\n\r\n") }) else { return }
    let done = DispatchSemaphore(value: 0)
    Task {
      let answer = await handler(request)
      try? send(answer, over: connection)
      done.signal()
    }
    done.wait()
  }

  private static func request(from head: Data) -> ServiceRequest? {
    let lines = String(decoding: head, as: UTF8.self).components(separatedBy: "\r\n")
    let words = lines[0].split(separator: " ")
    guard words.count == 3 else { return nil }
    return ServiceRequest(method: String(words[0]), target: String(words[1]), headers: fields(lines.dropFirst()))
  }

  private static func fields(_ lines: ArraySlice<String>) -> HTTPHeaders {
    var headers = HTTPHeaders()
    for line in lines {
      let parts = line.split(separator: ":", maxSplits: 1)
      if parts.count == 2 { headers.add(String(parts[0]), parts[1].trimmingCharacters(in: .whitespaces)) }
    }
    return headers
  }

  /// Sends the head, and then each slice of the body in parts, so that a large picture in a file is never in memory.
  private static func send(_ answer: ServiceResponse, over connection: CInt) throws {
    var head = "HTTP/1.1 \(answer.status) -\r\nConnection: close\r\n"
    for field in answer.headers.fields { head += "\(field.name): \(field.value)\r\n" }
    try send(Array("\(head)\r\n".utf8), over: connection)
    let most = 65_536
    for slice in answer.body {
      for start in stride(from: 0, to: slice.count, by: most) {
        try send(slice.part(at: start, count: min(most, slice.count - start)), over: connection)
      }
    }
  }

  private static func send(_ bytes: [UInt8], over connection: CInt) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let sent = rest.withUnsafeBytes { Glibc.send(connection, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
      guard sent > 0 else { throw POSIXError(.ECONNRESET) }
      rest = rest.dropFirst(sent)
    }
  }

  // MARK: The client of the example

  /// Asks the server for a path.
  func get(_ path: String, _ headers: HTTPHeaders = [:], method: String = "GET") throws -> ServiceResponse {
    let connection = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    defer { Glibc.close(connection) }
    var name = Self.loopback(port: port)
    let length = socklen_t(MemoryLayout<sockaddr_in>.size)
    guard Self.withPointer(to: &name, { connect(connection, $0, length) == 0 }) else { throw POSIXError(.ECONNREFUSED) }
    let lines = headers.fields.map { "\($0.name): \($0.value)" }
    let request = (["\(method) \(path) HTTP/1.1", "Host: localhost"] + lines + ["", ""]).joined(separator: "\r\n")
    try Self.send(Array(request.utf8), over: connection)
    let answer = Self.read(connection) { _ in false }
    guard let end = answer.firstRange(of: Data("\r\n\r\n".utf8)) else { throw POSIXError(.EIO) }
    let head = String(decoding: answer[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
    let body = answer[end.upperBound...]
    return ServiceResponse(
      status: Int(head[0].split(separator: " ")[1]) ?? 0, headers: Self.fields(head.dropFirst()),
      body: body.isEmpty ? [] : [ImageBytes(Data(body))])
  }

  // MARK: Sockets

  /// Reads until the other side ends, until the text is enough, or until a megabyte has come.
  private static func read(_ connection: CInt, until isEnough: (String) -> Bool) -> Data {
    var bytes = Data()
    var room = [UInt8](repeating: 0, count: 65_536)
    while bytes.count < 1 << 20 {
      let count = recv(connection, &room, room.count, 0)
      guard count > 0 else { break }
      bytes += room[..<count]
      if isEnough(String(decoding: bytes, as: UTF8.self)) { break }
    }
    return bytes
  }

  private static func loopback(port: UInt16) -> sockaddr_in {
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    name.sin_port = port.bigEndian
    return name
  }

  private static func withPointer<Result>(
    to name: inout sockaddr_in, _ body: (UnsafeMutablePointer<sockaddr>) -> Result
  ) -> Result {
    withUnsafeMutablePointer(to: &name) { $0.withMemoryRebound(to: sockaddr.self, capacity: 1, body) }
  }
}
