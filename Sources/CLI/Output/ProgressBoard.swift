/// The state of many pieces of work, with the lines that show it: one for each running transfer, and one for the total.
struct ProgressBoard {
  private struct Transfer {
    let name: String
    var received = 0
    var expected: Int?
    var meter = RateMeter()
  }

  let total: Int
  /// The name of the pieces, such as `pictures`.
  let unit: String
  /// False for work whose bytes do not matter.
  var countsBytes = true
  private let start: Duration
  private var running: [Int: Transfer] = [:]
  private(set) var finished = 0
  private var bytes = 0
  private var meter = RateMeter()

  private static let mostShown = 8

  init(total: Int, unit: String, countsBytes: Bool = true, at now: Duration) {
    self.total = total
    self.unit = unit
    self.countsBytes = countsBytes
    start = now
    meter.add(0, at: now)
  }

  var isFinished: Bool { finished >= total }

  mutating func begin(_ index: Int, _ name: String, at now: Duration) {
    running[index] = Transfer(name: printable(name))
    running[index]?.meter.add(0, at: now)
  }

  mutating func progress(_ index: Int, _ received: Int, _ expected: Int?, at now: Duration) {
    guard var transfer = running.removeValue(forKey: index) else { return }
    transfer.received = received
    transfer.expected = expected
    transfer.meter.add(Double(received), at: now)
    running[index] = transfer
    if countsBytes { meter.add(Double(allBytes), at: now) }
  }

  mutating func end(_ index: Int, at now: Duration) {
    bytes += running.removeValue(forKey: index)?.received ?? 0
    finished += 1
    meter.add(Double(countsBytes ? allBytes : finished), at: now)
  }

  private var allBytes: Int { running.values.reduce(bytes) { $0 + $1.received } }

  // MARK: Lines

  /// The lines for a terminal of this size; no line is wider than the terminal.
  func lines(columns: Int, rows: Int, at now: Duration) -> [String] {
    // The last cell stays free, because some terminals wrap after it.
    let width = max(1, columns - 1)
    let shown = running.sorted { $0.key < $1.key }.prefix(max(0, min(Self.mostShown, rows - 2)))
    return shown.map { line($0.value, width, now) } + [totalLine(width, shown.count, now)]
  }

  private func line(_ transfer: Transfer, _ width: Int, _ now: Duration) -> String {
    let rate = transfer.meter.rate(at: now)
    let known = transfer.expected.flatMap { $0 > 0 ? $0 : nil }
    let part = known.map { Double(transfer.received) / Double($0) }
    var facts: [String] = []
    if let known {
      facts.append("\(Quantity.bytes(min(transfer.received, known))) of \(Quantity.bytes(known))")
    } else {
      facts.append(transfer.received > 0 ? Quantity.bytes(transfer.received) : "waiting")
    }
    if let rate, transfer.received > 0 {
      facts.append(rate >= 1 ? "\(Quantity.bytes(Int(rate)))/s" : "stalled")
      if let known, rate >= 1 { facts += Self.timeLeft(Double(known - transfer.received) / rate) }
    }
    return Self.line(name: transfer.name, part, facts, width)
  }

  private func totalLine(_ width: Int, _ shown: Int, _ now: Duration) -> String {
    let part = Double(finished) / Double(max(1, total))
    var facts: [String] = []
    if running.count > shown { facts.append("\(running.count) running") }
    if countsBytes { facts.append(Quantity.bytes(allBytes)) }
    if let rate = meter.rate(at: now), rate > 0 {
      facts.append(countsBytes ? "\(Quantity.bytes(Int(rate)))/s" : "\(Quantity.decimals(rate, 1))/s")
    }
    if finished > 0, finished < total {
      let each = (now - start) / .seconds(1) / Double(finished)
      facts += Self.timeLeft(each * Double(total - finished))
    }
    return Self.line(name: "\(finished) of \(total) \(unit)", part, facts, width)
  }

  private static func timeLeft(_ seconds: Double) -> [String] {
    guard seconds.isFinite, seconds >= 0, seconds < 1e9 else { return [] }
    // The time is rounded to whole seconds, because tenths would flicker.
    return seconds < 1 ? ["1 s left"] : ["\(Quantity.duration(.seconds(Int(seconds.rounded(.up))))) left"]
  }

  /// A line with a name, a bar and facts.
  ///
  /// A narrow terminal loses the bar first, and then the last facts.
  static func line(name: String, _ part: Double?, _ facts: [String], _ width: Int) -> String {
    let percent = part.map { "\(Int(min(1, max(0, $0)) * 100)) %" } ?? ""
    let leastName = min(24, TextWidth.cells(of: name))
    for (bar, count) in [(20, facts.count), (10, facts.count)] + (0...facts.count).reversed().map({ (0, $0) }) {
      var right = facts.prefix(count).joined(separator: ", ")
      if !percent.isEmpty {
        right = String(repeating: " ", count: 5 - percent.count) + percent + (right.isEmpty ? "" : "  \(right)")
      }
      if bar > 0 { right = Self.bar(part, bar) + " " + right }
      let room = width - TextWidth.cells(of: right) - 2
      guard room >= leastName else { continue }
      // All names have the same width, so that the bars are aligned.
      let name = TextWidth.padded(TextWidth.shortened(name, to: min(room, 40)), to: min(room, 40, max(leastName, 40)))
      return trimmed("\(name)  \(right)")
    }
    // Even a few letters of a name are better than none.
    let room = width - 2 - percent.count
    return room < 6 ? TextWidth.shortened(name, to: width) : "\(TextWidth.shortened(name, to: room))  \(percent)"
  }

  private static func trimmed(_ line: String) -> String {
    var line = line
    while line.last == " " { line.removeLast() }
    return line
  }

  static func bar(_ part: Double?, _ width: Int) -> String {
    guard let part else { return "[" + String(repeating: "·", count: width) + "]" }
    let filled = Int((min(1, max(0, part)) * Double(width)).rounded(.down))
    return "[" + String(repeating: "=", count: filled) + String(repeating: " ", count: width - filled) + "]"
  }
}
