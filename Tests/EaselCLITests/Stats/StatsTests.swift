import EaselTestSupport
import EaselTestTags
import Foundation
import Testing

@testable import EaselCLI

@Suite(.tags(.alone))
struct StatsTests {
  private static func metrics(
    requests: Int = 0, hits: Int = 0, misses: Int = 0,
    buckets: [(String, Int)] = [("0.01", 0), ("0.1", 0), ("+Inf", 0)],
    start: Int = 1000
  ) -> String {
    """
    # HELP easel_requests_total Requests that were answered.
    # TYPE easel_requests_total counter
    easel_requests_total{status="200",route="picture"} \(requests)
    easel_requests_total{status="503",route="other"} 2
    easel_cache_total{layer="memory",result="hit"} \(hits)
    easel_cache_total{layer="memory",result="miss"} \(misses)
    \(buckets.map { "easel_request_seconds_bucket{stage=\"total\",le=\"\($0.0)\"} \($0.1)" }.joined(separator: "\n"))
    easel_in_flight{stage="total"} 3
    easel_in_flight{stage="queue"} 1
    easel_build_info{version="1.2.3"} 1
    process_resident_memory_bytes 5e+06
    process_cpu_seconds_total \(requests / 100)
    process_start_time_seconds \(start)

    """
  }

  @Test func aReading() throws {
    let reading = try #require(MetricsReading(Self.metrics(requests: 5)))
    #expect(reading.isOfEasel && reading.sum("easel_requests_total") == 7)
    #expect(reading.sum("easel_requests_total", ["status": "503"]) == 2)
    #expect(reading.sums("easel_requests_total", by: "status") == ["200": 5, "503": 2])
    #expect(reading.label("version", of: "easel_build_info") == "1.2.3")
    let odd = try #require(MetricsReading("a{x=\"q\\\"\\\\\\n,}\",y=\"\"} +Inf\nb NaN 123\n# EOF\n"))
    #expect(odd.label("x", of: "a") == "q\"\\\n,}" && odd.value("a") == .infinity && odd.value("b")?.isNaN == true)
    #expect(!odd.isOfEasel)
  }

