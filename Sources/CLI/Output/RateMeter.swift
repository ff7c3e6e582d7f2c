/// Measures how fast an amount has grown over the last seconds.
struct RateMeter {
  private var samples: [(time: Duration, amount: Double)] = []

  private static let window = Duration.seconds(4)
  /// The shortest time over which a rate is measured.
  private static let shortest = Duration.milliseconds(300)
  private static let spacing = Duration.milliseconds(100)

  /// Notes an amount.
  mutating func add(_ amount: Double, at now: Duration) {
    // The amount fell, because the transfer restarted.
    if let last = samples.last, amount < last.amount { samples = [] }
    if samples.count > 1, now - samples[samples.count - 2].time < Self.spacing { samples.removeLast() }
    samples.append((now, amount))
    while samples.count > 2, now - samples[1].time > Self.window { samples.removeFirst() }
  }

  /// The growth per second; nil while too little is known.
  func rate(at now: Duration) -> Double? {
    guard let first = samples.first, let last = samples.last, now - first.time >= Self.shortest else { return nil }
    // Nothing has arrived for a long time, so earlier amounts do not count.
    if now - last.time > Self.window { return 0 }
    return (last.amount - first.amount) / ((now - first.time) / .seconds(1))
  }
}
