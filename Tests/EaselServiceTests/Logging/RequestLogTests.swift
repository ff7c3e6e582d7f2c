import EaselCore
import EaselTestSupport
import Foundation
import Testing

@testable import EaselService

struct RequestLogTests {
  private func entry(_ change: (inout RequestLogEntry) -> Void = { _ in }) -> RequestLogEntry {
    var entry = RequestLogEntry(
      date: Date(timeIntervalSince1970: 1_795_000_000.0426), id: "r-1", remoteAddress: "192.0.2.7", method: "GET",
      target:
        "/SIGNATURE0123456789/rs:fill:300:200/q:80/plain/https://user:pass@img.example.com:8443/a/b.jpg%3Ftoken=T",
      status: 200, byteCount: 4321, duration: .microseconds(12_345), cache: .memory,
      source: "https://user:pass@img.example.com:8443/a/b.jpg?token=T")
    change(&entry)
    return entry
  }

  private func line(
    _ form: RequestLog.Form = .text, showsPaths: Bool = false, _ change: (inout RequestLogEntry) -> Void = { _ in }
  ) -> String {
    LogLine.text(LogLine.fields(of: entry(change), showsPaths: showsPaths), form)
  }

  private func object(_ line: String) throws -> [String: Any] {
    try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
  }

  @Test func aLineOfText() {
    #expect(
      line()
        == "time=2026-11-18T11:06:40.042Z id=r-1 remote=192.0.2.7 method=GET route=picture status=200 bytes=4321 "
        + "ms=12.345 cache=memory source=img.example.com:8443")
  }

  @Test func aLineOfJSON() throws {
    let object = try object(line(.json) { $0.error = .badImageData })
    #expect(object["time"] as? String == "2026-11-18T11:06:40.042Z" && object["id"] as? String == "r-1")
    #expect(object["status"] as? Int == 200 && object["bytes"] as? Int == 4321 && object["ms"] as? Double == 12.345)
    #expect(object["remote"] as? String == "192.0.2.7" && object["cache"] as? String == "memory")
    #expect(object["source"] as? String == "img.example.com:8443" && object["error"] as? String == "badImageData")
    #expect(object["path"] == nil && object["url"] == nil)
  }

  @Test func unknownFactsAreADash() {
    let line = line {
      $0.remoteAddress = nil
      $0.cache = nil
      $0.source = nil
    }
    #expect(line.contains(" remote=- ") && line.contains(" cache=- ") && line.hasSuffix(" source=-"))
  }

  @Test(arguments: [false, true], RequestLog.Form.allCases)
  func secretsAreNeverLogged(_ showsPaths: Bool, _ form: RequestLog.Form) {
    let line = line(form, showsPaths: showsPaths)
    for secret in ["SIGNATURE", "user", "pass", "token", "T&", "%3F", "?"] {
      #expect(!line.contains(secret), "\(secret) in \(line)")
    }
  }

  @Test func pathsAreShownOnRequest() {
    let line = line(showsPaths: true)
    #expect(line.contains(" path=/*/rs:fill:300:200/q:80/* url=https://img.example.com:8443/a/b.jpg"))
  }

  /// No request can forge a line, end one early, or control a terminal.
  @Test(
    arguments: RequestLog.Form.allCases,
    [
      "a\nstatus=200", "a\r\nb", "a\u{0}b", "\u{1B}[2J", "a\u{2028}b", "a\u{2029}b", "a\u{85}b", "a\u{202E}b", "\u{7F}",
      "\" status=\"200", "a\\", "a b=c", "a\u{A0}b", "\u{E000}", "\u{FEFF}", "\t", "{\"a\":1}", "", "\u{1F600}",
      "\u{FFFD}",
    ])
  func hostileFieldsStayInTheirPlace(_ form: RequestLog.Form, _ text: String) throws {
    let line = line(form, showsPaths: true) {
      $0.id = text
      $0.remoteAddress = text
      $0.method = text
      $0.target = "/\(text)/w:1\(text)/\(text)"
      $0.source = "https://\(text)/\(text)"
    }
    #expect(line.unicodeScalars.allSatisfy { $0.value >= 32 && !(127...159).contains($0.value) })
    #expect(!line.contains("\u{2028}") && !line.contains("\u{2029}") && !line.contains("\u{202E}"))
    if form == .json {
      let object = try object(line)
      #expect(object["id"] as? String == text)
      #expect(object["status"] as? Int == 200)
    } else {
      let fields = try TextLine.read(line)
      #expect(fields["id"] == text && fields["status"] == "200" && fields["remote"] == text)
    }
  }

  @Test func longFieldsAreCut() {
    let line = line(showsPaths: true) {
      $0.id = String(repeating: "i", count: 100_000)
      $0.method = String(repeating: "M", count: 100_000)
      $0.remoteAddress = String(repeating: "r", count: 100_000)
      $0.target = "/s" + String(repeating: "/w:1", count: 50_000)
      $0.source = "https://" + String(repeating: "h", count: 50_000) + "/" + String(repeating: "p", count: 50_000)
    }
    #expect(line.utf8.count < 4000 && line.contains("iii... "))
  }

  @Test(arguments: [
    (-1e12, "1970-01-01T00:00:00.000Z"), (0, "1970-01-01T00:00:00.000Z"), (951_782_400.5, "2000-02-29T00:00:00.500Z"),
    (1e300, "9999-12-31T23:59:59.000Z"), (1_709_164_799.999, "2024-02-28T23:59:59.999Z"),
  ])
  func times(_ seconds: Double, _ text: String) {
    #expect(line { $0.date = Date(timeIntervalSince1970: seconds) }.hasPrefix("time=\(text) "))
  }

  @Test func strangeDurationsAreWritten() {
    #expect(line { $0.duration = .seconds(-4) }.contains(" ms=0.000 "))
    #expect(line { $0.duration = .microseconds(5) }.contains(" ms=0.005 "))
    #expect(line { $0.duration = .seconds(Int64.max) }.contains(" ms=1000000000000.000 "))
  }

  @Test func aLogWritesItsLinesAndSaysThatItLostSome() async throws {
    let written = Watched("")
    let gate = Gate(isOpen: false)
    let log = RequestLog(.json, capacity: 2) { text in
      gate.pass()
      written.withLock { $0 += text }
    }
    log.write(entry())
    while gate.waitingCount == 0 { await Task.yield() }
    for _ in 0..<5 { log.write(entry()) }
    gate.open()
    await written.wait { $0.contains("dropped") }
    #expect(log.close(withinMilliseconds: 60_000) && log.droppedCount == 3)
    let lines = written.withLock { $0 }.split(separator: "\n").map(String.init)
    #expect(lines.count == 4)
    #expect(try object(lines[3])["dropped"] as? Int == 3)
    for line in lines { _ = try object(line) }
  }

  /// Reads `name=value` pairs, with values in quotes as in JSON.
  private enum TextLine {
    struct Wrong: Error {}

    static func read(_ line: String) throws -> [String: String] {
      var fields: [String: String] = [:]
      var rest = line.unicodeScalars[...]
      while !rest.isEmpty {
        guard let equals = rest.firstIndex(of: "=") else { throw Wrong() }
        let name = String(rest[..<equals])
        rest = rest[rest.index(after: equals)...]
        var end = rest.firstIndex(of: " ") ?? rest.endIndex
        if rest.first == "\"" {
          var index = rest.index(after: rest.startIndex)
          while index < rest.endIndex, rest[index] != "\"" {
            index = rest.index(index, offsetBy: rest[index] == "\\" ? 2 : 1)
          }
          guard index < rest.endIndex else { throw Wrong() }
          end = rest.index(after: index)
        }
        let value = String(rest[..<end])
        guard fields[name] == nil else { throw Wrong() }
        fields[name] = value.hasPrefix("\"") ? try JSONDecoder().decode(String.self, from: Data(value.utf8)) : value
        rest = rest[end...]
        if let blank = rest.popFirst(), blank != " " { throw Wrong() }
      }
      return fields
    }
  }
}
