import EaselCore
import EaselService
import EaselTestSupport
import Glibc
import Testing

@testable import EaselListener

/// The bytes of an answer, without a listener.
struct OutgoingResponseTests {
  @Test func theHeadHasWhatTheConnectionNeeds() {
    let response = ServiceResponse(
      status: 200, headers: ["Content-Type": "image/png", "X-Odd": "a b"], body: [ImageBytes([1, 2]), ImageBytes([3])])
    let expected = """
      HTTP/1.1 200 OK\r
      Date: D\r
      Content-Type: image/png\r
      X-Odd: a b\r
      Content-Length: 3\r
      Connection: close\r
      \r\n
      """
    #expect(sent(response) == Array(expected.utf8) + [1, 2, 3])
  }

  @Test func preparedFieldsAreSentAsOthersAre() {
    let prepared = PreparedFields(["Content-Type": "image/png", "Keep-Alive": "7", "X-Odd": "a b"])
    for name in ["one", "two"] {
      let fields = [("X-Request-ID", name), ("Content-Length", "1")]
      let response = ServiceResponse(prepared, adding: fields, body: [ImageBytes([7])])
      let plain = ServiceResponse(status: 200, headers: response.headers, body: response.body)
      #expect(response.prepared != nil && plain.prepared == nil)
      #expect(sent(response) == sent(plain))
      let frame = ResponseFrame(isHeadOnly: true, isCurrentVersion: true, keepsAlive: true)
      #expect(sent(response, frame) == sent(plain, frame))
    }
    var changed = ServiceResponse(prepared, adding: [], body: [])
    changed.headers["X-Odd"] = "c"
    #expect(changed.prepared == nil && text(changed, ResponseFrame()).contains("X-Odd: c\r\n"))
  }

  @Test func unsoundPreparedFieldsAreNotSent() {
    let sound = PreparedFields(["X": "a"])
    for response in [
      ServiceResponse(PreparedFields(["X": "a\r\nb"]), adding: [("Y", "b")], body: []),
      ServiceResponse(sound, adding: [("Y", "a\nb")], body: []),
    ] {
      #expect(text(response, ResponseFrame()).hasPrefix("HTTP/1.1 500 "))
    }
    let last = PreparedFields(["Connection": "close"])
    let frame = ResponseFrame(isHeadOnly: false, isCurrentVersion: true, keepsAlive: true)
    #expect(text(ServiceResponse(last, adding: [], body: []), frame).contains("Connection: close\r\n"))
  }

  @Test func onlyTheListenerWritesAboutTheConnection() {
    let names = [
      "Connection", "Keep-Alive", "Proxy-Connection", "Transfer-Encoding", "Upgrade", "Trailer", "TE", "date",
      "CONTENT-LENGTH",
    ]
    let response = ServiceResponse(status: 200, headers: HTTPHeaders(names.map { ($0, "7") }), body: [ImageBytes([1])])
    let text = String(decoding: sent(response), as: UTF8.self)
    #expect(text == "HTTP/1.1 200 OK\r\nDate: D\r\nContent-Length: 1\r\nConnection: close\r\n\r\n\u{1}")
  }

  @Test(arguments: [
    ("X", "a\rb"), ("X", "a\nb"), ("X", "a\0b"), ("X", "a\r\n\r\nHTTP/1.1 200 OK"), ("X", "a\u{7F}"), ("X\r\nY", "a"),
    ("X Y", "a"), ("", "a"), ("X:", "a"), ("Ä", "a"),
  ])
  func unsoundFieldsAreNotSent(_ name: String, _ value: String) {
    let response = ServiceResponse(status: 200, headers: HTTPHeaders([(name, value)]), body: [ImageBytes([1])])
    let text = String(decoding: sent(response), as: UTF8.self)
    #expect(text.hasPrefix("HTTP/1.1 500 Internal Server Error\r\n"))
    #expect(text.components(of: "\r\n\r\n") == 2 && text.components(of: "HTTP/1.1") == 2)
  }

  @Test(arguments: [-1, 0, 99, 100, 101, 199, 600, 1000])
  func onlyStatusesOfAnswersAreSent(_ status: Int) {
    #expect(String(decoding: sent(ServiceResponse(status: status)), as: UTF8.self).hasPrefix("HTTP/1.1 500 "))
  }

  @Test func aStatusNeedsNoReason() {
    #expect(String(decoding: sent(ServiceResponse(status: 299)), as: UTF8.self).hasPrefix("HTTP/1.1 299 \r\n"))
  }

  @Test func theHandlerTellsTheLengthOfABodyThatIsNotSent() {
    var frame = ResponseFrame(isHeadOnly: true, isCurrentVersion: true, keepsAlive: true)
    let announced = ServiceResponse(status: 200, headers: ["Content-Length": "1234"])
    #expect(text(announced, frame).contains("Content-Length: 1234\r\n"))
    #expect(!text(ServiceResponse(status: 200), frame).contains("Content-Length"))
    let wrong = ServiceResponse(status: 200, headers: ["Content-Length": "12, 34"])
    #expect(!text(wrong, frame).contains("Content-Length"))
    let both = ServiceResponse(status: 200, headers: ["Content-Length": "9"], body: [ImageBytes([1, 2])])
    #expect(text(both, frame).hasSuffix("Content-Length: 2\r\n\r\n"))
    frame.isHeadOnly = false
    #expect(text(announced, frame).contains("Content-Length: 0\r\n"))
    let unchanged = ServiceResponse(status: 304, headers: ["Content-Length": "1234"], body: [ImageBytes([1])])
    #expect(text(unchanged, frame).hasSuffix("Content-Length: 1234\r\n\r\n"))
  }

