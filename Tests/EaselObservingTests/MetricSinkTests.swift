import EaselCore
import EaselSupport
import EaselTestSupport
import Testing

@testable import EaselObserving

struct MetricSinkTests {
  /// Adds up as `ImageMetrics` does.
  private final class Sink: MetricSink {
    private let sums = Locked<[String: Int]>([:])

    func value(_ name: String) -> Int? { sums.withLock { $0[name] } }
    func count(_ name: String, _ labels: [MetricTag], by amount: Int) { add(name, labels, amount) }
    func adjust(_ name: String, _ labels: [MetricTag], by amount: Int) { add(name + " gauge", labels, amount) }
    func record(_ name: String, _ labels: [MetricTag], _ time: Duration) { add(name + " count", labels, 1) }

    private func add(_ name: String, _ labels: [MetricTag], _ amount: Int) {
      let key = ([name] + labels.map { "\($0.name)=\($0.value)" }).joined(separator: " ")
      sums.withLock { $0[key, default: 0] += amount }
    }
  }

  @Test func hasTheNumbersOfTheText() async throws {
    let sink = Sink()
    let metrics = ImageMetrics(to: sink)
    let studio = LoadStudio(metrics)
    _ = try await studio.load().image
    _ = try await studio.load().image
    #expect(sink.value("easel_loads_total result=success") == 2)
    #expect(sink.value("easel_loads_in_flight gauge") == 0)
    #expect(sink.value("easel_load_seconds count result=success") == 2)
    #expect(sink.value("easel_stage_seconds count stage=decode") == 1)
    #expect(sink.value("easel_transfers_total") == 1)
    #expect(metrics.text().contains("easel_loads_total{result=\"success\"} 2\n"))
  }
}