  @Test(arguments: [
    "", "<html>", "a{x=\"1} 2", "a{x} 1", "a", "a b", "1 2", "{\"a\":1}", "# only a comment\n", "a{x=\"1\"",
  ])
  func somethingElseIsNoReading(_ text: String) { #expect(MetricsReading(text) == nil) }

  @Test func quantiles() {
    let buckets: [(end: Double, count: Double)] = [(0.01, 50), (0.1, 90), (1, 100), (.infinity, 100)]
    #expect(ServerFigures.quantile(0.5, buckets) == 0.01)
    #expect(abs(ServerFigures.quantile(0.25, buckets)! - 0.005) < 1e-12)
    #expect(abs(ServerFigures.quantile(0.99, buckets)! - 0.91) < 1e-12)
    #expect(ServerFigures.quantile(0.99, [(0.01, 0), (.infinity, 10)]) == 0.01)
    #expect(ServerFigures.quantile(0.5, [(0.01, 0), (.infinity, 0)]) == nil && ServerFigures.quantile(0.5, []) == nil)
  }

  @Test func figuresBetweenTwoReadings() throws {
    let first = try #require(MetricsReading(Self.metrics(requests: 100, hits: 10, misses: 10)))
    let buckets = [("0.01", 300), ("0.1", 400), ("+Inf", 400)]
    let second = try #require(MetricsReading(Self.metrics(requests: 500, hits: 100, misses: 20, buckets: buckets)))
    let figures = ServerFigures(second, since: first, seconds: 4)
    #expect(figures.rate("easel_requests_total") == 100 && figures.hitShare("memory") == 0.9)
    #expect(figures.hitShare("disk") == nil && figures.processorShare == 1)
    #expect(figures.times("total").count == 400)
    let lines = StatsView(address: "here", figures: figures, history: [0, 50, 100], date: 1060).lines(
      columns: 80, rows: 30)
    #expect(lines[0] == "easel serve at here, version 1.2.3, up 1 min")
    #expect(lines.contains("requests    100.0/s, 502 in all, 3 in flight, 1 waiting"))
    #expect(lines.contains("            ▁▄█") && lines.contains("answers     200: 500  503: 2"))
    #expect(lines.contains("hits        memory 90.0 %  disk -  shared -"))
    #expect(lines.contains("  total     6.7 ms    96.4 ms   400"))
    #expect(lines.contains("memory      5 MB, 100 % of a processor"))
  }

  @Test(arguments: ["+Inf", "-Inf", "NaN", "1e300", "-5"]) func numbersThatAreNoCounts(_ number: String) throws {
    let text = Self.metrics(requests: 1).split(separator: "\n").filter { !$0.hasPrefix("#") }.map {
      "\($0.prefix { $0 != " " }) \(number)"
    }.joined(separator: "\n")
    let reading = try #require(MetricsReading(text))
    let earlier = try #require(MetricsReading(Self.metrics()))
    let figures = ServerFigures(reading, since: earlier, seconds: 1)
    for figures in [figures, ServerFigures(reading)] {
      let view = StatsView(address: "here", figures: figures, history: [.infinity, .nan, 1], date: 5)
      #expect(view.lines(columns: 80, rows: 30).count > 10)
      #expect(try JSONSerialization.jsonObject(with: Data(figures.json.text.utf8)) is [String: Any])
    }
  }

  @Test func aServerThatBeganAnewCountsFromZero() throws {
    let first = try #require(MetricsReading(Self.metrics(requests: 100)))
    let second = try #require(MetricsReading(Self.metrics(requests: 3, start: 2000)))
    let figures = ServerFigures(second, since: first, seconds: 1)
    #expect(figures.rate("easel_requests_total") == nil && figures.growth("easel_requests_total") == 5)
  }

  @Test(arguments: [1, 10, 40], [1, 5, 50]) func theViewFits(_ columns: Int, _ rows: Int) throws {
    let figures = ServerFigures(try #require(MetricsReading(Self.metrics(requests: 100))))
    let lines = StatsView(address: "http://host", figures: figures, secondsLost: 3).lines(columns: columns, rows: rows)
    #expect(lines.count <= rows && lines.allSatisfy { TextWidth.cells(of: $0) <= columns })
  }

  @Test(arguments: [
    ("127.0.0.1:9", "http://127.0.0.1:9/metrics"), ("http://a:1/", "http://a:1/metrics"),
    ("https://a/x", "https://a/x"),
    ("ftp://a", nil), ("http://", nil), ("http:///x", nil), ("", nil),
  ])
  func addresses(_ text: String, _ address: String?) { #expect(MetricsSource(text)?.address == address) }

  @Test func ofARunningServer() async throws {
    try await withServer { address in
      let plain = try EaselProcess.run(["stats", address])
      #expect(plain.status == 0 && plain.text.contains("requests    0 in all, 0 in flight, 0 waiting"), "\(plain.text)")
      let said = try EaselProcess.run(["stats", "--once", "--json", address]).object()
      #expect(said["requests"] as? Int == 0 && said["requestsPerSecond"] is NSNull)
      #expect((said["times"] as? [String: Any])?.count == ServerFigures.stages.count)
    }
  }

  @Test func serversThatAreNotThere() throws {
    let port = try RefusingPort()
    let gone = try EaselProcess.run(["stats", "--once", "127.0.0.1:\(port.port)"])
    #expect(gone.status == 1 && gone.errors.contains("The server cannot be reached. It must run with --metrics"))
    let other = try ScriptableServer(routes: ["/metrics": .always(.reply(body: Array("hello\n".utf8)))])
    defer { other.close() }
    for address in [other.origin, other.origin + "/none"] {
      let outcome = try EaselProcess.run(["stats", "--once", address])
      #expect(
        outcome.status == 1 && outcome.errors.contains("not with the metrics of easel serve"), "\(outcome.errors)")
    }
    #expect(try EaselProcess.run(["stats", "--once", "--json", other.origin]).errorCode() == "badImageData")
  }

  @Test(.enabled(if: Tmux.isInstalled, "\(Tmux.skipReason)"), arguments: [false, true])
  func theServerShowsALineOfItsOwn(_ isQuiet: Bool) throws {
    let options = "--unsafe --log off --drain-delay 0 --listen 127.0.0.1:0\(isQuiet ? " --no-progress" : "")"
    try Scratch.with { scratch in
      let mark = scratch.path("pid")
      let terminal = try Tmux(
        "sh -c 'echo $$ > \(mark); exec \(EaselProcess.path) serve \(options)'", columns: 100, rows: 12)
      #expect(try terminal.waitForText { $0.contains("listening on") })
      if !isQuiet { #expect(try terminal.waitForText { $0.contains("\n0 requests, 0.0/s, 0 in flight, 0 bytes/s, ") }) }
      let process = try #require(Int32(String(decoding: try scratch.data("pid"), as: UTF8.self).dropLast()))
      #expect(kill(process, SIGTERM) == 0)
      #expect(try terminal.waitForText { $0.contains("status=0") && !$0.contains("0 requests") })
      #expect(try terminal.run(["display-message", "-p", "#{cursor_flag}"]) == "1\n")
    }
  }

  @Test(.enabled(if: Tmux.isInstalled, "\(Tmux.skipReason)"))
  func inATerminalUntilAKeyIsPressed() async throws {
    try await withServer { address in
      let terminal = try Tmux("\(EaselProcess.path) stats \(address)", columns: 70, rows: 24)
      // The second reading has rates.
      #expect(try terminal.waitForText { $0.contains("requests    0.0/s, 0 in all") && $0.contains("traffic") })
      #expect(try terminal.run(["display-message", "-p", "#{cursor_flag}#{alternate_on}"]) == "01\n")
      try terminal.run(["resize-window", "-x", "30", "-y", "5"])
      #expect(
        try terminal.waitForText { text in
          text.contains("requests") && !text.contains("traffic")
            && text.split(separator: "\n").allSatisfy { $0.count <= 30 }
        })
      try terminal.press("q")
      #expect(try terminal.waitForText { $0.contains("status=0") && $0.contains("terminal=echo") })
      #expect(try terminal.run(["display-message", "-p", "#{cursor_flag}#{alternate_on}"]) == "10\n")
    }
  }

  private func withServer(_ body: (String) throws -> Void) async throws {
    let server = try await ServeProgram.listening(["--unsafe", "--metrics", "127.0.0.1:0"])
    do {
      try body(try #require(await server.metricsAddress()))
    } catch {
      await server.stop()
      throw error
    }
    await server.stop()
  }
}