  @Test func manySlicesArriveInOrder() {
    let slices = (0..<100).map { number in ImageBytes([UInt8](repeating: UInt8(number), count: number % 7)) }
    var body: [UInt8] = []
    for number in 0..<100 { body += [UInt8](repeating: UInt8(number), count: number % 7) }
    #expect(sent(ServiceResponse(status: 200, body: slices)).suffix(body.count) == body[...])
  }

  @Test func filesAndMemoryArriveInOrder() throws {
    let path = "/tmp/easel-answer-\(getpid())-\(UInt64.random(in: 0...(.max)))"
    defer { unlink(path) }
    let content = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 / 251) }
    try #require(write(content, path))
    let file = try ImageBytes(contentsOfFile: path)
    let response = ServiceResponse(status: 200, body: [ImageBytes([1, 2]), file, ImageBytes([3]), file])
    let body: [UInt8] = [1, 2] + content + [3] + content
    #expect(sent(response).suffix(600_003) == body[...])
  }

  @Test func aFileThatBecameShorterIsNoWholeAnswer() throws {
    let path = "/tmp/easel-answer-\(getpid())-\(UInt64.random(in: 0...(.max)))"
    defer { unlink(path) }
    try #require(write([UInt8](repeating: 1, count: 200_000), path))
    let file = try ImageBytes(contentsOfFile: path)
    truncate(path, 10)
    let pair = Pair()
    defer { pair.close() }
    var answer = OutgoingResponse(ServiceResponse(status: 200, body: [file]), ResponseFrame(), date: "D")
    #expect(pair.send(&answer) == .failed)
  }

  @Test func aTurnIsBounded() {
    let pair = Pair()
    defer { pair.close() }
    let response = ServiceResponse(
      status: 200, body: (0..<64).map { _ in ImageBytes([UInt8](repeating: 1, count: 100)) })
    var answer = OutgoingResponse(response, ResponseFrame(), date: "D")
    #expect(pair.send(&answer, most: 1000) == .paused)
    #expect(answer.sent > 0 && answer.sent < 64 * 100)
    #expect(pair.send(&answer) == .done)
  }

  @Test func aClientThatLeftIsNoticed() {
    var pair = Pair()
    pair.closeClient()
    defer { pair.close() }
    var answer = OutgoingResponse(ServiceResponse(status: 200), ResponseFrame(), date: "D")
    #expect(pair.send(&answer) == .failed)
  }

  /// The bytes that a client gets which reads whenever nothing more can be sent.
  private func sent(_ response: ServiceResponse, _ frame: ResponseFrame = ResponseFrame()) -> [UInt8] {
    let pair = Pair()
    defer { pair.close() }
    var answer = OutgoingResponse(response, frame, date: "D")
    var bytes: [UInt8] = []
    var progress = pair.send(&answer)
    while progress == .blocked || progress == .paused {
      bytes += pair.receive()
      progress = pair.send(&answer)
    }
    #expect(progress == .done)
    bytes += pair.receive()
    #expect(answer.sent == bytes.count)
    return bytes
  }

  private func text(_ response: ServiceResponse, _ frame: ResponseFrame) -> String {
    String(decoding: sent(response, frame), as: UTF8.self)
  }

  private func write(_ bytes: [UInt8], _ path: String) -> Bool {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    defer { Glibc.close(descriptor) }
    return Glibc.write(descriptor, bytes, bytes.count) == bytes.count
  }
}

extension String {
  /// The number of parts around a separator.
  fileprivate func components(of separator: String) -> Int {
    var (count, rest) = (1, self[...])
    while let range = rest.firstRange(of: separator) {
      count += 1
      rest = rest[range.upperBound...]
    }
    return count
  }
}

/// Two connected sockets with small buffers; nothing waits.
private struct Pair {
  private var descriptors: [Int32] = [-1, -1]
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 5000, alignment: 1)

  init() {
    socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_NONBLOCK.rawValue), 0, &descriptors)
    var size: CInt = 8192
    setsockopt(descriptors[0], SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<CInt>.size))
  }

  mutating func closeClient() {
    Glibc.close(descriptors[1])
    descriptors[1] = -1
  }

  func close() {
    for descriptor in descriptors where descriptor >= 0 { Glibc.close(descriptor) }
    buffer.deallocate()
  }

  func send(_ answer: inout OutgoingResponse, most: Int = .max) -> OutgoingResponse.Progress {
    answer.send(to: descriptors[0], through: buffer, most: most)
  }

  func receive() -> [UInt8] {
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 4096)
    while case let got = recv(descriptors[1], &part, part.count, 0), got > 0 { bytes += part[..<got] }
    return bytes
  }
}
