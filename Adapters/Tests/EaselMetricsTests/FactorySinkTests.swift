import AdapterStudio
import Easel
import EaselMetrics
import EaselObserving
import EaselTestSupport
import Metrics
import MetricsTestKit
import Testing

struct FactorySinkTests {
  @Test func aLoadIsCountedAndTimed() async throws {
    let metrics = TestMetrics()
    let studio = try AdapterStudio { $0.addObserver(.metrics(metrics)) }
    #expect(await studio.pictures.response(to: .init(target: AdapterStudio.path)).status == 200)
    #expect(try metrics.expectCounter("easel_loads_total", [("result", "success")]).totalValue == 1)
    #expect(try metrics.expectCounter("easel_load_sources_total", [("source", "network")]).totalValue == 1)
    #expect(try metrics.expectMeter("easel_loads_in_flight").lastValue == 0)
    for stage in ["decode", "transform", "encode"] {
      #expect(try metrics.expectTimer("easel_stage_seconds", [("stage", stage)]).values.count == 1)
    }
    #expect(try metrics.expectTimer("easel_load_seconds", [("result", "success")]).lastValue! > 0)
  }

  @Test func aHandleIsMadeOnce() async throws {
    let metrics = TestMetrics()
    let sink = FactorySink(metrics)
    for _ in 0..<3 { sink.count("hits", [MetricTag(name: "layer", value: "disk")], by: 2) }
    sink.count("hits", [MetricTag(name: "layer", value: "memory")], by: 1)
    #expect(metrics.counters.count == 2)
    #expect(try metrics.expectCounter("hits", [("layer", "disk")]).values == [2, 2, 2])
  }

  @Test func metricsAreAnObserver() async {
    #expect(await ImageObserverContract(ImageMetrics.metrics(TestMetrics())).check().isEmpty)
  }
}
