import Easel

/// The part of `easel serve --check` about memory: what each part may take, and the sum.
enum MemoryReport {
  static func text(of plan: MemoryPlan) -> String {
    var rows = [
      ("program and sandbox", Quantity.bytes(MemoryPlan.base)),
      ("finished pictures", "\(Quantity.bytes(plan.cacheBytes)) (memory-size)"),
      ("bodies that wait", Quantity.bytes(plan.bodyBytes)),
      ("buffers for reuse", "2 x \(Quantity.bytes(plan.bufferBytes))"),
    ]
    if let limit = plan.limit, let work = plan.workBytes {
      rows.append(("work", "\(Quantity.bytes(work)), shared by \(count(plan.workers))"))
      rows.append(("kept free", Quantity.bytes(MemoryPlan.margin(of: limit))))
      rows.append(("together", "\(Quantity.bytes(limit)), the limit"))
      rows.append(("original", "at most \(pixels(plan.sourcePixels)) (max-source-pixels)"))
      rows.append(("result", "at most \(pixels(plan.resultPixels)) (max-result-pixels)"))
    } else {
      rows.append(("work", "\(Quantity.bytes(plan.sharedBytes)), shared by \(count(plan.workers))"))
      rows.append(("one large picture", "\(Quantity.bytes(plan.largestWork)) alone, instead"))
      rows.append(("together", "\(Quantity.bytes(plan.neededBytes)), without a limit"))
    }
    let width = rows.map(\.0.count).max() ?? 0
    return
      (["Memory"] + rows.map { "  \($0.0)\(String(repeating: " ", count: width - $0.0.count))  \($0.1)" })
      .joined(separator: "\n")
  }

  private static func count(_ workers: Int) -> String { workers == 1 ? "1 worker" : "\(workers) workers" }

  private static func pixels(_ count: Int) -> String {
    count >= 1_000_000 ? "\(Quantity.decimals(Double(count) / 1e6, 1)) megapixels" : "\(count) pixels"
  }
}
