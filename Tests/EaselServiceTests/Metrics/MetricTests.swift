import Testing

@testable import EaselObserving
@testable import EaselService

struct MetricTests {
  private enum Color: String, MetricLabel { case red, green }
  private struct Hostile: MetricLabel {
    let text: String
    static let allCases = [Hostile(text: "a\"b\\c\nd"), Hostile(text: "ä \u{7}"), Hostile(text: "")]
  }

  @Test func aCounterCountsUnderItsLabels() throws {
    let counter = CounterMetric<TwoLabels<Color, Color>>("a_total", labels: ["x", "y"], "Help.")
    counter.add(2, TwoLabels(.red, .green))
    counter.add(TwoLabels(.red, .green))
    let read = try MetricsChecker(MetricsText.of([counter]))
    #expect(read.value("a_total", ["x": "red", "y": "green"]) == 3)
    #expect(read.value("a_total", ["x": "green", "y": "green"]) == 0)
    #expect(read.families[0].samples.count == 4 && counter.value(TwoLabels(.red, .green)) == 3)
  }

  @Test func zerosCanBeLeftOut() throws {
    let counter = CounterMetric<OneLabel<Color>>("a_total", labels: ["x"], "Help.", showsZeros: false)
    #expect(try MetricsChecker(MetricsText.of([counter])).families[0].samples.isEmpty)
    counter.add(OneLabel(.green))
    #expect(MetricsText.of([counter]).hasSuffix("counter\na_total{x=\"green\"} 1\n"))
  }

  @Test func labelsAndHelpAreEscaped() throws {
    let counter = CounterMetric<OneLabel<Hostile>>("a_total", labels: ["x"], "A \"help\"\nwith \\ lines.")
    counter.add(7, OneLabel(Hostile.allCases[0]))
    let text = MetricsText.of([counter])
    let read = try MetricsChecker(text)
    #expect(read.value("a_total", ["x": "a\"b\\c\nd"]) == 7)
    #expect(read.families[0].samples.count == 3)
    #expect(text.contains("# HELP a_total A \"help\"\\nwith \\\\ lines.\n"))
    #expect(MetricsText.of([counter], as: .openMetrics).contains("# HELP a A \\\"help\\\"\\nwith"))
  }

  @Test func aHistogramSortsIntoBuckets() throws {
    let histogram = HistogramMetric<NoLabels>("h_seconds", bounds: [0.001, 0.5, 2], "Help.")
    for duration in [
      Duration.zero, .milliseconds(1), .microseconds(1001), .milliseconds(500), .seconds(3), .seconds(2),
    ] {
      histogram.record(duration, NoLabels())
    }
    let read = try MetricsChecker(MetricsText.of([histogram]))
    #expect(read.value("h_seconds_bucket", ["le": "0.001"]) == 2)
    #expect(read.value("h_seconds_bucket", ["le": "0.5"]) == 4)
    #expect(read.value("h_seconds_bucket", ["le": "2.0"]) == 5)
    #expect(read.value("h_seconds_bucket", ["le": "+Inf"]) == 6)
    #expect(read.value("h_seconds_count") == 6 && histogram.count(NoLabels()) == 6)
    #expect(abs((read.value("h_seconds_sum") ?? 0) - 5.502001) < 1e-9)
  }

  @Test func strangeDurationsAreCounted() throws {
    let histogram = HistogramMetric<NoLabels>("h_seconds", bounds: [1], "Help.")
    histogram.record(.seconds(-5), NoLabels())
    histogram.record(.seconds(Int64.max), NoLabels())
    let read = try MetricsChecker(MetricsText.of([histogram]))
    #expect(read.value("h_seconds_bucket", ["le": "1.0"]) == 1 && read.value("h_seconds_count") == 2)
  }

  @Test func infoAndSampledMetricsAreRead() throws {
    let metrics: [any Metric] = [
      SampledMetric(MetricDescription("a_info", .info, labels: ["version"], "Help.")) { [(["1.0"], .integer(1))] },
      SampledMetric("b_seconds", .gauge, "Help.") { .real(0.25) }, SampledMetric("c_bytes", .gauge, "Help.") { nil },
      SampledMetric("d_ratio", .gauge, "Help.") { .real(.infinity) },
    ]
    for form in [MetricsText.Form.prometheus, .openMetrics] {
      let read = try MetricsChecker(MetricsText.of(metrics, as: form), isOpenMetrics: form == .openMetrics)
      #expect(read.value("a_info", ["version": "1.0"]) == 1 && read.value("b_seconds") == 0.25)
      #expect(read.value("c_bytes") == nil && read.value("d_ratio") == .infinity)
    }
  }

  @Test(arguments: [
    (nil, false), ("", false), ("*/*", false), ("text/plain;version=0.0.4;q=0.5,*/*;q=0.1", false),
    ("application/openmetrics-text", true), ("application/openmetrics-text;version=1.0.0;q=0.8,text/plain;q=0.5", true),
    ("text/plain , Application/OpenMetrics-Text ; version=1.0.0", true), ("application/openmetrics-text;q=0", false),
    ("application/openmetrics-text; q=0.0", false), ("application/openmetrics-textual", false),
  ])
  func theFormFollowsAccept(_ accept: String?, _ isOpenMetrics: Bool) {
    let form = MetricsText.Form(accept: accept)
    #expect((form == .openMetrics) == isOpenMetrics)
    #expect(form.contentType.contains(isOpenMetrics ? "openmetrics" : "text/plain"))
  }

  @Test func manyThreadsCountExactly() async throws {
    let counter = CounterMetric<OneLabel<Color>>("a_total", labels: ["x"], "Help.")
    let gauge = CounterMetric<NoLabels>("g", kind: .gauge, "Help.")
    let histogram = HistogramMetric<OneLabel<Color>>("h_seconds", labels: ["x"], bounds: [0.1, 1], "Help.")
    await withTaskGroup(of: Void.self) { group in
      for worker in 0..<8 {
        group.addTask {
          for number in 0..<5000 {
            let color: Color = (worker + number) % 2 == 0 ? .red : .green
            counter.add(OneLabel(color))
            gauge.add(NoLabels())
            histogram.record(.milliseconds(number % 3 == 0 ? 50 : 500), OneLabel(color))
            gauge.add(-1, NoLabels())
            // The text must be right at every moment.
            if number % 1000 == 0 {
              #expect(throws: Never.self) { try MetricsChecker(MetricsText.of([counter, gauge, histogram])) }
            }
          }
        }
      }
    }
    #expect(counter.value(OneLabel(.red)) == 20_000 && counter.value(OneLabel(.green)) == 20_000)
    #expect(gauge.value(NoLabels()) == 0)
    #expect(histogram.count(OneLabel(.red)) + histogram.count(OneLabel(.green)) == 40_000)
  }
}
