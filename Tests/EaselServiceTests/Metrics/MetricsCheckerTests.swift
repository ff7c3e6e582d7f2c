import Testing

/// A checker that accepts everything would prove nothing.
struct MetricsCheckerTests {
  private static let head = "# HELP a_total Help.\n# TYPE a_total counter\n"

  @Test func rightTextIsRead() throws {
    let read = try MetricsChecker(Self.head + "a_total{x=\"1\\\"\\\\\\n\",y=\"\"} 5\n")
    #expect(read.value("a_total", ["x": "1\"\\\n", "y": ""]) == 5)
  }

  @Test(arguments: [
    "a_total 5\n", "# TYPE a_total counter\na_total 5\n", "# HELP a_total Help.\na_total 5\n", "# NOTE a_total x\n",
    "# HELP a_total Help.\n# TYPE a_total meter\n", "# HELP a Help.\n# TYPE a counter\na 1\n", head + "a_total -1\n",
    head + "a_total five\n", head + "a_total 0x5\n", head + "a_total 5", head + "\na_total 5\n", head + "b_total 5\n",
    head + "a_total{x=1} 5\n", head + "a_total{x=\"1} 5\n", head + "a_total{x=\"\\q\"} 5\n",
    head + "a_total{1x=\"\"} 5\n",
    head + "a_total{x=\"1\",x=\"2\"} 5\n", head + "a_total{x=\"1\"} 5\na_total{x=\"1\"} 6\n",
    head + "a_total{x=\"1\"} 5\na_total{y=\"1\"} 6\n", head + "a_total{x=\"1\";y=\"2\"} 5\n", head + head,
    "# HELP a_ms Help.\n# TYPE a_ms gauge\na_ms 1\n", "# HELP aB Help.\n# TYPE aB gauge\naB 1\n",
    "# HELP a-b Help.\n# TYPE a-b gauge\n", "# HELP a_total Help.\n# TYPE a_total gauge\na_total 1\n",
  ])
  func wrongTextIsRefused(_ text: String) {
    #expect(throws: MetricsChecker.Mistake.self) { try MetricsChecker(text) }
  }

  @Test(arguments: [
    "h_bucket{le=\"1.0\"} 1\nh_bucket{le=\"+Inf\"} 2\nh_sum 3\nh_count 3\n",
    "h_bucket{le=\"1.0\"} 3\nh_bucket{le=\"+Inf\"} 2\nh_sum 3\nh_count 2\n",
    "h_bucket{le=\"1.0\"} 1\nh_sum 3\nh_count 1\n", "h_bucket{le=\"+Inf\"} 2\nh_count 2\n",
    "h_bucket{le=\"2.0\"} 1\nh_bucket{le=\"1.0\"} 1\nh_bucket{le=\"+Inf\"} 2\nh_sum 3\nh_count 2\n",
    "h_bucket 1\nh_sum 3\nh_count 1\n",
  ])
  func wrongHistogramsAreRefused(_ samples: String) throws {
    let head = "# HELP h Help.\n# TYPE h histogram\n"
    #expect(throws: MetricsChecker.Mistake.self) { try MetricsChecker(head + samples) }
    _ = try MetricsChecker(head + "h_bucket{le=\"1.0\"} 1\nh_bucket{le=\"+Inf\"} 2\nh_sum 3\nh_count 2\n")
  }

  @Test func openMetricsHasRulesOfItsOwn() throws {
    let text = "# HELP a Help.\n# TYPE a counter\na_total 1\n# EOF\n"
    #expect(try MetricsChecker(text, isOpenMetrics: true).value("a_total") == 1)
    #expect(throws: MetricsChecker.Mistake.self) { try MetricsChecker(text) }
    #expect(throws: MetricsChecker.Mistake.self) {
      try MetricsChecker(String(text.dropLast(6)), isOpenMetrics: true)
    }
  }
}
